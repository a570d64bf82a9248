"""``planetwars demo``, run for real with few steps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import planetwars_env as pw
from planetwars_env.cli.main import app
from planetwars_env.learn.agent import load_agent
from planetwars_env.learn.config import load_config


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("demo") / "run"
    result = CliRunner().invoke(app, ["demo", "--steps", "8192", "--seed", "5", "--out", str(folder)])
    assert result.exit_code == 0, result.output
    return folder, result.output


def test_the_demo_leaves_agent_results_curve_and_story(demo: tuple[Path, str]) -> None:
    folder, _ = demo
    entries = json.loads((folder / "results.json").read_text())["results"]
    assert [(entry["opponent"], entry["games"]) for entry in entries] == [
        (name, 200) for name in ("random", "ai1", "ai2", "ai3")
    ]
    assert load_agent(folder).config.schedule.seed == 5
    assert (folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "replay.txt").read_text().startswith("run (player 1) against ai1 (player 2) on test/0")
    pw.Replay.load(folder / "replay.json").verify()


def test_the_demo_shows_its_progress_and_says_what_to_do_next(demo: tuple[Path, str]) -> None:
    folder, output = demo
    for part in ("steps/s", "player 1", "planetwars evaluate", "planetwars train", "tensorboard"):
        assert part in output
    assert str(folder) in output.replace("\n", "")


def test_a_second_demo_replaces_the_first(demo: tuple[Path, str], tmp_path: Path) -> None:
    for name in ("results.json", "replay.txt", "mine.txt"):
        (tmp_path / name).write_text("old")
    result = CliRunner().invoke(app, ["demo", "--steps", "4096", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert json.loads((tmp_path / "results.json").read_text())
    assert (tmp_path / "mine.txt").read_text() == "old"


def test_the_demo_stops_after_six_minutes_at_the_latest() -> None:
    assert load_config("demo").schedule.max_minutes == 6


def test_a_folder_that_cannot_be_written_is_one_sentence() -> None:
    result = CliRunner().invoke(app, ["demo", "--out", "/proc/nowhere"])
    assert result.exit_code == 1
    assert "/proc/nowhere" in result.output
