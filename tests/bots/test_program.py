"""Programs in other languages play the same games as the same strategy in Python, and their faults are told."""

import gc
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import planetwars_env as pw
from planetwars_env.arena.games import open_player, play_game
from planetwars_env.arena.isolation import Isolated, ResourceLimits
from planetwars_env.arena.sandbox import NoSandboxError, choose_sandbox
from planetwars_env.bots.catalogue import parse_player, resolve_player
from planetwars_env.engine.rules import PLANETWARS
from support.command_line import succeed
from support.paths import ROOT

SOURCES = ROOT / "scripts" / "examples" / "other_languages"
LIMITS = ResourceLimits(turn=0.5, begin=5, load=20, clock=4)
BUILDS = {
    "javascript": (["node"], [], "cmd:node settler.js"),
    "c++": (["g++"], ["g++", "-std=c++17", "-O2", "-o", "settler", "settler.cpp"], "cmd:./settler"),
    "java": (
        ["javac", "java"],
        ["javac", "-d", "classes", "Settler.java"],
        "cmd:java -XX:+UseSerialGC -cp classes Settler",
    ),
}
"""Programs that a language needs, its compilation, and the player's name."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The reference programs in a folder of this test's own, which is the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text(f"#!/usr/bin/env python3{ANSWERS % 'pass'}")
    (tmp_path / "bot.py").chmod(0o755)
    for source in SOURCES.iterdir():
        if source.is_file():
            shutil.copy(source, tmp_path)
    return tmp_path


def build(language: str) -> str:
    """Compile the settler of a language in the current folder and return its name; skip where a tool is missing."""
    tools, compilation, name = BUILDS[language]
    if missing := [tool for tool in tools if shutil.which(tool) is None]:
        pytest.skip(f"{', '.join(missing)} is not installed")
    if compilation:
        subprocess.run(compilation, check=True)
    return name


@pytest.fixture(params=BUILDS)
def program(request: pytest.FixtureRequest, folder: Path) -> str:
    """The name of the settler in each language whose tools are here."""
    return build(request.param)


def write(text: str, name: str = "bot.py") -> str:
    """Write a program in Python, which stands for any language, and return its name as a player."""
    Path(name).write_text(text)
    return f"cmd:{sys.executable} {name}"


ANSWERS = """
import json, sys, time
for line in sys.stdin:
    request = json.loads(line)
    answer = {"hello": {"name": "Echo"}, "begin": {}}.get(request["type"], {"moves": []})
    %s
    print(json.dumps(answer), flush=True)
