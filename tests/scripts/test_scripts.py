"""The pages of scripts/ run."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner, Result


def run(page: str, *arguments: object) -> Result:
    app = Typer()
    app.command()(importlib.import_module(f"scripts.{page}").main)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_player_is_measured() -> None:
    result = run("evaluate", "ai3", "--opponents", "random", "--graphs", "duel", "--games", 4)
    assert result.exit_code == 0, result.output
    assert "of 4 games won" in result.output and "as player 2: " in result.output


@pytest.mark.slow
def test_an_agent_is_trained_measured_and_filmed(tmp_path: Path) -> None:
    result = run("train", "demo", "--out", tmp_path / "run", "--steps", 4096, "--games", 2)
    assert result.exit_code == 0, result.output
    assert result.output.count("of 2 games won") == 3
    assert (tmp_path / "run" / "game.json").is_file()
