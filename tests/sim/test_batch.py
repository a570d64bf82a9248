"""Faults that only a batch can have: memory that grows, arrays in common, masks that are asked for late."""

import copy
import gc
import itertools
import os
import pickle
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import planetwars_env as pw
from planetwars_env.envs.arguments import EnvArguments
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.setup import Autoreset
from support.arrays import arrays_in, assert_same
from support.environments import make, make_vec
from support.opponents import Chancy

SAME = AutoresetMode.SAME_STEP


def resident() -> int:
    """Bytes of memory this process holds, 0 where the system does not tell."""
    pages = Path("/proc/self/statm")
    return int(pages.read_text().split()[1]) * os.sysconf("SC_PAGESIZE") if pages.exists() else 0


def grown_by(play: Callable[[], Any], warm_up: int, times: int) -> tuple[int, int]:
    """The bytes that ``times`` calls leave behind: as Python and NumPy count them, and as the system does."""
    for _ in range(warm_up):
        play()
    tracemalloc.start()
    try:
        play()
        gc.collect()
        before, held = tracemalloc.get_traced_memory()[0], resident()
        for _ in range(times):
            play()
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before, resident() - held
    finally:
        tracemalloc.stop()


def one_game(actions: str) -> Any:
    return gymnasium.wrappers.Autoreset(make(actions=actions, opponent="random", max_turns=20))


LEAKLESS: dict[str, tuple[Callable[[], Any], Any, int, int]] = {
    "1,024 games": (
        lambda: make_vec(num_envs=1024, mode=SAME, opponent=["random", "ai1"], max_turns=60, observation="flat"),
        np.full((1024, 21), 3), 50, 300,
    ),
    "turns": (lambda: one_game("turn"), np.full(21, 3), 500, 15_000),
    "orders": (lambda: one_game("order"), 3, 500, 15_000),
    "strategies": (
        lambda: make_vec(num_envs=16, mode=SAME, opponent=Chancy, max_turns=6, graphs="rings"),
        np.zeros((16, 21), np.int64), 20, 150,
    ),
    "memories": (
        lambda: pw.make_sb3_vec_env(num_envs=64, memory=True, observation="tensors", graphs="rings", max_turns=20),
        np.zeros((64, 21), np.int64), 50, 1000,
    ),
}  # fmt: skip
"""Environments, an action, and how many of them are played before and while memory is measured."""


@pytest.mark.parametrize("kind", LEAKLESS)
def test_steps_leak_nothing_though_games_end_and_begin(kind: str) -> None:
    make_env, action, warm_up, steps = LEAKLESS[kind]
    env = make_env()
    env.reset()
    counted, held = grown_by(lambda: env.step(action), warm_up, steps)
    assert counted < 100_000 and held < 20_000_000


@pytest.mark.parametrize(("arguments", "threads"), [({}, 1), ({"privileged": True}, 1), ({"opponent": "self"}, 3)])
def test_no_two_arrays_of_a_call_share_memory(arguments: dict[str, Any], threads: int) -> None:
    """The kernel is compiled as if they never did, and checks nothing (engine/kernel.py)."""
    setup = EnvArguments(**arguments).setup(Autoreset.SAME_STEP)
    batch, masked = (Batch(6, setup, threads) for _ in range(2))
    masked.show_masks()
    for one in (batch, masked, copy.deepcopy(masked), pickle.loads(pickle.dumps(masked))):
        one.reset()
        for call in itertools.chain(*one._calls):
            arrays = list(arrays_in(call.args))
            assert sum(array.size > 0 for array in arrays) >= 20
            shared = [pair for pair in itertools.combinations(arrays, 2) if np.may_share_memory(*pair)]
            assert not shared


@pytest.mark.parametrize("rules", ["PLANETWARS", "SPACE_EXPLORERS"])
@pytest.mark.parametrize("more", [{}, {"sends": 2}, {"actions": "order", "max_orders": 3}])
def test_masks_asked_for_late_are_those_that_were_written_from_the_start(rules: str, more: dict[str, Any]) -> None:
    """And what is legal does not depend on them, although half of the choices are drawn without a look at any."""
    arguments = EnvArguments(rules, opponent="ai2", graphs="test", player="random", max_turns=12, **more)
    early, late = (Batch(40, arguments.setup(Autoreset.SAME_STEP)) for _ in range(2))
    early.show_masks()
    for batch in (early, late):
        batch.seed(3)
        batch.reset()
    rng, slots = np.random.default_rng(0), early.actions.shape[1]
    for _ in range(50):
        masks = early.current.mask.reshape(40, slots, -1)
        legal = (masks * rng.random(masks.shape)).argmax(2)
        actions = np.where(rng.random(legal.shape) < 0.5, legal, rng.integers(-2, masks.shape[2] + 2, legal.shape))
        for batch in (early, late):
            batch.actions[:] = actions
            batch.step()
        assert np.array_equal(early.observation(), late.observation())
    assert late.buffers.mask.size == 0
    assert_same((*early.current, *early.final), (*late.current, *late.final))
