"""Tables of Gymnasium environments: single, vector, and the layers between the compiled step and `VectorEnv.step`."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

import gymnasium

from planetwars_env.benchmark.measure import Labels, Table, Work, throughput_table
from planetwars_env.benchmark.settings import BenchmarkSettings
from planetwars_env.benchmark.workloads import POOL, batch_at_play, draw_actions, small_boards, step_all, vector_at_play

_NAME = "PlanetWars-v0"
_CARTPOLE = ("CartPole-v1",)
_SINGLE_STEPS, _VECTOR_STEPS = 256, 16
_MODES = {"native": "vector_entry_point", "SyncVectorEnv": "sync", "AsyncVectorEnv": "async"}
_CORE = "Batch.step"


def single_table(settings: BenchmarkSettings) -> Table:
    """Return the table of `gymnasium.make`; resets at the end of each episode count, as in a training loop."""
    arguments = {"opponent": "ai1", "graphs": POOL}
    kinds: dict[str, dict[str, Any]] = {
        _NAME: arguments,
        f"{_NAME}, flat": {**arguments, "observation": "flat"},
        f"{_NAME}, without make's wrappers": {**arguments, "unwrapped": True},
    }
    cases: dict[Labels, Any] = {_CARTPOLE: partial(_episodes, "CartPole-v1")}
    cases |= {(kind,): partial(_episodes, _NAME, **chosen) for kind, chosen in kinds.items()}
    return throughput_table(
        "single",
        'One environment from gymnasium.make: against ai1, pool test, actions="turn"; the ratio is to CartPole-v1',
        ("environment",),
        cases,
        {(kind,): _CARTPOLE for kind in kinds},
        unit="steps/s",
    )


@contextmanager
def _episodes(name: str, unwrapped: bool = False, **arguments: Any) -> Iterator[Work]:
    env = gymnasium.make(name, **arguments)
    env = env.unwrapped if unwrapped else env
    if isinstance(env.action_space, gymnasium.spaces.MultiDiscrete):
        actions = [action[0] for action in draw_actions(env.action_space, 1, _SINGLE_STEPS)]
    else:
        env.action_space.seed(0)
        actions = [env.action_space.sample() for _ in range(_SINGLE_STEPS)]
    env.reset(seed=0)

    def work() -> int:
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
        return len(actions)

    yield work
    env.close()


def vector_table(settings: BenchmarkSettings) -> Table:
    """Return the table of `gymnasium.make_vec` by mode; the CPU seconds leave out worker processes."""
    return throughput_table(
        "vector",
        f"gymnasium.make_vec with {settings.sync_games} games against ai1, pool test; the ratio is to SyncVectorEnv",
        ("vector environment",),
        {(name,): partial(_vector_steps, mode, settings.sync_games) for name, mode in _MODES.items()},
        {(name,): ("SyncVectorEnv",) for name in _MODES if name != "SyncVectorEnv"},
    )


@contextmanager
def _vector_steps(mode: str, games: int) -> Iterator[Work]:
    envs = gymnasium.make_vec(_NAME, games, vectorization_mode=mode, opponent="ai1", graphs=POOL)
    envs.reset(seed=0)
    actions = draw_actions(envs.single_action_space, games, _VECTOR_STEPS)
    yield lambda: games * step_all(envs, actions)
    envs.close()


def layers_table(settings: BenchmarkSettings) -> Table:
    """Return the table of the same games through more layers, and with limits of the prototype's size."""
    boards, small = small_boards()
    layers = {
        "VectorEnv.step, copy=False": {"copy": False},
        "VectorEnv.step": {},
        "VectorEnv.step, flat": {"observation": "flat"},
        "VectorEnv.step, order": {"actions": "order"},
    }
    cases: dict[Labels, Callable[[], AbstractContextManager[Work]]] = {}
    against: dict[Labels, Labels] = {}
    for threads in settings.threads:
        core, tiny = (_CORE, "CLASSIC", threads), (_CORE, "20 planets, degree 8", threads)
        batch = partial(batch_at_play, "random", settings.batch, threads, settings.settle)
        cases |= {core: batch, tiny: partial(batch, boards, small)}
        against[tiny] = core
        for layer, arguments in layers.items():
            labels = (layer, "CLASSIC", threads)
            cases[labels] = partial(vector_at_play, settings.batch, settings.settle, num_threads=threads, **arguments)
            against[labels] = core
    return throughput_table(
        "layers",
        f"Layers and limits: {settings.batch} games against random, pool test, with the ratio to {_CORE}",
        ("layer", "limits", "threads"),
        cases,
        against,
    )
