"""Training run: a PPO learner, and its folder with agent, checkpoint, history and learning curve.

The folder holds config.yaml and weights.safetensors (together an agent), checkpoint.safetensors (to resume from),
history.json, learning_curve.png and tensorboard/. `planetwars demo` and evaluations add a results.json.
"""

import time
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol

from torch.utils.tensorboard import SummaryWriter

from planetwars_env.arena.results import Result
from planetwars_env.engine.state import Array
from planetwars_env.files import exclusive_lock, remove_unfinished_files
from planetwars_env.learn.agent import CONFIG, Agent, load_agent, save_agent
from planetwars_env.learn.checkpoint import CHECKPOINT, cannot_resume, load_checkpoint, save_checkpoint
from planetwars_env.learn.config import TrainConfig
from planetwars_env.learn.feasibility import check_feasible, configured
from planetwars_env.learn.follower import follow
from planetwars_env.learn.history import History
from planetwars_env.learn.interruption import single_interruption
from planetwars_env.learn.learner import make_learner
from planetwars_env.learn.periodic_evaluation import validate
from planetwars_env.learn.processes import announce, launched, started_group
from planetwars_env.learn.profiling import TRACE, profiled
from planetwars_env.settings import ConfigError

LOCK = "run.lock"
"""Present while a process trains into the folder."""


class TrainingCallback(Protocol):
    """Progress callback of a training run."""

    def on_start(self, steps: int, total: int) -> None:
        """Training starts, or resumes, at ``steps`` of ``total``."""

    def on_update(self, steps: int, win_rate: float | None, steps_per_second: float) -> None:
        """An update ended; ``win_rate``: of the last training games, None before one has ended."""

    def on_evaluation(self, steps: int, results: list[Result], sampled: list[Result]) -> None:
        """The agent was evaluated on the validation graphs, by its most probable and by sampled actions."""


@dataclass(frozen=True, repr=False)
class Run:
    """Training run that has ended: all steps done, its minutes used up, or interrupted (Ctrl-C).

    ``steps`` and ``seconds``: of training, over all parts of a resumed run. ``folder`` holds the agent, the checkpoint and
    the learning curve.
    """

    folder: Path
    end: Literal["done", "out of time", "interrupted"]
    steps: int
    seconds: float

    @cached_property
    def agent(self) -> Agent:
        """Trained agent, loaded from the folder: a policy to evaluate and to play against."""
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
    processes: int | None = None,
    resume: bool = False,
    profile: bool = False,
    callback: TrainingCallback | None = None,
) -> Run:
    """Train an agent into the folder ``out``; with ``resume`` continue from its checkpoint.

    ``config``: a shipped configuration's name, a YAML file, or a `TrainConfig`; with ``resume`` the folder's own unless a
    `TrainConfig` is given. ``out``: runs/NAME if None. ``steps``, ``seed`` and ``processes`` take the place of the
    configuration's. Started by torchrun, all its processes train together, and each returns the same `Run`. ``profile``
    writes a trace of the second update, which slows this update, to update.pt.trace.json, for Perfetto or TensorBoard.

    After an interruption, too, the folder holds the agent so far and a checkpoint. Errors:
    FileExistsError for a folder with a run that is not resumed; BusyError where another process trains into it; AgentError
    for a checkpoint that cannot be used; ValueError, before anything is written, for an unknown name in the configuration,
    ``self`` among the opponents and a device that this machine lacks; ConnectionError where one of the processes has ended,
    and OSError where a file cannot be written: all files stay whole, and the run can be resumed from the last checkpoint.
    """
    if launched()[0] > 0:
        return follow()
    folder = run_folder(config, out)
    named = folder / CONFIG if resume and not isinstance(config, TrainConfig) else config
    chosen = configured(named, steps, seed, processes)
    check_feasible(chosen)
    folder.mkdir(parents=True, exist_ok=True)
    with exclusive_lock(folder / LOCK, "training"):
        if not resume and (folder / CHECKPOINT).exists():
            raise FileExistsError(f"{folder} holds a run already: go on with it by --resume, or choose another folder")
        remove_unfinished_files(folder)
        try:
            with started_group(chosen.learner.processes):
                return _Training(chosen, folder, resume, profile, callback).go()
        except OSError as fault:
            fault.filename = fault.filename or str(folder)  # TensorBoard's have no name
            raise


def run_folder(config: TrainConfig | str | Path, out: str | Path | None = None) -> Path:
    """Return the folder of a run: ``out``, else runs/NAME after the configuration's name or file."""
    name = "train" if isinstance(config, TrainConfig) else Path(config).stem
    return Path("runs") / name if out is None else Path(out)


