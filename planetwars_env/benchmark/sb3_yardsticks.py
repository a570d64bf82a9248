"""What the native VecEnv is measured against: one that does nothing, DummyVecEnv, and MaskablePPO's collection."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from gymnasium import Env
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn


class IdleVecEnv(VecEnv):
    """Does nothing, with the spaces, first observation and masks of ``like``: what is left is the cost of the learner."""

    def __init__(self, like: VecEnv) -> None:
        super().__init__(like.num_envs, like.observation_space, like.action_space)
        self._observation = like.reset()
        self._masks = list(np.stack(like.env_method("action_masks")))
        self._rewards = np.zeros(self.num_envs, np.float32)
        self._dones = np.zeros(self.num_envs, bool)
        self._infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]

    def reset(self) -> VecEnvObs:
        """The same observation always."""
        return self._observation

    def step_async(self, actions: np.ndarray) -> None:
        """Nothing."""

    def step_wait(self) -> VecEnvStepReturn:
        """The same arrays always."""
        return self._observation, self._rewards, self._dones, self._infos

    def close(self) -> None:
        """Nothing."""

    def has_attr(self, attr_name: str) -> bool:
        """Masks only."""
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Nothing but None, which SB3 asks for as ``render_mode``."""
        return [None for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Nothing."""

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """The masks, whatever the method."""
        return self._masks

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """Nothing is wrapped."""
        return [False for _ in self._get_indices(indices)]


def dummy_vec_env(makers: Sequence[Callable[[], Env[Any, Any]]]) -> VecEnv:
    """SB3's loop over single environments."""
    return DummyVecEnv(list(makers))


def rollouts(env: VecEnv, steps: int) -> Callable[[], int]:
    """A function that lets MaskablePPO with its MLP policy collect ``steps`` steps of every game, and says how many in all.

    On one thread of torch, which is as fast as several for so small a network and leaves the others in peace.
    """
    torch.set_num_threads(1)
    model = MaskablePPO("MlpPolicy", env, n_steps=steps, batch_size=env.num_envs, device="cpu", seed=0)
    _, callback = model._setup_learn(total_timesteps=steps)

    def collect() -> int:
        model.collect_rollouts(env, callback, model.rollout_buffer, steps)
        return steps * env.num_envs

    return collect
