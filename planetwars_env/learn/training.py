"""A training run: MaskablePPO on the native batch, with its folder of checkpoints, measurements and curve.

The folder holds config.yaml, weights.safetensors (together an agent), checkpoint.pt (to go on from), history.json,
learning_curve.png and tensorboard/. Its results.json is written by whoever evaluates the agent.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import torch

from planetwars_env.arena.evaluation import evaluate
from planetwars_env.arena.results import Result
from planetwars_env.bots.catalogue import resolve_opponents
from planetwars_env.codec.rewards import Shaped, win
from planetwars_env.engine.rules import PRESETS
from planetwars_env.envs.registration import rules_of
from planetwars_env.learn.agent import Agent, save_agent
from planetwars_env.learn.checkpoint import CHECKPOINT, load_checkpoint, save_checkpoint
from planetwars_env.learn.config import TrainConfig
from planetwars_env.learn.history import History
from planetwars_env.learn.sb3 import Between, NetworkPolicy, make_games, make_learner
from planetwars_env.learn.scorer import Scorer
from planetwars_env.render.plots import save_curves

CURVE = "learning_curve.png"


class Watcher(Protocol):
    """Whoever shows a run while it goes on."""

    def begins(self, steps: int, total: int) -> None:
        """Training goes on from ``steps`` to ``total``."""

    def trained(self, steps: int, win_rate: float | None, steps_per_second: float) -> None:
        """Some steps more; the win rate is that of the last training games."""

    def evaluated(self, steps: int, results: list[Result]) -> None:
        """The agent was measured on the validation boards."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended: all steps done, its minutes used up, or interrupted (Ctrl-C); seconds of all its parts together."""

    end: Literal["done", "out of time", "interrupted"]
    steps: int
    seconds: float


def train(config: TrainConfig, folder: Path, resume: bool = False, watcher: Watcher | None = None) -> Outcome:
    """Train, and leave an agent in ``folder``; with ``resume`` go on from its checkpoint.

    However it ends, interrupted too, the folder holds the agent so far and a checkpoint. FileExistsError for a folder
    with a run in it that is not resumed; AgentError for a checkpoint that cannot be used; ValueError for a name in the
    configuration that stands for nothing.
    """
    check_names(config)
    if not resume and (folder / CHECKPOINT).exists():
        raise FileExistsError(f"{folder} holds a run already: go on with it by --resume, or choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(config.learner.threads or torch.get_num_threads())
    return _Run(config, folder, resume, watcher).go()


def check_names(config: TrainConfig) -> None:
    """ValueError for an unknown environment or opponent, listing the known ones."""
    rules_of(config.task.environment)
    resolve_opponents(config.task.opponents)
    resolve_opponents(config.schedule.evaluation_opponents)


class _Run:
    """The state of one run."""

    def __init__(self, config: TrainConfig, folder: Path, resume: bool, watcher: Watcher | None) -> None:
        self.config, self.folder, self.watcher = config, folder, watcher
        learner, schedule = config.learner, config.schedule
        shaping = config.task.shaping
        self.scorer = Scorer(Shaped(learner.gamma, shaping) if shaping else win)
        self.games = make_games(config, self.scorer)
        self.games.reset()  # compiles what is not compiled yet, before the clock runs
        self.games.seed(schedule.seed)
        self.ppo = make_learner(config, self.games, folder / "tensorboard")
        self.history = History()
        self.seconds = 0.0
        if resume:
            self.ppo.num_timesteps, self.seconds, history = load_checkpoint(folder, self.ppo.policy)
            self.history = History(**history)
            # New games, not those of the beginning once more.
            self.games.seed(schedule.seed + self.ppo.num_timesteps)
        self.begun_at = self.ppo.num_timesteps
        self.saved_at = self.evaluated_at = self.begun_at
        self.measuring = 0.0
        self.started = time.monotonic()
        self.end: Literal["done", "out of time", "interrupted"] = "done"

    def go(self) -> Outcome:
        left = self.config.schedule.steps - self.begun_at
        self._save()
        if self.watcher:
            self.watcher.begins(self.begun_at, self.config.schedule.steps)
        try:
            if left > 0:
                between = Between(self._between_updates, self._has_time)
                self.ppo.learn(left, callback=between, reset_num_timesteps=False, use_masking=False)
        except KeyboardInterrupt:
            self.end = "interrupted"
        self._save()
        return Outcome(self.end, self.ppo.num_timesteps, self._elapsed())

    @property
    def _policy(self) -> NetworkPolicy:
        assert isinstance(self.ppo.policy, NetworkPolicy)
        return self.ppo.policy

    def _elapsed(self) -> float:
        """Seconds of training: evaluations on the way are not counted."""
        return self.seconds + time.monotonic() - self.started - self.measuring

    def _has_time(self) -> bool:
        limit = self.config.schedule.max_minutes * 60
        if limit and self._elapsed() > limit:
            self.end = "out of time"
        return self.end == "done"

    def _between_updates(self, steps: int) -> None:
        if steps == self.begun_at:
            return
        schedule, elapsed = self.config.schedule, self._elapsed()
        self.history.trained(steps, elapsed, self.scorer.games, self.scorer.win_rate)
        if self.watcher:
            speed = (steps - self.begun_at) / max(1e-9, elapsed - self.seconds)
            self.watcher.trained(steps, self.scorer.win_rate, speed)
        if self.scorer.win_rate is not None:
            self.ppo.logger.record("planetwars/training_win_rate", self.scorer.win_rate)
        if steps - self.evaluated_at >= schedule.evaluate_every:
            self._evaluate(steps)
        if steps - self.saved_at >= schedule.checkpoint_every:
            self._save()

    def _evaluate(self, steps: int) -> None:
        began, self.evaluated_at = time.monotonic(), steps
        schedule = self.config.schedule
        agent = Agent("validation", self.config)
        agent.network.load_state_dict(self._policy.network.state_dict())
        rules = PRESETS[rules_of(self.config.task.environment)]
        results = evaluate(agent, schedule.evaluation_opponents, "validation", schedule.evaluation_games, rules)
        self.history.validated(steps, results)
        for result in results:
            self.ppo.logger.record(f"planetwars/win_rate_{result.opponent}", result.total.win_rate)
        if self.watcher:
            self.watcher.evaluated(steps, results)
        self.measuring += time.monotonic() - began

    def _save(self) -> None:
        """Everything that the folder holds, each file whole or not at all."""
        steps = self.saved_at = self.ppo.num_timesteps
        policy = self._policy
        notes = {"steps": str(steps), "seed": str(self.config.schedule.seed)}
        save_agent(self.folder, self.config, policy.network.state_dict(), notes)
        save_checkpoint(self.folder, policy, steps, self._elapsed(), vars(self.history))
        self.history.save(self.folder)
        save_curves(self.folder / CURVE, self.history.curves())
