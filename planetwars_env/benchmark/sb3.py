"""The native VecEnv of Stable-Baselines3 beside DummyVecEnv of the single environment: a step and its masks."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import gymnasium
import numpy as np

from planetwars_env.benchmark.measure import Table, Work, throughput
from planetwars_env.benchmark.plan import Plan
from planetwars_env.benchmark.play import POOL, draw_actions
from planetwars_env.benchmark.sb3_yardsticks import dummy_vec_env
from planetwars_env.envs.sb3 import make_sb3_vec_env

_NAME = "PlanetWars-v0"
_DUMMY = "DummyVecEnv"
_STEPS = 4


def table(plan: Plan) -> Table:
    """`VecEnv.step` and the masks that MaskablePPO asks for before each."""
    probes, against = [], {}
    for actions in ("turn", "order"):
        arguments = {"opponent": "ai1", "graphs": POOL, "observation": "flat", "actions": actions}
        for name in ("native", _DUMMY):
            probes.append(throughput((name, actions), partial(_steps, name, plan.sb3_games, arguments)))
        against["native", actions] = (_DUMMY, actions)
    return Table(
        name="sb3",
        title=f"VecEnv.step and action_masks: {plan.sb3_games} games against ai1, pool test, flat",
        unit="env steps/s",
        axes=("VecEnv", "actions"),
        probes=probes,
        against=against,
    )


@contextmanager
def _steps(name: str, games: int, arguments: dict[str, Any]) -> Iterator[Work]:
    if name == _DUMMY:
        env = dummy_vec_env([partial(gymnasium.make, _NAME, **arguments)] * games)
        masks = lambda: np.stack(env.env_method("action_masks"))  # noqa: E731
    else:
        env = make_sb3_vec_env(_NAME, games, **arguments)
        masks = env.action_masks
    env.seed(0)
    env.reset()
    drawn = draw_actions(env.action_space, games, _STEPS)

    def work() -> int:
        for action in drawn:
            masks()
            env.step(action)
        return games * len(drawn)

    yield work
    env.close()
