"""The pages of scripts/ run."""

from __future__ import annotations

import importlib
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner, Result

from support.paths import ROOT


def run(page: str, *arguments: object) -> Result:
    app = Typer()
    app.command()(importlib.import_module(f"scripts.{page}").main)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_player_is_measured() -> None:
    result = run("evaluate", "ai3", "--opponents", "random", "--graphs", "duel", "--games", 4)
    assert result.exit_code == 0, result.output
    assert "of 4 games won" in result.output and "as player 2: " in result.output


def test_the_example_for_textarena_says_in_one_sentence_what_is_not_installed() -> None:
    line = [sys.executable, str(ROOT / "scripts" / "examples" / "textarena_two_players.py"), "--help"]
    answer = subprocess.run(line, capture_output=True, text=True, timeout=100)
    installed = find_spec("textarena") is not None
    assert (answer.returncode, answer.stderr) == (
        (0, answer.stderr) if installed else (1, "Error: textarena is not installed: pip install textarena\n")
    )


@pytest.mark.slow
def test_an_agent_is_trained_measured_and_filmed(tmp_path: Path) -> None:
    result = run("train", "demo", "--out", tmp_path / "run", "--steps", 4096, "--games", 2)
    assert result.exit_code == 0, result.output
    assert result.output.count("of 2 games won") == 3
    assert (tmp_path / "run" / "game.json").is_file()
