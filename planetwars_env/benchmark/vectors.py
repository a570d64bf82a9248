"""The native vector environment beside SyncVectorEnv and AsyncVectorEnv of the single one."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import gymnasium

from planetwars_env.benchmark.measure import Table, Work, throughput
from planetwars_env.benchmark.plan import Plan
from planetwars_env.benchmark.play import POOL, draw_actions, step_all

_MODES = {"native": "vector_entry_point", "SyncVectorEnv": "sync", "AsyncVectorEnv": "async"}
_STEPS = 16


def table(plan: Plan) -> Table:
    """All from `gymnasium.make_vec`, which differs in its mode alone. Worker processes are not in the CPU seconds."""
    return Table(
        name="vectors",
        title=f"gymnasium.make_vec with {plan.sync_games} games against ai1, pool test; the ratio is to SyncVectorEnv",
        unit="env steps/s",
        axes=("vector environment",),
        probes=[throughput((name,), partial(_steps, mode, plan)) for name, mode in _MODES.items()],
        against={(name,): ("SyncVectorEnv",) for name in _MODES if name != "SyncVectorEnv"},
    )


@contextmanager
def _steps(mode: str, plan: Plan) -> Iterator[Work]:
    games = plan.sync_games
    envs = gymnasium.make_vec("PlanetWars-v0", games, vectorization_mode=mode, opponent="ai1", graphs=POOL)
    envs.reset(seed=0)
    actions = draw_actions(envs.single_action_space, games, _STEPS)
    yield lambda: games * step_all(envs, actions)
    envs.close()
