"""Training configurations that take seconds."""

from __future__ import annotations

from typing import Any

from planetwars_env.learn.config import TrainConfig

TINY: dict[str, Any] = {
    "task": {"opponents": ["random", "ai1"], "graphs": "rings", "max_turns": 60},
    "network": {"width": 8, "rounds": 1},
    "learner": {
        "num_envs": 8,
        "num_steps": 16,
        "minibatch_size": 64,
        "update_epochs": 1,
        "ema_decay": 0.9,
    },
    "league": {"self_play_fraction": 0.5, "copies": 2, "promotion_win_rate": 0.0},
    "schedule": {"steps": 768, "evaluate_every": 10**6, "checkpoint_every": 128, "evaluation_games": 2},
}


def tiny(**changes: dict[str, Any]) -> TrainConfig:
    return TrainConfig.from_dict({name: {**section, **changes.get(name, {})} for name, section in TINY.items()})
