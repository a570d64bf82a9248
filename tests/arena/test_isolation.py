"""Hostile strategies lose their games by stated rules, leave nothing behind, and harm nobody."""

import contextlib
import os
import platform
import re
import shutil
import socket
import tempfile
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from planetwars_env.arena import report
from planetwars_env.arena.confinement.processes import descendants
from planetwars_env.arena.contestants import contestant_of
from planetwars_env.arena.game_store import GameStore
from planetwars_env.arena.games import close_strategies, open_player, play_game
from planetwars_env.arena.isolation import Fault, ForfeitError, Isolated, ResourceLimits
from planetwars_env.arena.plan import TournamentPlan
from planetwars_env.arena.report import tournament_pages
from planetwars_env.arena.round_robin import run_tournament
from planetwars_env.arena.sandbox import Sandbox, _works, find_sandbox
from planetwars_env.arena.standings import compute_standings
from planetwars_env.bots import protocol
from planetwars_env.bots.catalogue import resolve_player
from planetwars_env.engine.rules import PLANETWARS, SPACE_EXPLORERS
from planetwars_env.game import Game
from planetwars_env.graphs.catalogue import load_graph
from planetwars_env.view import KnownMap
from scripts.verification.kill_tests.leftovers import adopt_orphans, supervised
from support import paths
from support.strategy_files import bot

SPREADER = str(paths.SPREADER)
GRAPH = load_graph("test/3")
LIMITS = ResourceLimits(turn=0.5, begin=5, load=20, clock=4)
"""Generous where honest code is waited for on a busy machine, short where a hostile turn is waited out."""
SANDBOXES = [sandbox for sandbox in Sandbox if sandbox is Sandbox.NONE or _works(sandbox)]
every_sandbox = pytest.mark.parametrize("sandbox", SANDBOXES, ids=lambda sandbox: sandbox.name)
usual_sandbox = pytest.mark.parametrize(
    "sandbox",
    [pytest.param(one, id=one.name, marks=[pytest.mark.slow] * (one is not find_sandbox())) for one in SANDBOXES],
)
"""For tests that hardly depend on the sandbox: the others are left to the slow tests."""
CONFINING = [sandbox for sandbox in SANDBOXES if sandbox is not Sandbox.NONE]


def in_turn(names: Collection[str], sandboxes: Sequence[Sandbox]) -> list[Any]:
    """Each name in one of the sandboxes, all of these in turn; with the slow tests each in all."""
    return [
        pytest.param(name, one, id=f"{name}-{one.name}", marks=[pytest.mark.slow] * bool((n - s) % len(sandboxes)))
        for n, name in enumerate(names)
        for s, one in enumerate(sandboxes)
    ]


def built_in(name: str) -> Any:
    """A built-in bot, ready to play."""
    return open_player(resolve_player(name))


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """The hostile strategies in a folder of this test's own, so that its processes can be told from all others."""
    return Path(shutil.copytree(paths.HOSTILE, tmp_path / "hostile"))


def play(
    file: Path | str, sandbox: Sandbox, limits: ResourceLimits = LIMITS, turns: int = 12
) -> tuple[Sequence[Fault], str, int]:
    """The faults of a hostile strategy in a game against noop, how the game ended, and its winner."""
    with Isolated(str(file), limits, sandbox) as strategy:
        outcome = play_game((strategy, built_in("noop")), GRAPH, PLANETWARS, (1, 2), turns)
    return outcome.faults[0], outcome.ended, outcome.winner


def last_words(file: Path | str, sandbox: Sandbox) -> str:
    """The last line of the first fault of a strategy in a game against noop."""
    faults, *_ = play(file, sandbox, ResourceLimits(turn=5))
    return faults[0].text.splitlines()[-1]


def left_behind() -> list[int]:
    """The processes that were started for strategies and are still there, without supervisors that wait for a game."""
    return [process for process in supervised() if descendants(process) or _parent(process) != os.getpid()]


def _parent(process: int) -> int:
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


