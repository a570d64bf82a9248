"""One game of a batch copied over another: all of it, and nothing of the games beside it."""

import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.engine.entry_points import copy_game
from planetwars_env.engine.state import State, allocate

pytestmark = pytest.mark.kernels


def filled(games: int, seed: int) -> State:
    """Games of other numbers everywhere."""
    rng = np.random.default_rng(seed)
    state = allocate(games, pw.Game(pw.load_graph("k4"))._board, slots=3)
    for array in state:
        array[...] = rng.integers(1, 1000, array.shape)
    return state


def test_a_game_is_copied_whole_and_its_neighbours_stay() -> None:
    source, target, before = filled(3, 1), filled(4, 2), filled(4, 2)
    copy_game(source, 1, target, 2)
    for given, got, old in zip(source, target, before, strict=True):
        assert np.array_equal(got[2], given[1])
        assert np.array_equal(got[[0, 1, 3]], old[[0, 1, 3]])
    for given, old in zip(source, filled(3, 1), strict=True):
        assert np.array_equal(given, old)
