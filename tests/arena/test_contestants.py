"""Contestants of a tournament: bots, agents and strategies, each with the fingerprint of its files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from planetwars_env.arena import contestants
from planetwars_env.arena.contestants import contestant_of, fingerprint_player
from support.paths import ROOT, SPREADER


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
