"""Training runs with algorithms of Stable-Baselines3, evaluated as the project's own trainer evaluates."""

import time
from pathlib import Path
from typing import Any

import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure

import planetwars_env as pw
from planetwars_env.codec.rewards import resolve_reward
from planetwars_env.learn.agent import save_agent
from planetwars_env.learn.config import TrainConfig
from planetwars_env.learn.history import History
from planetwars_env.learn.periodic_evaluation import validate
from planetwars_env.learn.training import TrainingCallback
from scripts.research.sb3_algorithms import Scorer, make_dqn, make_games, make_maskable

_ALGORITHMS = {"maskable_ppo": (make_maskable, {"use_masking": False}), "dqn": (make_dqn, {})}
"""The constructor of each, and further arguments of its ``learn``: observations hold the mask already."""


def train_with_sb3(algorithm: str, config: TrainConfig, folder: Path, callback: TrainingCallback) -> pw.Run:
    """Train by "maskable_ppo" or "dqn" into ``folder``: the agent and its history, written at the end only."""
    learner, schedule = config.learner, config.schedule
    torch.set_num_threads(1)
    scorer = Scorer(resolve_reward(config.task.arguments(learner.gamma).reward))
    games = make_games(config, scorer)
    games.seed(schedule.seed)
    make, options = _ALGORITHMS[algorithm]
    model: Any = make(config, games)
    model.set_logger(configure(None, []))
    measures = _Measures(config, scorer, callback)
    model.learn(schedule.steps, measures, **options)
    folder.mkdir(parents=True, exist_ok=True)
    save_agent(folder, config, model.policy.network.state_dict(), {"steps": str(model.num_timesteps)})
    measures.history.save(folder)
    return pw.Run(folder, "done", model.num_timesteps, measures.elapsed())


class _Measures(BaseCallback):
    """Win rates in training and on the validation graphs, between updates."""

    def __init__(self, config: TrainConfig, scorer: Scorer, callback: TrainingCallback) -> None:
        super().__init__()
        self.history, self._config, self._scorer, self._callback = History(), config, scorer, callback
        self._started, self._measuring, self._evaluated_at = time.monotonic(), 0.0, 0

    def elapsed(self) -> float:
        """Seconds of training, without evaluations."""
        return time.monotonic() - self._started - self._measuring

    def _on_training_start(self) -> None:
        self._started = time.monotonic()
        self._callback.on_start(0, self._config.schedule.steps)

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        if self.num_timesteps:
            self._between_updates()

    def _on_training_end(self) -> None:
        self._between_updates()

    def _between_updates(self) -> None:
        steps, elapsed, win_rate = self.num_timesteps, self.elapsed(), self._scorer.win_rate
        self.history.trained(steps, elapsed, self._scorer.games, win_rate)
        self._callback.on_update(steps, win_rate, steps / max(1e-9, elapsed))
        if steps - self._evaluated_at >= self._config.schedule.evaluate_every:
            began, self._evaluated_at = time.monotonic(), steps
            policy: Any = self.model.policy
            found = validate(self._config, policy.network.state_dict())
            self.history.validated(steps, *found)
            self._callback.on_evaluation(steps, *found)
            self._measuring += time.monotonic() - began
