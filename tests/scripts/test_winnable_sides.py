"""scripts/research/winnable_sides.py: which sides of a pool are ever won."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from planetwars_env.shipped import data_root
from scripts.release.zoo_recording import OBSERVATIONS, Recording
from scripts.research.winnable_sides import drawing, winnable_sides

# Player 1's base stands between player 2's and every other planet, and grows ten times as fast.
UNFAIR = """graph "unfair" {
  1 [ habit = 30, size = 900, base = 1 ]
  2 [ habit = 3, size = 20, base = 2 ]
  3 [ habit = 30, size = 900 ]
  1 -- 2 [ weight = 2 ]
  1 -- 3 [ weight = 1 ]
}
"""


def run(*arguments: object):
    app = Typer()
    app.command()(winnable_sides)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def unfair(tmp_path: Path) -> Path:
    path = tmp_path / "unfair.dot"
    path.write_text(UNFAIR)
    return path


def test_a_side_that_nobody_wins_is_counted_as_such(unfair: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "seats.json"
    result = run("ai2", "ai3", "planner", "--graphs", unfair, "--tries", 2, "--out", out)
    assert result.exit_code == 0, result.output
    found = json.loads(out.read_text())
    assert found == {"tries": 2, "wins": {name: {"0/1": 2, "0/2": 0} for name in ("ai2", "ai3", "planner")}}
    assert result.output.count("1 of 2") == 3
    assert result.output.count("1 (50.0%)") == 3


def test_an_agent_draws_its_choices_so_that_its_games_differ() -> None:
    shown = Recording.load(data_root("agents") / "graph-planetwars" / OBSERVATIONS).observations
    agent = drawing("graph-planetwars")
    assert (agent.act(shown) != agent.act(shown)).any()
    assert drawing("ai2").name == "ai2"
