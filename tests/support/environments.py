"""Environments made by their ids, single and vectorised."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

every_mode = pytest.mark.parametrize("mode", list(AutoresetMode), ids=[mode.name for mode in AutoresetMode])
GAMES = 6


def make(name: str = "PlanetWars-v0", **arguments: Any) -> Any:
    return gymnasium.make(name, **arguments).unwrapped


def wait(env: Any) -> Any:
    return np.zeros(env.action_space.shape, np.int64) if env.action_space.shape else 0


def make_vec(
    name: str = "PlanetWars-v0", num_envs: int = GAMES, mode: Any = AutoresetMode.NEXT_STEP, **arguments: Any
) -> Any:
    return gymnasium.make_vec(
        name, num_envs=num_envs, vectorization_mode="vector_entry_point", autoreset_mode=mode, **arguments
    )
