"""``planetwars demo``, run for real with few steps and few games."""

import json
from pathlib import Path

import pytest

import planetwars_env as pw
from planetwars_env.cli import demo
from planetwars_env.learn.agent import load_agent
from planetwars_env.learn.config import load_config
from support.command_line import succeed


def test_a_demo_leaves_agent_results_curve_and_game_in_place_of_an_earlier_one_and_says_what_to_do_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "_GAMES", 4)
    for name in ("results.json", "mine.txt"):
        (tmp_path / name).write_text("old")
    result = succeed("demo", "--steps", "4096", "--seed", "5", "--out", tmp_path)
    entries = json.loads((tmp_path / "results.json").read_text())["results"]
    assert [(one["opponent"], one["games"]) for one in entries] == [
        (name, 4) for name in ("random", "ai1", "ai2", "ai3")
    ]
    assert load_agent(tmp_path).config.schedule.seed == 5
    assert (tmp_path / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert pw.Replay.load(tmp_path / "replay.json", verify=True).players == (tmp_path.name, "ai1")
    assert (tmp_path / "replay.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "mine.txt").read_text() == "old"
    for part in ("steps/s", "player 1", "planetwars evaluate", "planetwars train", "tensorboard"):
        assert part in result.output
    assert str(tmp_path) in result.output.replace("\n", "")


def test_the_demo_plays_200_games_an_opponent_and_stops_after_six_minutes_at_the_latest() -> None:
    assert demo._GAMES == 200 and load_config("demo").schedule.max_minutes == 6