GAME_LOST = {
    "endless_loop": ["late", "late", "late"],
    "stubborn_loop": ["hanging"],
    "family": ["crowd"],
    "quitter": ["dead"],
    "killer": ["dead"],
    "broken_import": ["load"],
    "broken_reset": ["begin"],
    "thrower": ["exception", "exception", "exception"],
    "liar": ["garbage", "garbage", "garbage"],
    "giant_numbers": ["garbage", "garbage", "garbage"],
    "million_moves": ["flood", "flood", "flood"],
    "alterer": ["garbage"],
    "forger": ["garbage"],
    "burglar": ["exception", "exception", "exception"],
    "surrogate": ["exception", "exception", "exception"],
    "surrogate_answer": ["exception", "exception", "exception"],
    "escaper": ["exception", "exception", "exception"],
}
TRACEBACKS = {
    "thrower": r'thrower.py", line [0-9]+(.|\n)*ValueError: this turn is broken on purpose',
    "endless_loop": "endless_loop.py",
}


@pytest.mark.parametrize(("name", "sandbox"), in_turn(GAME_LOST, SANDBOXES))
def test_a_hostile_strategy_loses_its_game_by_the_rules(name: str, sandbox: Sandbox, hostile: Path) -> None:
    faults, ended, winner = play(hostile / f"{name}.py", sandbox)
    expected = GAME_LOST[name]
    if name == "killer" and sandbox is Sandbox.NAMESPACES:
        expected = ["garbage"] * 3  # nobody kills the first process of a namespace from within
    assert [fault.kind for fault in faults] == expected, faults
    assert re.search(TRACEBACKS.get(name, ""), faults[0].text)
    assert (ended, winner) == ("forfeit", 2)
    assert [fault.forfeits for fault in faults] == ["turn"] * (len(faults) - 1) + ["game"]
    assert left_behind() == []


@usual_sandbox
def test_memory_beyond_the_limit_is_an_exception_or_the_end(sandbox: Sandbox, hostile: Path) -> None:
    faults, ended, _ = play(hostile / "glutton.py", sandbox, ResourceLimits(turn=10, memory=512 * 2**20))
    assert ended == "forfeit"
    assert {fault.kind for fault in faults} <= {"exception", "dead"}
    assert "MemoryError" in faults[0].text or faults[0].kind == "dead"


def test_a_file_that_never_finishes_loading_costs_the_game_and_is_not_tried_again() -> None:
    with Isolated(str(paths.HOSTILE / "sleeper_in_import.py"), ResourceLimits(load=1.5, clock=1)) as strategy:
        game, start = Game(GRAPH, PLANETWARS), time.monotonic()
        for _ in range(3):
            with pytest.raises(ForfeitError):
                strategy.begin(game, 1, 0)
        assert time.monotonic() - start < 1
        assert strategy.faults[0].kind == "load"


def test_printing_harms_nobody(hostile: Path) -> None:
    faults, ended, winner = play(hostile / "babbler.py", find_sandbox(), ResourceLimits(turn=5))
    assert (faults, ended, winner) == ([], "limit", 0)


