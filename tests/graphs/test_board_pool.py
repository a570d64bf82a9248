"""Boards of generated graphs: the same games as with all of them packed before, each made when a game first needs it."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.engine.columns import PLANETS
from support.arrays import assert_same
from support.environments import every_mode
from support.opponents import Chancy

POOL: dict[str, Any] = {"planets": (8, 30), "degree": (4, 9)}


def pool(count: int = 200) -> pw.GraphGenerator:
    return pw.GraphGenerator("classic", count=count, seed=3, **POOL)


def vec(graphs: Any, **arguments: Any) -> Any:
    limits = pw.Limits.covering(pool())
    return pw.PlanetWarsVectorEnv(12, graphs=graphs, limits=limits, max_turns=40, **arguments)


def made(envs: Any) -> int:
    return int((envs.board.info[:, PLANETS] > 0).sum())


@every_mode
@pytest.mark.parametrize("opponent", ["random", ["ai1", Chancy]], ids=["compiled", "mixed"])
def test_the_games_are_those_of_a_pool_made_before(mode: Any, opponent: Any) -> None:
    lazy, eager = (vec(graphs, opponent=opponent, autoreset_mode=mode) for graphs in (pool(), list(pool())))
    shown = [envs.reset(seed=5) for envs in (lazy, eager)]
    assert_same(*shown)
    assert 0 < made(lazy) <= 12 and made(eager) == 200
    rng = np.random.default_rng(0)
    for _ in range(60):
        actions = rng.integers(0, lazy.single_action_space.nvec, lazy.action_space.shape)
        shown = [envs.step(actions) for envs in (lazy, eager)]
        assert_same(*shown)
        if mode == mode.DISABLED and (ended := shown[0][2] | shown[0][3]).any():
            assert_same(*(envs.reset(options={"reset_mask": ended}) for envs in (lazy, eager)))
    assert 12 < made(lazy) < 200
    assert lazy.game(3).to_dict() == eager.game(3).to_dict()


def test_copies_and_pickles_go_on_as_they_would_have() -> None:
    envs = vec(pool(2**17), opponent="ai1")
    envs.reset(seed=1)
    actions = np.zeros(envs.action_space.shape, np.int64)
    for _ in range(7):
        envs.step(actions)
    text = pickle.dumps(envs)
    assert len(text) < 1_000_000  # the arrays of 12 rows, not the pool
    others = [copy.deepcopy(envs), pickle.loads(text)]
    for _ in range(50):
        expected = envs.step(actions)
        for other in others:
            assert_same(other.step(actions), expected)


def test_the_next_graphs_are_chosen_without_making_the_others() -> None:
    envs = vec(pool(2**17), opponent="ai1")
    envs.reset(seed=1)
    envs.set_graphs([5, "classic-12884901895"], weights=[1, 2])
    _, infos = envs.reset(seed=2)
    assert set(infos["graph"]) == {5, 7} and made(envs) <= 14
    env: Any = pw.make("PlanetWars-v0", graphs=pool(), limits=pw.Limits.covering(pool()), opponent="ai1")
    _, info = env.reset(options={"graph": "classic-12884902000"})
    assert info["graph"] == 112 and env.unwrapped.game.graph == pool()[112]


def test_a_new_graph_joins_the_pool() -> None:
    envs = vec(pool(40), opponent="ai1")
    envs.reset(seed=1)
    actions = np.zeros(envs.action_space.shape, np.int64)
    for _ in range(5):
        envs.step(actions)
    before = [envs.game(row).to_dict() for row in range(12)]
    envs.set_graphs("rings")
    assert [envs.game(row).to_dict() for row in range(12)] == before
    _, infos = envs.reset()
    assert set(infos["graph"]) == {40} and envs.game(0).graph == pw.load_graph("rings")


def test_more_graphs_than_there_is_room_for_are_refused() -> None:
    with pytest.raises(ValueError, match="has too many graphs: an environment takes at most 131072"):
        vec(pool(2**17 + 1))
    with pytest.raises(ValueError, match="makes graphs of up to planets 30, the limits allow 21"):
        pw.make("PlanetWars-v0", graphs=pool())


def test_room_to_simulate_on_does_not_depend_on_the_boards_that_are_made() -> None:
    batch = vec(pool(), opponent="ai1")._batch
    assert made(batch) == 0
    assert [array.shape[1:] for array in batch.empty_games(3)] == [array.shape[1:] for array in batch.state]
