"""Contestants of a tournament: bots, agents and strategies, each with the fingerprint of its files."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from planetwars_env.arena import contestants
from planetwars_env.arena.contestants import (
    Submission,
    contestant_of,
    contestants_of,
    fingerprint_player,
    load_contestants,
    load_submissions,
)
from planetwars_env.arena.isolation import ResourceLimits
from support.paths import ROOT, SPREADER

isolates = pytest.mark.skipif(not hasattr(os, "fork"), reason="strategies are isolated on systems that fork")


def fingerprint(name: str | Path) -> str:
    return fingerprint_player(contestant_of(str(name)))


def test_a_file_is_known_by_its_name_and_its_content(tmp_path: Path) -> None:
    path = Path(shutil.copy(SPREADER, tmp_path))
    first = fingerprint(path)
    path.write_text(path.read_text() + "# changed\n")
    assert contestant_of(str(path)).name == "spreader"
    assert first != fingerprint(path)


def test_a_file_that_is_missing_is_told() -> None:
    with pytest.raises(ValueError, match="strategy file nobody"):
        contestant_of("nobody.py")


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
    assert first != fingerprint(copied)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package that bots' fingerprints are taken from."""
    copied = shutil.copytree(ROOT / "planetwars_env", tmp_path / "planetwars_env")
    monkeypatch.setattr(contestants, "PACKAGE", copied)
    monkeypatch.setattr(contestants, "_of_package", contestants._of_package.__wrapped__)
    return copied


def test_a_bot_stays_itself_when_comments_and_what_decides_no_game_are_edited(package: Path) -> None:
    before = fingerprint("ai1")
    for place in ("engine/turn.py", "bots/helpers.py", "sim/batch.py", "cli/main.py"):
        file = package / place
        file.write_text(f"{file.read_text()}\n# edited\n")
    (package / "sim" / "batch.py").write_text("edited = True\n")
    assert fingerprint("ai1") == before


@pytest.mark.parametrize(
    ("place", "old", "new"),
    [("engine/rules.py", "DEFENCE = 1.1", "DEFENCE = 1.2"), ("bots/bot_codes.py", '"ai1": AI1', '"ai1": AI2')],
)
def test_a_bot_is_another_when_a_rule_or_a_bot_is_edited(package: Path, place: str, old: str, new: str) -> None:
    before = fingerprint("ai1")
    file = package / place
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    assert fingerprint("ai1") != before


NAMED = "class Bot:\n    name = {name!r}\n    compete = {compete}\n    def take_turn(self, view):\n        return []\n"


def named(folder: Path, file: str, name: str, compete: bool = True) -> Path:
    path = folder / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(NAMED.format(name=name, compete=compete))
    return path


def names(*players: str | Path) -> list[str]:
    return [one.strategy for one in load_contestants(contestants_of([str(one) for one in players]), ResourceLimits())]


@isolates
def test_a_strategy_stands_under_its_own_name_and_its_file_where_that_is_shared(tmp_path: Path) -> None:
    red, blue, grey = (
        named(tmp_path, f"{file}.py", name) for file, name in (("a", "Red"), ("b", "Blue"), ("c", "red"))
    )
    assert names(red, blue, "ai1") == ["Red", "Blue", "ai1"]
    assert names(red, blue, grey) == ["Red (a.py)", "Blue", "red (c.py)"]
    same = [named(tmp_path, f"{team}/bot.py", "Red") for team in ("one", "two")]
    assert names(*same) == ["Red (one/bot.py)", "Red (two/bot.py)"]
    assert names(*same, red) == ["Red (one/bot.py)", "Red (two/bot.py)", "Red (a.py)"]


@isolates
@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("ai3", "ai3 (x.py)"),
        ("Random", "Random (x.py)"),
        ("  ", "Bot"),
        ("a\nb\x1b[31m", r"a\nb\x1b[31m"),
        ("y" * 999, "y" * 100),
    ],
)
def test_no_name_harms_a_table_or_is_mistaken_for_a_bots(said: str, shown: str, tmp_path: Path) -> None:
    assert names(named(tmp_path, "x.py", said), "noop")[0] == shown


@isolates
def test_long_shared_names_are_cut_and_keep_the_file(tmp_path: Path) -> None:
    found = names(*(named(tmp_path, f"{'z' * 90}{number}.py", "y" * 99) for number in (1, 2)))
    assert [(len(one), one[-5:]) for one in found] == [(98, "1.py)"), (98, "2.py)")]


@isolates
def test_those_that_do_not_compete_are_told(tmp_path: Path) -> None:
    found = contestants_of([str(named(tmp_path, "a.py", "Shy", compete=False)), "noop", "random"])
    competing = {one.strategy: one.competes for one in load_contestants(found, ResourceLimits())}
    assert competing == {"Shy": False, "noop": True, "random": True}


@isolates
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
    assert (
        "limit of memory may be too small: a strategy's process has 1024 MiB (--memory"
        in found[list(FAULTS).index("hungry")].reason
    )