"""


PAGE = (ROOT / "docs" / "languages.md").read_text()
PAGE_COMMANDS = [line.strip() for line in PAGE.splitlines() if line.startswith("    planetwars ")]
PYTHON_COMMANDS = [
    "planetwars rank 'cmd:python3 bot.py' cmd:./bot.py",
    "planetwars evaluate 'cmd:python3 bot.py' --opponents random",
    "planetwars grade 'cmd:python3 bot.py' cmd:./bot.py --out grades.csv",
]
SHORT = {
    "evaluate": "--games 2 --graphs duel --max-turns 20",
    "grade": "--jobs 1 --graphs duel --scheme short.yaml",
    "rank": "--jobs 1 --games 2 --graphs duel --max-turns 20",
    "play": "--terminal --graph duel --max-turns 4",
}
"""Options that make a command of docs/languages.md short. Workers of other tests stand in other folders."""


@pytest.mark.long
@pytest.mark.parametrize("command", PAGE_COMMANDS + PYTHON_COMMANDS)
def test_the_commands_of_the_page_play_programs_in_any_language_without_a_fault(folder: Path, command: str) -> None:
    for language, word in (("javascript", "settler.js"), ("c++", "./settler"), ("java", "Settler")):
        if word in command:
            build(language)
    (folder / "short.yaml").write_text("games: 2\nmax_turns: 20\nopponents: {random: 30}\n")
    words = shlex.split(f"{command} {SHORT[command.split()[1]]}")[1:]
    result = succeed(*words, input="quit\n", env={"COLUMNS": "200"})
    assert "cannot be loaded" not in result.output and "dead" not in result.output
    assert any(name in result.output for name in ("ettler", "Echo", "bot.py")), result.output


def test_the_page_has_one_command_for_each_way_to_use_a_program() -> None:
    assert [command.split()[1] for command in PAGE_COMMANDS] == ["evaluate", "grade", "rank", "play"]


def play(name: str, turns: int = 6, limits: ResourceLimits = LIMITS) -> tuple[list[str], str]:
    """The faults of a program in an isolated game against nobody, and the name that it told."""
    try:
        choose_sandbox()
    except NoSandboxError as fault:
        pytest.skip(str(fault))
    with Isolated(name, limits) as strategy:
        players = strategy, open_player(resolve_player("noop"))
        outcome = play_game(players, pw.load_graph("rings"), PLANETWARS, (1, 2), turns)
    return [f"{fault.kind} {fault.forfeits}: {fault.text}" for fault in outcome.faults[0]], strategy.name


@pytest.mark.parametrize(("graph", "rules"), [("test/0", "PLANETWARS"), ("rings", "SPACE_EXPLORERS")])
def test_a_program_plays_move_for_move_as_the_same_strategy_in_python(program: str, graph: str, rules: str) -> None:
    games = [pw.play_match(player, "ai1", graph, rules=rules, seed=3) for player in ("settler.py", program)]
    assert games[0].moves == games[1].moves and games[0].turns > 20
    assert games[1].players[0].startswith("ettler", 1)


def test_an_isolated_program_plays_the_same_game_too(program: str, folder: Path) -> None:
    faults, name = play(program, 40)
    assert not faults and name.lower().startswith("settler.")
    opponent = pw.make("PlanetWars-v0", opponent=program, graphs="rings", player=2)
    opponent.reset(seed=0)
    assert opponent.step(opponent.action_space.sample())[4]["opponent"] == name


def test_a_program_sees_its_own_files_and_no_others(folder: Path) -> None:
    (folder / "secret.txt").write_text("hidden")
    (folder / "mine").mkdir()
    (folder / "mine" / "weights.txt").write_text("seen")
    hidden = [str(folder / "secret.txt"), "/etc/passwd", "/home"]
    found = f"str([os.path.exists(one) for one in {hidden}].count(True))"
    look = f'answer["name"] = open("mine/weights.txt").read() + {found}'
    name = write("import os" + ANSWERS % look, "mine/bot.py")
    faults, told = play(name)
    assert not faults and told == "seen0"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ('answer = {"moves": [[1, 2]]} if request["type"] == "turn" else answer', "garbage turn: .*is not a move"),
        ('answer = {} if request["type"] == "turn" else answer', 'garbage turn: .*has no list "moves"'),
        ('answer = 7 if request["type"] == "turn" else answer', "garbage turn: .*is not a JSON object: b'7"),
        ('answer = "x" * 3_000_000 if request["type"] == "turn" else answer', "garbage game: .*more than 2,000,000"),
        (
            'sys.exit(5) if request["type"] == "turn" else 0',
            'dead game: .*with status 5 instead of an answer to "turn"',
        ),
        ('answer = {"name": 3}', "load game: .*must be a text, not 3"),
    ],
)
def test_a_fault_of_a_program_is_told(folder: Path, change: str, fault: str) -> None:
    faults, _ = play(write(ANSWERS % change))
    assert faults
    assert any(re.search(fault, one.replace("\n", " ")) for one in faults), faults


def test_a_late_answer_costs_its_turn_and_belongs_to_no_other(folder: Path) -> None:
    wait = 'if request.get("turn") == 3: time.sleep(2.5)\n    answer["moves"] = [] if request.get("turn") != 3 else [[9, 9, 9]]'
    faults, _ = play(write(ANSWERS % wait), 12)
    assert [one.split(":")[0] for one in faults] == ["late turn"]


def test_an_edit_is_another_version(folder: Path) -> None:
    name = write(ANSWERS % "pass")
    before = parse_player(name).files()
    write(ANSWERS % "0")
    after = parse_player(name).files()
    assert before and after and before.fingerprint() != after.fingerprint()
    assert list(after.files) == ["bot.py"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cmd:", "does not name a program"),
        ("cmd:./nowhere", "there is no program ./nowhere"),
        ("cmd:no-such-program-here bot.py", "there is no program no-such-program-here"),
        ("cmd:/bin/../../outside", "there is no program"),
    ],
)
def test_a_program_that_is_not_there_is_told(folder: Path, name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pw.load_player(name)


def test_a_program_ends_with_its_strategy(folder: Path) -> None:
    name = write(ANSWERS % 'answer["name"] = str(__import__("os").getpid())')
    player = pw.load_player(name)
    number = int(type(player).name)
    os.kill(number, 0)
    del player
    gc.collect()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
