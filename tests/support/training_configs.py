"""Training configurations that take seconds, and a callback that ends or disturbs a run.

Evaluations are against ai3, which soon beats an agent that has learned nothing.
"""

from collections.abc import Callable
from typing import Any, NoReturn

import torch
from torch import Tensor

from planetwars_env.learn.config import TrainConfig
from planetwars_env.learn.rollout import Rollout

TINY: dict[str, Any] = {
    "task": {"opponents": ["random", "ai1"], "graphs": "rings", "max_turns": 60},
    "network": {"width": 8, "rounds": 1},
    "learner": {"num_envs": 8, "num_steps": 16, "minibatch_size": 64, "update_epochs": 1, "ema_decay": 0.9},
    "league": {"self_play_fraction": 0.5, "copies": 2, "promotion_win_rate": 0.0},
    "schedule": {"steps": 768, "evaluate_every": 10**6, "checkpoint_every": 128}
    | {"evaluation_games": 2, "evaluation_opponents": ["ai3"]},
}


def tiny(**changes: dict[str, Any]) -> TrainConfig:
    return TrainConfig.from_dict({name: {**section, **changes.get(name, {})} for name, section in TINY.items()})


def observations_of(rollout: Rollout) -> dict[str, Tensor]:
    """Observations of all steps and environments of a rollout, as a network reads them."""
    return {name: torch.from_numpy(part).flatten(0, 1) for name, part in rollout.observations.items()}


def ctrl_c() -> NoReturn:
    raise KeyboardInterrupt


class After:
    """Callback of a training run that acts after some ``updates``, in the midst of the run; by default it presses Ctrl-C."""

    def __init__(self, updates: int, act: Callable[[], object] = ctrl_c) -> None:
        self.left, self.act = updates, act

    def __call__(self, row: dict[str, Any]) -> None:
        self.left -= "speed" in row
        if not self.left and "speed" in row:
            self.act()
