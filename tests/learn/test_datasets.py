"""Recorded games: one recipe gives one digest, replaying gives what was recorded, and a damaged file is played again."""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.learn import datasets
from planetwars_env.learn.datasets import RECIPES, Dataset, Recipe, record
from support.command_line import run, succeed

SMALL = Recipe((("ai2", 1200), ("random", 600)), steps=60)


@pytest.fixture(scope="module")
def small() -> Dataset:
    return record("small", SMALL)


def test_a_recipe_gives_one_digest(small: Dataset) -> None:
    assert record("again", SMALL).digest == small.digest
    assert record("other", replace(SMALL, seed=1)).digest != small.digest
    assert len(small) == 1800 and [one.actions.shape for one in small.recordings] == [(60, 20, 21), (60, 10, 21)]


@pytest.mark.parametrize("form", ["tensors", "flat", "derived"])
def test_an_environment_that_is_given_the_actions_shows_the_same(small: Dataset, form: str) -> None:
    arguments = {"observation": form, "opponent": list(small.opponents), "graphs": "train"}
    envs = pw.PlanetWarsVectorEnv(20, autoreset_mode="SAME_STEP", **arguments)
    envs.set_opponents(list(datasets.SEEN))
    envs.set_opponents(list(datasets.UNSEEN), rows=[18, 19])
    observation, infos = envs.reset(seed=0)
    for step, _ in zip(small.steps(form, following=True), range(60), strict=False):
        shown = step.observation if isinstance(step.observation, dict) else {"": step.observation}
        for key, part in shown.items():
            np.testing.assert_array_equal(part, observation[key] if key else observation)
        np.testing.assert_array_equal(step.opponents, infos["opponent"])
        observation, rewards, terminated, _, infos = envs.step(step.actions)
        np.testing.assert_array_equal(step.rewards, rewards)
        np.testing.assert_array_equal(step.terminated, terminated)
        for row in np.flatnonzero(terminated):
            last, after = infos["final_obs"][row], step.following
            for key in last if isinstance(last, dict) else [""]:
                np.testing.assert_array_equal(last[key] if key else last, after[key][row] if key else after[row])


def test_splits_are_the_games_against_seen_and_unseen_opponents(small: Dataset) -> None:
    seen, unseen = (
        {int(o) for step in small.steps("flat", split) for o in step.opponents} for split in ("seen", "unseen")
    )
    assert {small.opponents[i] for i in seen} == {"random", "ai1", "ai3"}
    assert {small.opponents[i] for i in unseen} <= {"ai2", "advisor"}
    assert sum(len(step.actions) for step in small.steps("flat", "unseen")) == 60 * 2 + 60 * 1


def test_outcomes_are_the_results_of_the_games(small: Dataset) -> None:
    results: dict[int, int] = {}
    outcomes: dict[int, set[int]] = {}
    for step in small.steps("flat"):
        for game, outcome, reward, end in zip(step.games, step.outcomes, step.rewards, step.terminated, strict=True):
            outcomes.setdefault(int(game), set()).add(int(outcome))
            if end:
                results[int(game)] = int(reward)
    assert results and all(outcomes[game] == {result} for game, result in results.items())
    assert all(outcomes[game] == {0} for game in outcomes.keys() - results)
    assert (
        len(results)
        == small.games
        == sum(one["games"] for part in small.metadata()["opponents"].values() for one in part.values())
    )


def test_a_recording_is_kept_and_a_damaged_or_changed_one_is_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: Dataset
) -> None:
    monkeypatch.setitem(RECIPES, "small", replace(SMALL, digest=small.digest))
    path = tmp_path / "small.npz"
    first = pw.load_dataset("small", tmp_path)
    whole = path.read_bytes()
    assert first.digest == small.digest
    for data in (whole[:1000], b"no zip", b""):
        path.write_bytes(data)
        assert pw.load_dataset("small", tmp_path).digest == small.digest
        assert path.read_bytes()[:4] == whole[:4]
    monkeypatch.setitem(RECIPES, "small", replace(SMALL, seed=1, digest=record("other", replace(SMALL, seed=1)).digest))
    assert pw.load_dataset("small", tmp_path).digest == RECIPES["small"].digest
    monkeypatch.setitem(RECIPES, "small", replace(SMALL, digest=small.digest))
    assert pw.load_dataset("small", tmp_path).digest == small.digest


def test_other_games_than_those_of_the_benchmark_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RECIPES, "small", replace(SMALL, digest="0" * 16))
    with pytest.raises(ValueError, match=f"small has the digest .*, and {'0' * 16} in the benchmark"):
        pw.load_dataset("small", tmp_path)
    assert not list(tmp_path.iterdir())


def test_wrong_names_are_answered_with_the_known_ones(small: Dataset) -> None:
    with pytest.raises(ValueError, match=r"no data set 'ai3-1mm': choose one of random-1m.*did you mean 'ai3-1m'"):
        pw.load_dataset("ai3-1mm")
    with pytest.raises(ValueError, match="unknown observation 'graphs'"):
        next(small.steps("graphs"))
    with pytest.raises(ValueError, match="unknown split 'new'"):
        next(small.steps("flat", "new"))
    with pytest.raises(ValueError, match="cannot be recorded"):
        record("x", Recipe((("graph-planetwars-small+search", 100),), steps=10))


@pytest.mark.slow
def test_the_data_set_of_ai3_is_that_of_the_benchmark(tmp_path: Path) -> None:
    done = succeed("dataset", "ai3-1m", "--folder", tmp_path)
    assert RECIPES["ai3-1m"].digest in done.output and "16,853 games" in done.output.replace("\n", " ")


def test_planner_is_recorded_too() -> None:
    planned = record("planner", Recipe((("planner", 80),), steps=20))
    assert planned.recordings[0].actions.any() and len(list(planned.steps("flat"))) == 20


def test_the_list_and_a_wrong_name_in_the_shell() -> None:
    assert "mixed-1m" in run("dataset").output
    wrong = run("dataset", "ai9")
    assert wrong.exit_code == 1 and "there is no data set 'ai9'" in wrong.output


@pytest.mark.skipif(find_spec("minari") is not None, reason="minari is installed")
def test_without_minari_the_command_says_what_to_install(tmp_path: Path) -> None:
    done = run("dataset", "ai1-1m", "--minari", tmp_path)
    assert done.exit_code == 1 and "[minari]" in " ".join(done.output.split())


@pytest.mark.skipif(find_spec("minari") is None, reason='minari is not installed: pip install "planetwars-env[minari]"')
@pytest.mark.parametrize("form", ["tensors", "flat"])
def test_minari_reads_whole_games_as_they_were_recorded(
    small: Dataset, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import minari  # pyright: ignore[reportMissingImports]

    monkeypatch.setattr(datasets, "_EPISODES_AT_ONCE", 4)
    read = minari.load_dataset(datasets.write_minari(small, tmp_path, form, 10))
    assert read.total_episodes == 10
    first = min(end for end in np.argwhere(small.recordings[0].terminated | small.recordings[0].truncated).tolist())
    episode = read[0]
    assert len(episode.actions) == first[0] + 1 and episode.terminations[-1] | episode.truncations[-1]
    np.testing.assert_array_equal(episode.actions, small.recordings[0].actions[: first[0] + 1, first[1]])
