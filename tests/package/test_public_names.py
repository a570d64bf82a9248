"""The front door: every public name, lazy, typed, printable, and complete for what a user does."""

import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import planetwars_env as pw
from planetwars_env.shipped import pip_line
from support.paths import ROOT

FOR_USERS = [
    "README.md",
    "docs/**/*.md",
    "agents/**/*.md",
    "graphs/*.md",
    "notebooks/*.ipynb",
    "notebooks/course/*.ipynb",
    "notebooks/course/solutions/*.py",
    "scripts/*.py",
    "scripts/examples/*.py",
    "planetwars_env/cli/template.py.txt",
    "planetwars_env/cli/template_test.py.txt",
]
"""All that users read and copy from. What verifies, researches and releases the project may look deeper."""
DEEPER = re.compile(r"\b(?:from|import)\s+planetwars_env\.[\w.]+")


@pytest.mark.parametrize("pages", FOR_USERS)
def test_users_are_shown_no_import_deeper_than_the_package(pages: str) -> None:
    found = sorted(ROOT.glob(pages))
    assert found
    assert DEEPER.findall("from planetwars_env.view import Move")
    assert [(page.name, line) for page in found for line in DEEPER.findall(page.read_text(encoding="utf-8"))] == []


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'gamee'; it has .*Game"):
        _ = pw.gamee  # pyright: ignore[reportAttributeAccessIssue]


def test_a_missing_library_is_answered_with_the_line_that_installs_it() -> None:
    for name, extra in (("load_agent", "agents"), ("train", "train"), ("SB3Policy", "train")):
        program = f"import sys; sys.modules['torch'] = None; import planetwars_env as pw; pw.{name}"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert f"pw.{name} needs torch, which is not installed: {pip_line(extra)}" in done.stderr


def test_games_by_hand_and_pages_to_watch_need_no_torch() -> None:
    """Nor safetensors: agents play in the page, by numbers of their own files."""
    program = """
import sys
sys.modules["torch"] = sys.modules["safetensors"] = None
import planetwars_env as pw
from planetwars_env.playing.server import make_app, running
print(pw.play()._repr_html_().count("<iframe"), pw.watch(pw.play_match("ai1", "ai2", "duel"))._repr_html_().count("<iframe"))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("1 1\n", "")


def test_results_print_as_a_sentence_with_the_interval() -> None:
    result = pw.evaluate("ai1", "random", graphs="duel", games=4)[0]
    assert str(result).startswith("random: ")
    assert str(result).endswith(" of 4 games won")
    assert repr(result) == f"Result({result})"
    assert result.total.interval == pytest.approx((0.51, 1.0), abs=0.01)


def test_games_views_graphs_and_replays_print_what_they_are() -> None:
    game = pw.Game(pw.load_graph("duel"))
    assert repr(game) == "Game(PLANETWARS on duel, turn 1, player 1 to move)"
    assert repr(game.view(1)).startswith("View(player 1 on turn 1: 1 own of ")
    replay = pw.play_match("ai1", "random", "duel", seed=0, max_turns=4)
    assert repr(replay) == "Replay(ai1 against random on duel: cut off on turn 4)"


def test_environments_come_from_the_front_door() -> None:
    env = pw.make("PlanetWars-v0", opponent="ai2", graphs="duel")
    assert isinstance(env.unwrapped, pw.PlanetWarsEnv)
    envs = pw.make_vec("PlanetWars-v0", num_envs=3, opponent="ai2", graphs="duel")
    assert isinstance(envs, pw.PlanetWarsVectorEnv)
    with pytest.raises(ValueError, match="unknown environment id 'PlanetWars-v9': choose one of PlanetWars-v0"):
        pw.make("PlanetWars-v9")
    with pytest.raises(ValueError, match="did you mean 'SpaceExplorers-v0'"):
        pw.make_vec("SpaceExplorer-v0")
    assert isinstance(pw.make("planetwars-V0", graphs="duel").unwrapped, pw.PlanetWarsEnv)


def test_a_run_knows_its_agent_folder_and_history(tmp_path: Path) -> None:
    run = pw.train("mlp", out=tmp_path / "first", steps=1)
    assert run.end == "done"
    assert run.folder == tmp_path / "first"
    assert run.agent.name == "first"
    assert run.history.training[-1]["steps"] == run.steps
    assert str(run).startswith(f"{run.folder}: done after ")
    assert repr(run) == f"Run({run})"
    assert repr(run.agent) == "Agent(first: mlp network for PlanetWars-v0, greedy)"
    assert repr(run.history) == f"History(1 updates, the last at {run.steps:,} steps; 0 measurements)"
    again = pw.train(out=run.folder, steps=run.steps + 1, resume=True)
    assert again.steps > run.steps


def test_a_tournament_is_one_call_that_prints_its_ranking(tmp_path: Path) -> None:
    play = partial(pw.tournament, ["ai1", "random"], graphs="duel", seed=0, jobs=1, disturb=False)
    played = play(games=4, out=tmp_path / "class")
    assert [place.label for place in played.standings.ranking] == ["ai1", "random"]
    first, second = str(played).split("\n\n")
    assert first.startswith("Ranking (")
    assert "ai1" in first
    assert second.startswith("Games that the row wins against the column")
    assert play(games=4, out=tmp_path / "class").standings == played.standings
    assert repr(played) == f"Tournament(ai1, random: 4 games, kept in {played.folder})"
    assert repr(played.standings).startswith("Standings(1. ai1 (")
    assert played.plot()._repr_png_().startswith(b"\x89PNG")
    played.plot().save(tmp_path / "matrix.png")
    with pytest.raises(ValueError, match=r"a win matrix is saved as .png, not as 'matrix.svg'"):
        played.plot().save(tmp_path / "matrix.svg")
    assert played.replay("ai1", "random", "duel").players == ("ai1", "random")
    with pytest.raises(ValueError, match=r"no game 0 of ai1 against random on 'rings'; these two played on duel$"):
        played.replay("ai1", "random", "rings")
    with pytest.raises(ValueError, match=r"no game 0 of ai2 .* these two did not play in this order"):
        played.replay("ai2", "random", "duel")
    with pytest.raises(ValueError, match="were not kept: pass out=FOLDER"):
        play(games=2).replay("ai1", "random", "duel")
