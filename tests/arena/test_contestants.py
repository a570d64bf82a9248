"""Contestants of a tournament: bots, agents and strategies, each with the fingerprint of its files."""

import re
import shutil
from pathlib import Path

import pytest

from planetwars_env.arena import contestants
from planetwars_env.arena.contestants import (
    Submission,
    contestant_of,
    distinct_names,
    fingerprint_player,
    load_contestants,
    load_players,
    load_submissions,
)
from planetwars_env.arena.isolation import ResourceLimits
from planetwars_env.bots.catalogue import Kind, Player
from support.paths import ROOT, SPREADER
from support.strategy_files import bot, needs_fork


def fingerprint(name: str | Path) -> str:
    return fingerprint_player(contestant_of(str(name)))


@pytest.mark.parametrize("name", [str(SPREADER), "some.module:Class"])
def test_a_foreign_strategy_is_refused_where_it_cannot_be_confined(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contestants.sys, "platform", "win32")
    with pytest.raises(ValueError, match=r"needs Linux.*evaluate"):
        contestant_of(name)
    assert contestant_of("ai1").name == "ai1"


def test_a_class_of_a_module_is_known_by_its_name() -> None:
    assert contestant_of("honest.spreader:Spreader").name == "honest.spreader:Spreader"


def test_an_agent_is_known_by_its_weights_and_its_configuration(tmp_path: Path) -> None:
    copied = shutil.copytree(ROOT / "agents" / "graph-planetwars", tmp_path / "own")
    first = fingerprint(copied)
    assert first == fingerprint(copied) != fingerprint("ai1")
    config = copied / "config.yaml"
    config.write_text(config.read_text() + "# changed\n")
    changed = fingerprint(copied)
    shutil.copy(ROOT / "agents" / "graph-all" / "weights.safetensors", copied)
    assert len({first, changed, fingerprint(copied)}) == 3


