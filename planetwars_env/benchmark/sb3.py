"""Tables of Stable-Baselines3: the native VecEnv compared with DummyVecEnv, and with a VecEnv that does nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from planetwars_env.benchmark.measure import Table, Work, throughput_table
from planetwars_env.benchmark.settings import BenchmarkSettings
from planetwars_env.benchmark.workloads import POOL, draw_actions
from planetwars_env.envs.sb3 import make_sb3_vec_env

_NAME = "PlanetWars-v0"
_NATIVE, _DUMMY, _IDLE = "native", "DummyVecEnv", "does nothing"
_ACTIONS = ("turn", "order")
_STEPS, _ROLLOUT_STEPS = 4, 8


def step_table(settings: BenchmarkSettings) -> Table:
    """Return the table of `VecEnv.step` with the masks that MaskablePPO asks for before each step."""
    cases = product((_NATIVE, _DUMMY), _ACTIONS)
    return throughput_table(
        "sb3",
        f"VecEnv.step and action_masks: {settings.sb3_games} games against ai1, pool test, flat",
        ("VecEnv", "actions"),
        {case: partial(_steps, *case, settings.sb3_games) for case in cases},
        {(_NATIVE, actions): (_DUMMY, actions) for actions in _ACTIONS},
    )


@contextmanager
def _steps(name: str, actions: str, games: int) -> Iterator[Work]:
    arguments: dict[str, Any] = {"opponent": "ai1", "graphs": POOL, "observation": "flat", "actions": actions}
    if name == _DUMMY:
        env: Any = DummyVecEnv([partial(gymnasium.make, _NAME, **arguments)] * games)
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


def rollouts_table(settings: BenchmarkSettings) -> Table:
    """Return the table of `collect_rollouts` alone: MLP policy, one torch thread, no learning."""
    cases = product((_NATIVE, _IDLE), _ACTIONS)
    return throughput_table(
        "sb3-rollouts",
        f"MaskablePPO's rollouts: {settings.sb3_games} games against ai1, pool test, flat, MLP policy",
        ("VecEnv", "actions"),
        {case: partial(_rollouts, *case, settings.sb3_games) for case in cases},
        {(_NATIVE, actions): (_IDLE, actions) for actions in _ACTIONS},
        seconds_factor=4,  # one rollout of "turn" takes as long as a figure of other tables
    )


@contextmanager
def _rollouts(name: str, actions: str, games: int) -> Iterator[Work]:
    native = make_sb3_vec_env(_NAME, games, opponent="ai1", graphs=POOL, actions=actions)
    env = native if name == _NATIVE else IdleVecEnv(native)
    torch.set_num_threads(1)  # as fast as several for so small a network
    model = MaskablePPO("MlpPolicy", env, n_steps=_ROLLOUT_STEPS, batch_size=games, device="cpu", seed=0)
    _, callback = model._setup_learn(total_timesteps=_ROLLOUT_STEPS)

    def work() -> int:
        model.collect_rollouts(env, callback, model.rollout_buffer, _ROLLOUT_STEPS)
        return _ROLLOUT_STEPS * games

    yield work
    native.close()


class IdleVecEnv(VecEnv):
    """VecEnv that does nothing, with the spaces, first observation and masks of ``like``: the learner's own cost."""

    def __init__(self, like: VecEnv) -> None:
        super().__init__(like.num_envs, like.observation_space, like.action_space)
        self._observation = like.reset()
        self._masks = list(np.stack(like.env_method("action_masks")))
        self._rewards = np.zeros(self.num_envs, np.float32)
        self._dones = np.zeros(self.num_envs, bool)
        self._infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]

    def reset(self) -> VecEnvObs:
        """Return the same observation always."""
        return self._observation

    def step_async(self, actions: np.ndarray) -> None:
        """Do nothing."""

    def step_wait(self) -> VecEnvStepReturn:
        """Return the same arrays always."""
        return self._observation, self._rewards, self._dones, self._infos

    def close(self) -> None:
        """Do nothing."""

    def has_attr(self, attr_name: str) -> bool:
        """Return whether it is the method of masks."""
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return None, which SB3 asks for as ``render_mode``."""
        return [None for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Do nothing."""

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """Return the masks, for any method."""
        return self._masks

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """Return False."""
        return [False for _ in self._get_indices(indices)]
