"""A training run: a learner, and its folder of checkpoints, measurements and curve.

The folder holds config.yaml, weights.safetensors (together an agent), checkpoint.safetensors (to go on from), history.json,
learning_curve.png and tensorboard/. Its results.json is written by whoever evaluates the agent.
"""

import time
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, Protocol

import torch
from torch.utils.tensorboard import SummaryWriter

from planetwars_env.arena.results import Result
from planetwars_env.bots.bot_codes import SELF_PLAY
from planetwars_env.bots.catalogue import resolve_players
from planetwars_env.envs.registration import rules_of
from planetwars_env.files import alone, remove_unfinished_files
from planetwars_env.learn.agent import CONFIG, Agent, load_agent, save_agent
from planetwars_env.learn.checkpoint import CHECKPOINT, cannot_resume, load_checkpoint, save_checkpoint
from planetwars_env.learn.config import ConfigError, TrainConfig, load_config
from planetwars_env.learn.history import History
from planetwars_env.learn.periodic_evaluation import validate
from planetwars_env.learn.ppo import PPO
from planetwars_env.render.plots import save_curves

CURVE = "learning_curve.png"
LOCK = "run.lock"
"""There while somebody trains into the folder."""


class Watcher(Protocol):
    """Whoever shows a run while it goes on."""

    def begins(self, steps: int, total: int) -> None:
        """Training goes on from ``steps`` to ``total``."""

    def trained(self, steps: int, win_rate: float | None, steps_per_second: float) -> None:
        """Some steps more; the win rate is that of the last training games."""

    def evaluated(self, steps: int, results: list[Result], sampled: list[Result]) -> None:
        """The agent was measured on the validation graphs, by its likeliest actions and by drawing them."""


@dataclass(frozen=True, repr=False)
class Run:
    """A training run that has ended: all steps done, its minutes used up, or interrupted (Ctrl-C).

    ``steps`` and ``seconds``: of training, all parts of a resumed run together. ``folder`` holds the agent, the checkpoint
    and the learning curve.
    """

    folder: Path
    end: Literal["done", "out of time", "interrupted"]
    steps: int
    seconds: float

    @cached_property
    def agent(self) -> Agent:
        """The trained agent, loaded from the folder: a policy that can be evaluated and played against."""
        return load_agent(self.folder)

    @cached_property
    def history(self) -> History:
        """Win rates in training and on the validation graphs, update by update."""
        return History.load(self.folder)

    def __repr__(self) -> str:
        return f"Run({self})"

    def __str__(self) -> str:
        return f"{self.folder}: {self.end} after {self.steps:,} steps in {self.seconds:.0f} s"


def train(
    config: TrainConfig | str | Path = "default",
    out: str | Path | None = None,
    *,
    steps: int | None = None,
    seed: int | None = None,
    resume: bool = False,
    watcher: Watcher | None = None,
) -> Run:
    """Train an agent into the folder ``out``; with ``resume`` go on from the checkpoint that is there.

    ``config``: a shipped configuration's name, a YAML file, or a `TrainConfig`; with ``resume`` the folder's own unless a
    `TrainConfig` is given. ``out``: runs/NAME if None. ``steps`` and ``seed`` take the place of the configuration's.

    However it ends, interrupted too, the folder holds the agent so far and a checkpoint. FileExistsError for a folder
    with a run in it that is not resumed; BusyError where another process trains into it; AgentError for a checkpoint that
    cannot be used; ValueError for a name in the configuration that stands for nothing, ``self`` among the opponents and a
    device that this machine lacks, before anything is written; OSError where a file cannot be written: the files that are
    there are whole, and the run goes on from the last checkpoint.
    """
    folder = run_folder(config, out)
    chosen = configured(folder / CONFIG if resume and not isinstance(config, TrainConfig) else config, steps, seed)
    _check_feasible(chosen)
    folder.mkdir(parents=True, exist_ok=True)
    with alone(folder / LOCK, "training"):
        if not resume and (folder / CHECKPOINT).exists():
            raise FileExistsError(f"{folder} holds a run already: go on with it by --resume, or choose another folder")
        remove_unfinished_files(folder)
        try:
            return _Training(chosen, folder, resume, watcher).go()
        except OSError as fault:
            fault.filename = fault.filename or str(folder)  # TensorBoard's have no name
            raise


def run_folder(config: TrainConfig | str | Path, out: str | Path | None = None) -> Path:
    """The folder of a run: ``out``, else runs/NAME after the configuration's name or file."""
    name = "train" if isinstance(config, TrainConfig) else Path(config).stem
    return Path("runs") / name if out is None else Path(out)


def configured(config: TrainConfig | str | Path, steps: int | None, seed: int | None) -> TrainConfig:
    """The configuration of this name or file, with other steps and another seed where they are given."""
    chosen = config if isinstance(config, TrainConfig) else load_config(config)
    changes = {key: value for key, value in (("steps", steps), ("seed", seed)) if value is not None}
    if changes.get("steps", 1) < 1:
        raise ValueError(f"steps must be at least 1, not {steps}")
    return replace(chosen, schedule=replace(chosen.schedule, **changes))


def _check_feasible(config: TrainConfig) -> None:
    """ValueError for an unknown environment or opponent, one that is none, and a device that this machine lacks."""
    rules_of(config.task.environment)
    _check_opponents("task: opponents", config.task.opponents)
    _check_opponents("schedule: evaluation_opponents", config.schedule.evaluation_opponents)
    _check_device(config.learner.device)