class _Training:
    """Running training run."""

    def __init__(
        self, config: TrainConfig, folder: Path, resume: bool, profile: bool, callback: TrainingCallback | None
    ) -> None:
        self.config, self.folder, self.callback = config, folder, callback
        self.until_profile = 2 if profile else 0  # the first update compiles and allocates
        arrays, values = load_checkpoint(folder) if resume else ({}, {})
        announce((config, (arrays, values["learner"], values["steps"]) if resume else None))
        self.learner = make_learner(config)  # compiles what is not compiled yet, before the clock runs
        self.history, self.seconds, self.evaluated_at = History(), 0.0, 0
        if resume:
            self._resume(arrays, values)
        self.begun_at = self.saved_at = self.learner.steps
        self.measuring = 0.0
        self.started = time.monotonic()
        self.end: Literal["done", "out of time", "interrupted"] = "done"

    def go(self) -> Run:
        total = self.config.schedule.steps
        if self.callback:
            self.callback.on_start(self.begun_at, total)
        self._keep()
        self._save()  # raises here on a full disk; TensorBoard would in a thread of its own
        self.log = SummaryWriter(str(self.folder / "tensorboard"), purge_step=self.begun_at or None)
        with single_interruption() as ignore_further:
            try:
                while self.learner.steps < total and self._has_time():
                    announce()
                    self._update()
            except KeyboardInterrupt:
                self.end = "interrupted"
            except ConnectionError:
                ignore_further()
                self._save()
                raise
            self._save()
            with suppress(KeyboardInterrupt):
                self._measure_end()
        self.log.close()
        run = Run(self.folder, self.end, self.kept[1]["steps"], self.kept[1]["seconds"])
        return run if self.end == "interrupted" else announce(run)  # otherwise the others wait for this

    def _update(self) -> None:
        before = self.learner.steps
        self.until_profile -= 1
        advance = self.learner.advance
        metrics = advance() if self.until_profile else profiled(advance, self.folder / TRACE)
        if self.learner.steps <= before:
            raise ConfigError("learner: algorithm: advance must increase steps, the environment steps so far")
        self._after_update(metrics)
        self._keep()

    def _resume(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        try:
            self.learner.restore(arrays, values["learner"], values["steps"])
            self.history, self.seconds = History(**values["history"]), values["seconds"]
            self.evaluated_at = int(values["evaluated_at"])
        except (LookupError, ValueError, TypeError, RuntimeError, AttributeError, ArithmeticError) as fault:
            raise cannot_resume(self.folder, fault) from fault

    def _keep(self) -> None:
        """Keep the state after an update: an interruption during the next one falls back on it."""
        arrays, values = self.learner.state()
        weights = {name: part.clone() for name, part in self.learner.weights().items()}
        progress = {"steps": self.learner.steps, "evaluated_at": self.evaluated_at, "seconds": self._elapsed()}
        progress["learner"] = deepcopy(values)
        self.kept = {name: part.copy() for name, part in arrays.items()}, progress, weights
        if self.learner.steps - self.saved_at >= self.config.schedule.checkpoint_every:
            self._save()

    def _elapsed(self) -> float:
        """Return the seconds of training, without evaluations."""
        return self.seconds + time.monotonic() - self.started - self.measuring

    def _has_time(self) -> bool:
        limit = self.config.schedule.max_minutes * 60
        if limit and self._elapsed() > limit:
            self.end = "out of time"
        return self.end == "done"

    def _after_update(self, metrics: dict[str, float]) -> None:
        steps, elapsed = self.learner.steps, self._elapsed()
        games, win_rate, by_opponent = self.learner.standings()
        self.history.trained(steps, elapsed, games, win_rate)
        for name, value in metrics.items():
            self.log.add_scalar(f"learner/{name}", value, steps)
        for name, value in by_opponent.items():
            self.log.add_scalar(f"games_won_training/{name}", value, steps)
        if self.callback:
            speed = (steps - self.begun_at) / max(1e-9, elapsed - self.seconds)
            self.callback.on_update(steps, win_rate, speed)
        if steps - self.evaluated_at >= self.config.schedule.evaluate_every:
            self._evaluate(steps)

    def _evaluate(self, steps: int) -> None:
        began, self.evaluated_at = time.monotonic(), steps
        mode, sampled = validate(self.config, self.learner.weights())
        self.history.validated(steps, mode, sampled)
        for kind, results in (("", mode), ("_sampled", sampled)):
            for result in results:
                self.log.add_scalar(f"games_won{kind}/{result.opponent}", result.total.win_rate, steps)
        if self.callback:
            self.callback.on_evaluation(steps, mode, sampled)
        self.measuring += time.monotonic() - began

    def _measure_end(self) -> None:
        """Measure the finished agent, if the run measures at all; a resumed run begins without this measurement."""
        if self.end != "interrupted" and 0 < self.evaluated_at < self.learner.steps:
            self._evaluate(self.learner.steps)
            self.history.save(self.folder, self._title())

    def _title(self) -> str:
        return f"Learning {', '.join(self.config.task.environments)}"

    def _save(self) -> None:
        """Write all files of the folder, each atomically."""
        arrays, values, weights = self.kept
        self.saved_at = values["steps"]
        history = self.history.up_to(values["steps"])
        notes = {"steps": str(values["steps"]), "seed": str(self.config.schedule.seed)}
        save_agent(self.folder, self.config, weights, notes)
        save_checkpoint(self.folder, arrays, {**values, "history": vars(history)})
        history.save(self.folder, self._title())
