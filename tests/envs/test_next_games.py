"""``set_opponents`` and ``set_graphs``: the next games of a vector environment, while the present ones go on."""

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import planetwars_env as pw
from support.arrays import assert_same
from support.environments import make_vec
from support.opponents import Chancy, Idle


def wait(observation: Any) -> Any:
    return np.zeros((len(observation["planets"]), 21), np.int64)


def drawn(venv: Any, key: str, resets: int = 40) -> np.ndarray:
    return np.array([venv.reset()[1][key] for _ in range(resets)])


def test_weights_are_the_frequencies_of_opponents_and_graphs() -> None:
    venv = make_vec(num_envs=50, opponent=["noop", "random", "ai1"], graphs=["duel", "k4", "line"])
    venv.reset(seed=0)
    venv.set_opponents(weights=[1, 0, 3])
    venv.set_graphs(weights=[0.5, 0.5, 0])
    opponents, graphs = drawn(venv, "opponent").ravel(), drawn(venv, "graph").ravel()
    assert np.bincount(opponents, minlength=3) / 2000 == pytest.approx([0.25, 0, 0.75], abs=0.04)
    assert np.bincount(graphs, minlength=3) / 2000 == pytest.approx([0.5, 0.5, 0], abs=0.045)


def test_rows_have_opponents_of_their_own_and_new_ones_come_last() -> None:
    policy = pw.FunctionPolicy(wait, name="waiting")
    venv = make_vec(num_envs=6, opponent="noop", graphs="rings", max_turns=6)
    venv.reset(seed=0)
    venv.set_opponents(["ai1", policy], rows=[0, 1, 2])
    venv.set_opponents(Chancy, rows=np.array([False] * 5 + [True]))
    venv.set_opponents(policy, rows=3)
    assert venv.opponents == ("noop", "ai1", "waiting", "chancy")
    seen = drawn(venv, "opponent")
    assert set(seen[:, :3].ravel()) == {1, 2}
    assert set(seen[:, 3]) == {2} and set(seen[:, 4]) == {0} and set(seen[:, 5]) == {3}
    for _ in range(8):
        venv.step(venv.action_space.sample())


def test_games_in_progress_go_on_though_larger_graphs_with_longer_flights_join_the_pool() -> None:
    arguments: dict[str, Any] = {"graphs": "duel", "opponent": ["ai2", Chancy], "observation": "flat", "max_turns": 60}
    changed, plain = (make_vec(num_envs=8, mode=AutoresetMode.DISABLED, **arguments) for _ in range(2))
    assert_same(changed.reset(seed=1), plain.reset(seed=1))
    rng = np.random.default_rng(0)
    for step in range(12):
        if step == 5:
            changed.set_graphs("validation")
            assert len(changed.graphs) == 51 and changed.state.people.shape[2] > plain.state.people.shape[2]
        action = rng.integers(0, 118, (8, 21))
        assert_same(changed.step(action), plain.step(action))
    graphs = drawn(changed, "graph", 5)
    assert graphs.min() >= 1 and len(set(graphs.ravel())) > 10


def test_a_seed_gives_the_same_games_with_the_same_weights_in_any_batch_and_the_old_ones_without() -> None:
    first, again, other = (make_vec(num_envs=n, opponent=["noop", "ai1"], graphs="fair") for n in (4, 9, 4))
    assert_same(first.reset(seed=3), other.reset(seed=3))
    for venv in (first, again):
        venv.set_opponents(["ai3", "ai1", "noop"], weights=[1, 1, 2])
        venv.set_graphs(range(10))
    one, two = first.reset(seed=3), again.reset(seed=3)
    assert_same(one[0], {key: part[:4] for key, part in two[0].items()})
    assert (one[1]["graph"] < 10).all()


def test_a_chosen_opponent_lasts_one_game_and_needs_no_weights() -> None:
    venv = make_vec(num_envs=3, opponent=["noop", "ai1"])
    venv.set_opponents("noop")
    assert venv.reset(seed=0, options={"opponent": "ai1"})[1]["opponent"].tolist() == [1, 1, 1]
    assert not venv.reset()[1]["opponent"].any()


def test_one_object_is_one_opponent() -> None:
    policy = pw.FunctionPolicy(wait, name="waiting")
    venv = make_vec(num_envs=2, opponent=[wait, policy, Chancy])
    for _ in range(2):
        venv.set_opponents([Chancy, wait, policy, "ai1"])
    assert len(venv.opponents) == 4


@pytest.mark.parametrize(
    ("call", "arguments", "message"),
    [
        ("set_opponents", {"weights": [1, 2, 3]}, "weights must be 2 numbers"),
        ("set_opponents", {"weights": [0, 0]}, "one of them above 0"),
        ("set_opponents", {"weights": [1, float("nan")]}, "weights must be 2 numbers"),
        ("set_opponents", {"opponents": 2}, "index of opponent must lie between 0 and 1"),
        ("set_opponents", {"opponents": "ai9"}, "unknown strategy 'ai9'"),
        ("set_opponents", {"opponents": Idle()}, "pass the class Idle"),
        ("set_opponents", {"rows": [7]}, "rows must be 3 booleans or indices from 0 to 2"),
        ("set_opponents", {"rows": [-1]}, "rows must be 3 booleans or indices from 0 to 2"),
        ("set_graphs", {"graphs": [9]}, "index of graph must lie between 0 and 0"),
        ("set_graphs", {"graphs": "large/0"}, "pass limits=pw.LARGE"),
        ("set_graphs", {"graphs": "nowhere"}, "there is no graph"),
    ],
)
def test_wrong_calls_are_told_and_change_nothing(call: str, arguments: dict[str, Any], message: str) -> None:
    venv = make_vec(num_envs=3, opponent=["noop", "ai1"], graphs="k4")
    before = venv.reset(seed=0)
    with pytest.raises(ValueError, match=message):
        getattr(venv, call)(**arguments)
    assert_same(before, venv.reset(seed=0))
    assert venv.opponents == ("noop", "ai1") and len(venv.graphs) == 1