@pytest.mark.parametrize(
    ("edits", "another"),
    [
        ({"engine/turn.py": ("", "# edited\n"), "sim/batch.py": ("", "edited = True\n")}, False),
        ({"engine/rules.py": ("DEFENCE = 1.1", "DEFENCE = 1.2")}, True),
        ({"bots/bot_codes.py": ('"ai1": AI1', '"ai1": AI2')}, True),
    ],
    ids=["comments and what decides no game", "a rule", "a bot"],
)
def test_a_bot_is_another_when_a_rule_or_a_bot_is_edited(
    edits: dict[str, tuple[str, str]], another: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("engine", "bots", "codec", "sim"):
        shutil.copytree(
            ROOT / "planetwars_env" / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__")
        )
    monkeypatch.setattr(contestants, "PACKAGE", tmp_path)
    monkeypatch.setattr(contestants, "_of_package", contestants._of_package.__wrapped__)
    before = fingerprint("ai1")
    for place, (old, new) in edits.items():
        text = (tmp_path / place).read_text()
        assert old in text
        (tmp_path / place).write_text(text.replace(old, new, 1))
    assert (fingerprint("ai1") != before) == another


def named(folder: Path, file: str, name: str, compete: bool = True) -> Path:
    path = folder / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(bot("Bot", name=name, compete=compete))
    return path


def names(*players: str | Path) -> list[str]:
    return [one.name for one in load_players([contestant_of(str(one)) for one in players], ResourceLimits())]


@needs_fork
def test_strategies_stand_under_their_own_names_which_harm_no_table_and_are_not_mistaken_for_a_bots(
    tmp_path: Path,
) -> None:
    said = {
        "Red": "Red",
        "ai3": "ai3 (x1.py)",
        "Random": "Random (x2.py)",
        "  ": "Bot",
        "a\nb\x1b[31m": r"a\nb\x1b[31m",
        "y" * 999: "y" * 100,
    }
    files = [named(tmp_path, f"x{number}.py", name) for number, name in enumerate(said)]
    assert names(*files, "ai1") == [*said.values(), "ai1"]


def test_a_name_that_is_shared_stands_with_its_file(tmp_path: Path) -> None:
    def shown(*places: str) -> list[str]:
        labels = {"b.py": "Blue", "c.py": "red"}
        return [one.name for one in distinct_names([Player(labels.get(p, "Red"), Kind.FILES, p) for p in places])]

    assert shown("a.py", "b.py", "c.py") == ["Red (a.py)", "Blue", "red (c.py)"]
    assert shown("one/bot.py", "two/bot.py") == ["Red (one/bot.py)", "Red (two/bot.py)"]
    assert shown("one/bot.py", "two/bot.py", "a.py") == ["Red (one/bot.py)", "Red (two/bot.py)", "Red (a.py)"]
    long = [Player("y" * 99, Kind.FILES, f"{'z' * 90}{number}.py") for number in (1, 2)]
    assert [(len(one.name), one.name[-5:]) for one in distinct_names(long)] == [(98, "1.py)"), (98, "2.py)")]


@needs_fork
def test_those_that_do_not_compete_are_told(tmp_path: Path) -> None:
    places = str(named(tmp_path, "a.py", "Shy", compete=False)), "noop", "random"
    found = [Submission("", place, contestant_of(place)) for place in places]
    competing = {one.strategy: one.competes for one in load_contestants(found, ResourceLimits())}
    assert competing == {"Shy": False, "noop": True, "random": True}


@needs_fork
def test_all_that_cannot_be_loaded_are_told_with_their_own_lines_first(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("x = 1\ny = x / 0\n")
    (tmp_path / "a.py").write_text("import helper\n")
    (tmp_path / "b.py").write_text("def broken(:\n")
    (tmp_path / "c.py").write_text("x = 1\n")
    with pytest.raises(ValueError, match="no game was played, because") as caught:
        names(*(tmp_path / f"{one}.py" for one in "abc"), "noop")
    said = str(caught.value).splitlines()
    assert said[1] == f"{tmp_path / 'a.py'} cannot be loaded: "
    assert said[2:5] == [
        "    Traceback (most recent call last):",
        f'      File "{tmp_path / "a.py"}", line 1, in <module>',
        "        import helper",
    ]
    assert any(line.startswith("    ZeroDivisionError: division by zero (helper.py, line ") for line in said), said
    assert any(line.endswith("SyntaxError: invalid syntax (b.py, line 1)") for line in said)
    assert any("c.py must hold a class with a take_turn method" in line for line in said)
    assert not any("planetwars_env" in line for line in said)


FAULTS = {
    "endless": ("while True: pass", "loading does not end: look for a loop or a sleep outside of the class"),
    "unclosed": (
        "class Mine:\n    def take_turn(self, view):\n        return (\n",
        r"was never closed \(unclosed.py, line 3\)",
    ),
    "deep": (
        "class Deep:\n    def __init__(self, depth): pass\n    def take_turn(self, view): return []\n",
        r"Deep\(\) needs the argument depth",
    ),
    "camel": ("class Camel:\n    def takeTurn(self, view): return []\n", "you wrote takeTurn: name it take_turn"),
    "camel on the base class": (
        "import planetwars_env as pw\nclass Camel(pw.Strategy):\n    def takeTurn(self, view): return []\n",
        "you wrote takeTurn: name it take_turn",
    ),
    "hungry": ("import numpy\nheld = numpy.ones(2**31)\n", "numpy|Memory|allocate"),
}


def test_what_cannot_be_loaded_is_told_in_its_last_line(tmp_path: Path) -> None:
    for name, (text, _) in FAULTS.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "damaged.zip").write_bytes(b"PK\x03\x04 and nothing more")
    paths = [*(tmp_path / f"{name}.py" for name in FAULTS), tmp_path / "damaged.zip"]
    limits = ResourceLimits(load=1, clock=3, memory=1024 * 2**20)
    found = load_submissions([Submission("", "", contestant_of(path)) for path in paths], limits)
    for one, said in zip(
        found, [*(said for _, said in FAULTS.values()), "damaged.zip cannot be unpacked"], strict=True
    ):
        assert re.search(said, one.reason.splitlines()[-1]), one.reason
    hungry = found[list(FAULTS).index("hungry")].reason
    assert "limit of memory may be too small: a strategy's process has 1024 MiB (--memory" in hungry