def _check_opponents(where: str, names: tuple[str, ...]) -> None:
    if any(opponent.code == SELF_PLAY for opponent in resolve_players(names)):
        raise ConfigError(
            f'{where} must not hold "self": the trainer learns one side of a game; for play against copies of the agent '
            "set league: share above 0"
        )


def _check_device(name: str) -> None:
    device = torch.device(name)
    if device.type == "cpu":
        return
    found = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if (device.index or 0) >= found:
        right = f'"cpu" or a number below {found}' if found else '"cpu"'
        raise ConfigError(f'learner: device is "{name}", but torch finds {found} CUDA devices here: set it to {right}')


class _Training:
    """The state of a run that goes on."""

    def __init__(self, config: TrainConfig, folder: Path, resume: bool, watcher: Watcher | None) -> None:
        self.config, self.folder, self.watcher = config, folder, watcher
        self.learner = PPO(config)  # compiles what is not compiled yet, before the clock runs
        self.history, self.seconds, self.evaluated_at = History(), 0.0, 0
        if resume:
            self._resume()
        self.begun_at = self.saved_at = self.learner.steps
        self.measuring = 0.0
        self.started = time.monotonic()
        self.end: Literal["done", "out of time", "interrupted"] = "done"

    def go(self) -> Run:
        total = self.config.schedule.steps
        if self.watcher:
            self.watcher.begins(self.begun_at, total)
        self._keep()
        self._save()  # tells of a full disk, which TensorBoard does in a thread of its own
        self.log = SummaryWriter(str(self.folder / "tensorboard"), purge_step=self.begun_at or None)
        try:
            while self.learner.steps < total and self._has_time():
                numbers = self.learner.advance()
                self._between_updates(numbers)
                self._keep()
        except KeyboardInterrupt:
            self.end = "interrupted"
        self._save()
        self.log.close()
        return Run(self.folder, self.end, self.kept[1]["steps"], self.kept[1]["seconds"])

    def _resume(self) -> None:
        arrays, values = load_checkpoint(self.folder)
        try:
            self.learner.restore(arrays, values["learner"], values["steps"])
            self.history, self.seconds = History(**values["history"]), values["seconds"]
            self.evaluated_at = int(values["evaluated_at"])
        except (LookupError, ValueError, TypeError, RuntimeError, AttributeError, ArithmeticError) as fault:
            raise cannot_resume(self.folder, fault) from fault

    def _keep(self) -> None:
        """Remember how everything stands after an update: an interruption in the midst of the next one falls back on it."""
        arrays, values = self.learner.state()
        weights = {name: part.clone() for name, part in self.learner.weights().items()}
        noted = {"steps": self.learner.steps, "evaluated_at": self.evaluated_at, "seconds": self._elapsed()}
        noted["learner"] = deepcopy(values)
        self.kept = {name: part.copy() for name, part in arrays.items()}, noted, weights
        if self.learner.steps - self.saved_at >= self.config.schedule.checkpoint_every:
            self._save()

    def _elapsed(self) -> float:
        """Seconds of training: evaluations on the way are not counted."""
        return self.seconds + time.monotonic() - self.started - self.measuring

    def _has_time(self) -> bool:
        limit = self.config.schedule.max_minutes * 60
        if limit and self._elapsed() > limit:
            self.end = "out of time"
        return self.end == "done"

    def _between_updates(self, numbers: dict[str, float]) -> None:
        steps, elapsed = self.learner.steps, self._elapsed()
        games, win_rate, by_opponent = self.learner.standings()
        self.history.trained(steps, elapsed, games, win_rate)
        for name, value in numbers.items():
            self.log.add_scalar(f"learner/{name}", value, steps)
        for name, value in by_opponent.items():
            self.log.add_scalar(f"training_win_rate/{name}", value, steps)
        if self.watcher:
            speed = (steps - self.begun_at) / max(1e-9, elapsed - self.seconds)
            self.watcher.trained(steps, win_rate, speed)
        if steps - self.evaluated_at >= self.config.schedule.evaluate_every:
            self._evaluate(steps)

    def _evaluate(self, steps: int) -> None:
        began, self.evaluated_at = time.monotonic(), steps
        mode, sampled = validate(self.config, self.learner.weights())
        self.history.validated(steps, mode, sampled)
        for kind, results in (("", mode), ("_sampled", sampled)):
            for result in results:
                self.log.add_scalar(f"validation_win_rate{kind}/{result.opponent}", result.total.win_rate, steps)
        if self.watcher:
            self.watcher.evaluated(steps, mode, sampled)
        self.measuring += time.monotonic() - began

    def _save(self) -> None:
        """Everything that the folder holds, each file whole or not at all."""
        arrays, values, weights = self.kept
        self.saved_at = values["steps"]
        history = self.history.up_to(values["steps"])
        notes = {"steps": str(values["steps"]), "seed": str(self.config.schedule.seed)}
        save_agent(self.folder, self.config, weights, notes)
        save_checkpoint(self.folder, arrays, {**values, "history": vars(history)})
        history.save(self.folder)
        title = f"Learning {self.config.task.environment}"
        save_curves(self.folder / CURVE, title, history.curves(), history.sampled_curves())
