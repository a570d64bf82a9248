"""Training configurations that take seconds."""

from __future__ import annotations

from typing import Any

from planetwars_env.learn.config import TrainConfig

TINY: dict[str, Any] = {
    "task": {"opponents": ["random", "ai1"], "graphs": "rings", "max_turns": 60},
    "network": {"width": 8, "rounds": 1},
    "learner": {"games": 8, "rollout": 16, "batch_size": 64, "epochs": 1, "threads": 2, "average": 0.9},
    "league": {"share": 0.5, "places": 2, "promotion": 0.0},
    "schedule": {"steps": 768, "evaluate_every": 10**6, "checkpoint_every": 128, "evaluation_games": 2},
}


def tiny(**changes: dict[str, Any]) -> TrainConfig:
    return TrainConfig.from_dict({name: {**section, **changes.get(name, {})} for name, section in TINY.items()})
