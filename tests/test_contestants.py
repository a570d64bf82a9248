"""Who takes part in a tournament: bots, agents and strategies, each with the print of what it is made of."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from planetwars_env.arena.contestants import contestant_of

ROOT = Path(__file__).resolve().parents[1]
SPREADER = ROOT / "tests" / "honest" / "spreader.py"


def test_a_file_is_known_by_its_name_and_its_content(tmp_path: Path) -> None:
    path = Path(shutil.copy(SPREADER, tmp_path))
    first = contestant_of(str(path))
    path.write_text(path.read_text() + "# changed\n")
    assert first.label == contestant_of(str(path)).label == "spreader"
    assert first != contestant_of(str(path))


def test_a_file_that_is_missing_is_told() -> None:
    with pytest.raises(ValueError, match="strategy file nobody"):
        contestant_of("nobody.py")


def test_a_class_of_a_module_is_known_by_its_name() -> None:
    assert contestant_of("honest.spreader:Spreader").label == "honest.spreader:Spreader"


def test_an_agent_is_known_by_its_weights_and_its_configuration(tmp_path: Path) -> None:
    copied = shutil.copytree(ROOT / "agents" / "graph-planetwars", tmp_path / "own")
    first = contestant_of(str(copied))
    assert first == contestant_of(str(copied)) != contestant_of("ai1")
    config = copied / "config.yaml"
    config.write_text(config.read_text() + "# changed\n")
    assert first != contestant_of(str(copied))
