"""Workloads of the benchmark: batches and environments in mid-game, stepped with actions drawn beforehand."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from typing import Any

import numpy as np
from gymnasium import spaces

from planetwars_env.benchmark.measure import Work
from planetwars_env.codec.limits import CLASSIC, FRACTIONS, Limits
from planetwars_env.engine.state import Array
from planetwars_env.envs.arguments import EnvArguments
from planetwars_env.envs.spaces import action_space
from planetwars_env.envs.vector import PlanetWarsVectorEnv
from planetwars_env.graphs.catalogue import load_pool
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.setup import Autoreset

POOL = "test"
"""Graphs of all tables that do not vary them."""
_WAIT = 0.5  # fraction of planets that send nobody
_WAYS = 3  # edges of a planet on a classic graph, about
_STEPS = 16384  # actions drawn beforehand, counted over all games


def draw_actions(space: spaces.Space[Any], games: int, steps: int | None = None) -> list[Array]:
    """Return ``steps`` arrays of random actions for ``games`` games, most of them legal: waiting, or a low edge slot."""
    rng = np.random.default_rng(0)
    steps = steps or max(4, min(256, _STEPS // games))
    if isinstance(space, spaces.MultiDiscrete):
        shape, ways = (steps, games, len(space.nvec)), min(_WAYS, int(space.nvec[0] - 1) // len(FRACTIONS))
    else:
        assert isinstance(space, spaces.Discrete)
        shape, ways = (steps, games), int(space.n - 1) // (2 * len(FRACTIONS))
    sends = 1 + rng.integers(ways * len(FRACTIONS), size=shape)
    return list(np.where(rng.random(shape) < _WAIT, 0, sends))


@contextmanager
def batch_at_play(
    opponent: str, games: int, threads: int = 1, settle: int = 0, graphs: Any = POOL, limits: Limits = CLASSIC
) -> Iterator[Work]:
    """Yield work on `Batch.step` of ``games`` games; the unit is the step of one environment."""
    batch, actions = open_batch(opponent, games, threads, settle, graphs, limits)
    yield lambda: games * step_batch(batch, actions)


def open_batch(
    opponent: str, games: int, threads: int = 1, settle: int = 0, graphs: Any = POOL, limits: Limits = CLASSIC
) -> tuple[Batch, list[Array]]:
    """Return a batch whose games are 0 to ``settle`` steps old, evenly spread, and actions for it."""
    setup = EnvArguments(opponent=opponent, graphs=graphs, limits=limits).setup(Autoreset.SAME_STEP)
    batch = Batch(games, setup, threads)
    batch.seed(0)
    batch.reset()
    actions = draw_actions(action_space(setup), games)
    spread_ages(settle, games, actions, lambda action: play_step(batch, action), batch.reset)
    return batch, actions


def play_step(batch: Batch, action: Array) -> None:
    """Step every game once."""
    batch.actions[:] = action
    batch.step()


def step_batch(batch: Batch, actions: Sequence[Array]) -> int:
    """Step once per action; return the number of steps."""
    for action in actions:
        play_step(batch, action)
    return len(actions)


@contextmanager
def vector_at_play(games: int, settle: int, **arguments: Any) -> Iterator[Work]:
    """Yield work on `PlanetWarsVectorEnv.step`; the unit is the step of one environment."""
    chosen: Any = {"graphs": POOL, **arguments}
    envs = PlanetWarsVectorEnv(games, **chosen)
    envs.reset(seed=0)
    actions = draw_actions(envs.single_action_space, games)
    spread_ages(
        settle, games, actions, lambda action: envs.step(action), lambda rows: envs.reset(options={"reset_mask": rows})
    )
    yield lambda: games * step_all(envs, actions)
    envs.close()


def step_all(envs: Any, actions: Sequence[Array]) -> int:
    """Step environments once per action; return the number of steps."""
    for action in actions:
        envs.step(action)
    return len(actions)


def spread_ages(
    settle: int,
    games: int,
    actions: Sequence[Array],
    step: Callable[[Array], Any],
    reset: Callable[[Array], Any],
) -> None:
    """Play ``settle`` steps and reset some games after each of them, so that games have different ages."""
    order = np.arange(games) * settle // games
    for age, action in zip(range(settle), cycle(actions), strict=False):
        step(action)
        if (order == age).any():
            reset(order == age)


def small_boards() -> tuple[list[Any], Limits]:
    """Return the pool's graphs with up to 20 planets of degree 8, and limits of about the prototype's size."""
    boards = [
        graph
        for graph in load_pool(POOL)
        if len(graph.planets) <= 20 and max(graph.degree(planet.id) for planet in graph.planets) <= 8
    ]
    return boards, Limits(20, max(len(graph.edges) for graph in boards), 8, horizon=6)