def test_a_mess_is_cleared_away(
    hostile: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("folders")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    for sandbox in SANDBOXES:
        faults, *_ = play(hostile / "vandal.py", sandbox, ResourceLimits(turn=5))
        assert {fault.kind for fault in faults} == {"exception"}
    assert list(folder.iterdir()) == []


TEXTS = ("surrogate", "surrogate_answer", "escaper")
"""Strategies whose names, errors or answers are texts that nobody can write or show."""


def test_no_text_of_a_strategy_ends_a_tournament(hostile: Path, tmp_path: Path) -> None:
    """The games are kept, a second start finds all there, and names, faults and reports are printable."""
    unnamed = Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff\x1b.py"))
    shutil.copy(hostile / "surrogate.py", unnamed)
    names = [*(str(hostile / f"{name}.py") for name in TEXTS), str(unnamed)]
    contestants = list(map(contestant_of, ["noop", *names]))
    plan = TournamentPlan(contestants, [GRAPH], PLANETWARS, 2, 9, LIMITS, only={"noop"})
    with GameStore(tmp_path / "games.sqlite") as store:
        for _ in range(2):
            run_tournament(plan, store, jobs=1)
        close_strategies()
        standings = compute_standings(store, [one.name for one in plan.contestants])
    assert standings.played == 2 * len(names)
    assert {fault.strategy for *_, fault in standings.faults} == {*TEXTS, "bad\\udcff\\x1b"}
    assert all(re.sub(r"[\n\t]", "", fault.text).isprintable() for *_, fault in standings.faults)
    for written in (
        report.as_json,
        report.pairs_csv,
        report.standings_csv,
        report.as_markdown,
        lambda all_: "".join(tournament_pages(all_, "a title").values()),
    ):
        text = written(standings)
        assert text.encode().decode() == text
        assert text.replace("\n", "").isprintable()
        assert written is report.as_json or "<img" not in text


@usual_sandbox
def test_a_link_to_a_strategy_is_called_as_the_link(sandbox: Sandbox, tmp_path: Path) -> None:
    """Its target may be called anything, lie anywhere, and have no suffix."""
    target = Path(shutil.copy(SPREADER, tmp_path / "blob-5f2c"))
    link = tmp_path / "folder" / "mine.py"
    link.parent.mkdir()
    link.symlink_to(target)
    mine = contestant_of(str(link))
    assert mine.name == "mine"
    faults, *_ = play(mine.spec, sandbox, ResourceLimits(turn=10), 9)
    assert faults == []


def test_files_and_the_network_are_out_of_reach_where_there_is_a_sandbox(tmp_path: Path) -> None:
    """Without a sandbox the test proves that this would have been seen."""
    secret = tmp_path / "secret.txt"
    secret.write_text("the other team's strategy")
    for name in ("burglar.py", "caller.py"):
        text = (paths.HOSTILE / name).read_text()
        (tmp_path / name).write_text(text.replace('Path(__file__).parent / "secret.txt"', f"Path({str(secret)!r})"))
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        caller = (tmp_path / "caller.py").read_text().replace("int(Path_port())", str(port))
        (tmp_path / "caller.py").write_text(caller)
        for sandbox in SANDBOXES:
            confined = sandbox is not Sandbox.NONE
            for name, open_, shut in (("burglar", "secret.txt", "read []"), ("caller", "connected", "no connection")):
                assert (shut if confined else open_) in last_words(tmp_path / f"{name}.py", sandbox)


def test_files_that_cannot_be_read_are_a_fault_of_loading(tmp_path: Path) -> None:
    (tmp_path / "helper.py").symlink_to("/etc/passwd")
    (tmp_path / "mine.py").write_text("import helper")
    with Isolated(str(tmp_path / "mine.py")) as strategy:
        assert strategy.faults[0].kind == "load" and "is a link out of" in strategy.faults[0].text


def test_only_the_known_map_and_the_view_are_sent() -> None:
    game = Game(GRAPH, PLANETWARS)
    view = game.view(1)
    sent = protocol.decode(protocol.encode(protocol.turn(view)))
    asked = protocol.decode(protocol.encode(protocol.begin(KnownMap.of(GRAPH), 1, PLANETWARS, 0)))
    assert sent and asked
    assert protocol.read_view(sent, protocol.read_map(asked), view.player) == view
    assert len(sent["planets"]) == sum(planet.visible for planet in view.planets) < len(GRAPH.planets)
    assert all(set(place) == {"id", "x", "y"} for place in asked["planets"])


@pytest.mark.parametrize("rules", [PLANETWARS, SPACE_EXPLORERS])
def test_every_game_begins_from_the_same_state(rules) -> None:
    """No game knows of another: the same seed gives the same moves, whatever went before."""
    with Isolated(SPREADER, ResourceLimits(turn=10)) as strategy:
        games = [play_game((strategy, built_in("ai1")), GRAPH, rules, (seed, 2), 40) for seed in (1, 2, 1)]
    assert games[0].moves == games[2].moves != games[1].moves
    assert not any(game.faults[0] for game in games)


SPY = """
open_files = []
for fd in range(64):
    try:
        os.fstat(fd)
        open_files.append(fd)
    except OSError:
        pass
paths = sys.argv, sys.orig_argv[1:], [path for path in sys.path if "hers" in path]
raise RuntimeError(f"{paths}, {sorted(os.environ)}, {os.listdir('.')}, {len(open_files)} open files")
"""


def test_the_environment_of_the_owner_stays_with_the_owner(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("A_SECRET_TOKEN", "hidden")
    (tmp_path / "hers").mkdir()
    monkeypatch.syspath_prepend(tmp_path / "hers")
    (tmp_path / "spy.py").write_text(bot("Spy", above="import os\nimport sys", turn=SPY))
    for sandbox in SANDBOXES:
        (fault, *_), *_ = play(tmp_path / "spy.py", sandbox, ResourceLimits(turn=5), 9)
        assert "A_SECRET_TOKEN" not in fault.text and "PYTHONPATH" not in fault.text
        assert sandbox is Sandbox.NONE or str(tmp_path) not in fault.text.splitlines()[-1]
        assert "], [], 4 open files" in fault.text


def test_the_end_of_the_owner_is_the_end_of_its_strategies(hostile: Path) -> None:
    """The parent pipe: a killed owner cannot close anything, and yet nothing stays."""
    adopt_orphans()
    reading, writing = os.pipe()
    owner = os.fork()
    if owner == 0:
        Isolated(str(hostile / "family.py"), LIMITS)
        os.write(writing, b"up")
        time.sleep(60)
        os._exit(0)
    assert os.read(reading, 2) == b"up"
    assert left_behind()
    os.kill(owner, 9)
    os.waitpid(owner, 0)
    deadline = time.monotonic() + 10
    while supervised() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert supervised() == []


SEARCH = """
self.belief = self.belief or pw.Belief(view, pw.PLANETWARS, seed=1)
self.belief.update(view)
pw.rollout(self.belief.sample(), ('ai3', 'ai3'), turns=20)
return []
"""


def test_a_strategy_that_searches_finds_its_machine_code_ready(tmp_path: Path) -> None:
    """Compiling takes seconds of CPU time, and a turn has one."""
    file = tmp_path / "searcher.py"
    file.write_text(bot("Searcher", turn=SEARCH, belief=None))
    faults, ended, _ = play(file, find_sandbox(), ResourceLimits(turn=1.0), 8)
    assert ended == "limit" and not faults


def test_honest_strategies_are_unharmed_by_hostile_ones(tmp_path: Path, hostile: Path) -> None:
    """The same games between honest strategies, with and without hostile ones beside them, come out the same."""
    enemies = [str(hostile / f"{name}.py") for name in ("family", "alterer")]
    honest = [SPREADER, "random"]
    tables = []
    for folder, names in (("alone", honest), ("among", [*honest, *enemies])):
        limits = ResourceLimits(turn=0.5, begin=10, load=30, clock=4, faults=1)
        plan = TournamentPlan(list(map(contestant_of, names)), [GRAPH], PLANETWARS, 2, 60, limits, seed=0)
        with GameStore(tmp_path / f"{folder}.sqlite") as store:
            run_tournament(plan, store, jobs=1)
            close_strategies()
            tables.append(compute_standings(store, ["spreader", "random"]))
            if folder == "among":
                everybody = compute_standings(store, [one.name for one in plan.contestants])
                assert everybody.played == 4 * 3
    assert tables[0] == tables[1]
    assert not tables[1].faults
    assert {place.label for place in everybody.ranking if place.forfeits} == {"family", "alterer"}
    assert left_behind() == []


@every_sandbox
def test_nothing_of_a_game_is_there_in_the_next_one(sandbox: Sandbox, hostile: Path) -> None:
    with Isolated(str(hostile / "collector.py"), ResourceLimits(turn=5), sandbox) as strategy:
        for _ in range(2):
            faults = play_game((strategy, built_in("noop")), GRAPH, PLANETWARS, (1, 2), 9).faults[0]
            assert faults[0].text.splitlines()[-1] == "RuntimeError: found []"
            assert left_behind() == []


@usual_sandbox
def test_a_turn_that_takes_longer_than_its_limit_is_late(sandbox: Sandbox, hostile: Path) -> None:
    faults, ended, _ = play(hostile / "procrastinator.py", sandbox, replace(LIMITS, turn=0.3, clock=60))
    assert [fault.kind for fault in faults] == ["late"] * 3 and ended == "forfeit"


@every_sandbox
def test_processes_are_stopped_outside_the_turn_and_their_time_is_counted(sandbox: Sandbox, hostile: Path) -> None:
    with Isolated(str(hostile / "spinner.py"), LIMITS, sandbox) as strategy:
        strategy.begin(Game(GRAPH, PLANETWARS), 1, 0)
        process = strategy._process
        assert process is not None
        time.sleep(0.1)  # a signal takes its time to reach a thread on another processor
        before = process._tree.usage()
        time.sleep(1)
        assert process._tree.usage().seconds == before.seconds and before.tasks >= 8
        for _ in range(20):
            strategy.moves(Game(GRAPH, PLANETWARS))
        assert process._tree.usage().seconds > before.seconds and strategy.faults == []


@pytest.mark.parametrize(("name", "sandbox"), in_turn(["chain", "brood", "hog"], SANDBOXES))
def test_a_program_gains_nothing_by_processes_and_memory_that_are_hard_to_count(
    name: str, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(paths.HOSTILE / "programs" / f"{name}.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    limits = ResourceLimits(turn=10, memory=512 * 2**20)
    with Isolated(f"cmd:/usr/bin/env python3 {name}.py", limits, sandbox) as program:
        program.begin(Game(GRAPH, PLANETWARS), 1, 0)
        with contextlib.suppress(ForfeitError):
            for _ in range(200):
                program.moves(Game(GRAPH, PLANETWARS))
                time.sleep(0.02)  # the opponent's turn
    assert [fault.kind for fault in program.faults] == ["memory" if name == "hog" else "crowd"], program.faults


@usual_sandbox
def test_an_honest_strategy_beside_a_swarm_of_processes_is_not_late(sandbox: Sandbox, hostile: Path) -> None:
    """Twenty-four spinning processes cost their strategy the game; they make nobody else late."""
    limits = ResourceLimits(turn=0.5)
    with Isolated(str(hostile / "swarm.py"), limits, sandbox) as swarm, Isolated(SPREADER, limits, sandbox) as honest:
        outcome = play_game((swarm, honest), GRAPH, PLANETWARS, (1, 2), 40)
    assert outcome.winner == 2 and outcome.faults[1] == []
    assert outcome.faults[0][-1].kind == "crowd"
    assert left_behind() == []


LISTING = """
here, package = Path(__file__).parent, Path(pw.__file__)
beside = [p for p in os.listdir(here.parent) if p != here.name and not package.is_relative_to(here.parent / p)]
raise RuntimeError([WHO, sorted(os.listdir(here)), beside])
"""


@pytest.mark.parametrize(("form", "sandbox"), in_turn(["file", "folder", "zip", "module"], CONFINING))
def test_a_strategy_sees_its_own_files_and_no_others(
    form: str, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "team"
    folder.mkdir()
    above = "import os\nfrom pathlib import Path\nfrom helper import WHO"
    (folder / "strategy.py").write_text(bot("Listing", above=above, turn=LISTING))
    (folder / "helper.py").write_text(f"WHO = {form!r}")
    (tmp_path / "classmate.py").write_text("secret = 1")
    monkeypatch.chdir(folder)
    name = {
        "file": str(folder / "strategy.py"),
        "folder": str(folder),
        "zip": shutil.make_archive(str(tmp_path / "handed_in"), "zip", folder),
        "module": "strategy:Listing",
    }[form]
    with Isolated(name, ResourceLimits(turn=5), sandbox) as strategy:
        for _ in range(2):
            fault = play_game((strategy, built_in("noop")), GRAPH, PLANETWARS, (1, 2), 9).faults[0][0]
            assert fault.text.splitlines()[-1] == f"RuntimeError: {[form, ['helper.py', 'strategy.py'], []]}"
            shown = tmp_path / "handed_in.zip" if form == "zip" else folder
            assert f'File "{shown / "strategy.py"}", line 13, in take_turn\n    raise RuntimeError' in fault.text


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the strategy names calls by their numbers on x86-64")
@every_sandbox
def test_calls_that_only_an_attack_needs_are_refused(sandbox: Sandbox, hostile: Path) -> None:
    said = last_words(hostile / "sapper.py", sandbox)
    assert said == "RuntimeError: given []" if sandbox in CONFINING else "'clone'" in said and "'shmget'" in said, said


@pytest.mark.parametrize("sandbox", CONFINING, ids=lambda sandbox: sandbox.name)
def test_shipped_graphs_and_agents_are_out_of_sight(
    sandbox: Sandbox, hostile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a module's strategy too, which may read all folders that modules are found in, this checkout among them."""
    assert last_words(hostile / "reader.py", sandbox) == "RuntimeError: read 0, []"
    monkeypatch.syspath_prepend(hostile)
    monkeypatch.syspath_prepend(paths.ROOT)
    assert last_words("reader:Reader", sandbox) == "RuntimeError: read 0, []"


@pytest.mark.parametrize("sandbox", CONFINING, ids=lambda sandbox: sandbox.name)
def test_only_the_working_folder_can_be_written_and_little_of_that(sandbox: Sandbox, hostile: Path) -> None:
    said = last_words(hostile / "hoarder.py", sandbox)
    if sandbox is Sandbox.LANDLOCK:  # its folder lies on the disk, and each file may have 16 MiB
        assert re.fullmatch(r"RuntimeError: wrote \['(.*)'\], 64 MiB, HOME=\1", said)
    else:
        assert said == "RuntimeError: wrote ['/strategy'], 16 MiB, HOME=/strategy"
