"""Training run: a learner, its evaluations, and its folder with agent, checkpoint and history (docs/trainer.md)."""

import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor
from torch.profiler import ProfilerActivity
from torch.profiler import profile as torch_profile
from torch.utils.tensorboard import SummaryWriter

from planetwars_env.arena.evaluation import evaluate
from planetwars_env.arena.results import Result
from planetwars_env.bots.bot_codes import SELF_PLAY
from planetwars_env.bots.catalogue import resolve_players
from planetwars_env.files import exclusive_lock, read_json, remove_unfinished_files, replacement_file, write_atomically
from planetwars_env.graphs.catalogue import resolve_graphs
from planetwars_env.learn.agent import CONFIG, Agent, load_agent, load_weights, save_agent
from planetwars_env.learn.config import TrainConfig, import_plugs, load_config
from planetwars_env.learn.ppo import make_learner
from planetwars_env.learn.processes import announce, joined_group, launched, own_device, started_group
from planetwars_env.learn.tensors import CHECKPOINT, cannot_resume, check_device, load_checkpoint, save_checkpoint
from planetwars_env.settings import ConfigError, differences

LOCK = "run.lock"
"""Present while a process trains into the folder."""
HISTORY = "history.json"
CURVE = "learning_curve.png"
TRACE = "update.pt.trace.json"
"""Trace of one update; TensorBoard's profiler plugin finds files by the end of this name."""

TrainingCallback = Callable[[dict[str, Any]], None]
"""Progress callback of a training run: it gets each new row of the `History`; after an update also with the "total" of the
steps and the "speed", steps per second."""


@dataclass(repr=False)
class History:
    """Measurements of a run, as rows.

    ``training``: {steps, seconds, games, win_rate} per update. ``validation``: per evaluation and opponent its steps and an
    entry of results JSON for greedy play, and another such entry under "sampled" for sampled actions.
    """

    training: list[dict[str, Any]] = field(default_factory=list)
    validation: list[dict[str, Any]] = field(default_factory=list)

    def __repr__(self) -> str:
        last = f", the last at {self.training[-1]['steps']:,} steps" if self.training else ""
        return f"History({len(self.training)} updates{last}; {len(self.validation)} measurements)"

    def until(self, steps: int) -> "History":
        """Return the measurements up to ``steps``."""
        return History(*([row for row in rows if row["steps"] <= steps] for rows in (self.training, self.validation)))

    def save(self, folder: Path, title: str) -> None:
        """Write history.json, and the learning curve under a ``title``: win rates greedy and sampled, and their intervals."""
        write_atomically(folder / HISTORY, json.dumps(vars(self), indent=1).encode())
        training = [(row["steps"], row["win_rate"]) for row in self.training if row["win_rate"] is not None]
        greedy, sampled, intervals = {"training games": training}, {}, {}
        for row in self.validation:
            name = f"against {row['opponent']}"
            greedy.setdefault(name, []).append((row["steps"], row["win_rate"]))
            sampled.setdefault(name, []).append((row["steps"], row["sampled"]["win_rate"]))
            intervals.setdefault(name, []).append((row["ci_low"], row["ci_high"]))
        from planetwars_env.render.plots import save_curves

        save_curves(folder / CURVE, title, greedy, sampled, intervals)


@dataclass(frozen=True, repr=False)
class Run:
    """Training run that has ended: all steps done, its minutes used up, or interrupted (Ctrl-C).

    ``steps`` and ``seconds``: of training, over all parts of a resumed run. ``folder``: with the agent and the checkpoint.
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
        return History(**read_json(self.folder / HISTORY))

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
    if callback is not None and not callable(callback):
        raise TypeError("callback must be a function of a row of the history (docs/trainer.md)")
    if launched()[0] > 0:
        return follow()
    if isinstance(config, TrainConfig):
        folder = Path(out or "runs/train")
    else:
        folder = Path(out or Path("runs", Path(config).stem))
        config = load_config(folder / CONFIG if resume else config)
    count = config.learner.processes if processes is None else processes
    count = launched()[1] if launched()[1] > 1 else count or os.cpu_count() or 1
    settings = config.to_dict()
    settings["learner"]["processes"] = count
    settings["schedule"] |= {key: value for key, value in (("steps", steps), ("seed", seed)) if value is not None}
    config = TrainConfig.from_dict(settings)
    check_feasible(config)
    folder.mkdir(parents=True, exist_ok=True)
    with exclusive_lock(folder / LOCK, "training"):
        if not resume and (folder / CHECKPOINT).exists():
            raise FileExistsError(f"{folder} holds a run already: go on with it by --resume, or choose another folder")
        remove_unfinished_files(folder)
        try:
            with started_group(count):
                return _Training(config, folder, resume, profile, callback).go()
        except OSError as fault:
            fault.filename = fault.filename or str(folder)  # TensorBoard's have no name
            raise


def check_feasible(config: TrainConfig) -> None:
    """Raise ValueError for a run that this machine cannot start."""
    import_plugs(config)
    resolve_graphs(config.task.graphs)
    for where, names in (
        ("task: opponents", config.task.opponents),
        ("schedule: evaluation_opponents", config.schedule.evaluation_opponents),
    ):
        if any(opponent.code == SELF_PLAY for opponent in resolve_players(names)):
            raise ConfigError(
                f'{where} must not hold "self": the trainer learns one side of a game; to play against copies of the agent, '
                "set league: self_play_fraction above 0"
            )
    if config.learner.start:
        load_weights(Agent("start", config).network, config.learner.start)
    learner, count, kinds = config.learner, config.learner.processes, len(config.task.environments)
    if count < 1 or count * kinds > learner.num_envs:
        most = f"num_envs, which is {learner.num_envs}" + (f", divided by {kinds} environments" if kinds > 1 else "")
        raise ConfigError(f"learner: processes must be between 1 and {most}, not {count}")
    if count > 1 and (learner.algorithm != "ppo" or learner.device not in ("cpu", "cuda")):
        raise ConfigError(
            f'learner: {count} processes need algorithm "ppo" and device "cpu" or "cuda", not "{learner.algorithm}" and '
            f'"{learner.device}": set processes to 1'
        )
    several = int(os.environ.get("LOCAL_WORLD_SIZE", count)) if count > 1 else None
    check_device("learner: device", learner.device, several)


class _Training:
    """Running training run. ``kept``: the state after the last update, which an interruption of the next falls back on."""

    def __init__(
        self, config: TrainConfig, folder: Path, resume: bool, profile: bool, callback: TrainingCallback | None
    ) -> None:
        self.config, self.folder, self.profile, self.callback = config, folder, profile, callback
        self.title = f"Learning {', '.join(config.task.environments)}"
        arrays, values = load_checkpoint(folder) if resume else ({}, {})
        announce((config, (arrays, values["learner"], values["steps"]) if resume else None))
        self.learner = make_learner(config)  # compiles what is not compiled yet, before the clock runs
        self.history, self.seconds, self.evaluated_at = History(), 0.0, 0
        if resume:
            try:
                self.learner.restore(arrays, values["learner"], values["steps"])
                self.history, self.seconds = History(**values["history"]), values["seconds"]
                self.evaluated_at = int(values["evaluated_at"])
            except (LookupError, ValueError, TypeError, RuntimeError, AttributeError, ArithmeticError) as fault:
                changed = differences(values.get("config"), config.to_dict())
                raise cannot_resume(folder, "; ".join(changed) or fault) from fault
        self.begun_at = self.saved_at = self.learner.steps
        self.updates, self.started = 0, time.monotonic() - self.seconds

    def go(self) -> Run:
        """Update until the end, save, measure the agent, and return the run."""
        schedule = self.config.schedule
        self._keep()
        self._save()  # raises here on a full disk; TensorBoard would in a thread of its own
        end: Literal["done", "out of time", "interrupted"] = "done"
        events = SummaryWriter(str(self.folder / "tensorboard"), purge_step=self.begun_at or None)
        with events as self.log, single_interruption() as ignore_further:
            try:
                while self.learner.steps < schedule.steps:
                    if schedule.max_minutes and self._elapsed() > schedule.max_minutes * 60:
                        end = "out of time"
                        break
                    announce()
                    self._update()
            except KeyboardInterrupt:
                end = "interrupted"
            except ConnectionError:
                ignore_further()
                self._save()
                raise
            self._save()
            # A run that measures at all measures its last weights too. Resumed, it begins without this measurement.
            if end != "interrupted" and 0 < self.evaluated_at < self.learner.steps:
                with suppress(KeyboardInterrupt):
                    self._evaluate()
                    self.history.save(self.folder, self.title)
        run = Run(self.folder, end, self.kept[1]["steps"], self.kept[1]["seconds"])
        return run if end == "interrupted" else announce(run)  # otherwise the others wait for this

    def _update(self) -> None:
        """Advance the learner, record its progress, and evaluate and save where that is due."""
        before = self.learner.steps
        self.updates += 1
        profiled = self.profile and self.updates == 2  # the first one compiles and allocates
        activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if torch.cuda.is_available() else [])]
        with torch_profile(activities=activities, with_stack=True) if profiled else nullcontext() as trace:
            metrics = self.learner.advance()  # a compiled kernel appears as time of the function that calls it
        if trace:
            with replacement_file(self.folder / TRACE, TRACE) as draft:
                trace.export_chrome_trace(str(draft))
        steps, elapsed = self.learner.steps, self._elapsed()
        if steps <= before:
            raise ConfigError("learner: algorithm: advance must increase steps, the environment steps so far")
        games, win_rate, by_opponent = self.learner.standings()
        rounded = {"seconds": round(elapsed, 1), "games": games, "win_rate": win_rate and round(win_rate, 4)}
        self.history.training.append({"steps": steps, **rounded})
        for name, value in metrics.items():
            self.log.add_scalar(f"learner/{name}", value, steps)
        for name, value in by_opponent.items():
            self.log.add_scalar(f"games_won_training/{name}", value, steps)
        if self.callback:
            speed = (steps - self.begun_at) / max(1e-9, elapsed - self.seconds)
            self.callback({**self.history.training[-1], "total": self.config.schedule.steps, "speed": speed})
        if steps - self.evaluated_at >= self.config.schedule.evaluate_every:
            self._evaluate()
        self._keep()
        if steps - self.saved_at >= self.config.schedule.checkpoint_every:
            self._save()

    def _evaluate(self) -> None:
        steps, began = self.learner.steps, time.monotonic()
        self.evaluated_at = steps
        greedy, sampled = validate(self.config, self.learner.weights())
        for result, other in zip(greedy, sampled, strict=True):
            self.history.validation.append({"steps": steps, **result.to_dict(), "sampled": other.to_dict()})
            for kind, one in (("", result), ("_sampled", other)):
                self.log.add_scalar(f"games_won{kind}/{one.opponent}", one.total.win_rate, steps)
            if self.callback:
                self.callback(self.history.validation[-1])
        self.started += time.monotonic() - began  # not a time of training

    def _elapsed(self) -> float:
        return time.monotonic() - self.started

    def _keep(self) -> None:
        (arrays, learner), learned = deepcopy(self.learner.state()), self.learner.weights()
        values = {"steps": self.learner.steps, "evaluated_at": self.evaluated_at, "seconds": self._elapsed()}
        self.kept = arrays, {**values, "learner": learner}, {name: part.clone() for name, part in learned.items()}

    def _save(self) -> None:
        """Write all files of the folder from what is kept, each atomically."""
        arrays, values, weights = self.kept
        self.saved_at = values["steps"]
        history = self.history.until(self.saved_at)  # without the rows of an update that was interrupted
        notes = {"steps": str(values["steps"]), "seed": str(self.config.schedule.seed)}
        save_agent(self.folder, self.config, weights, notes)
        save_checkpoint(self.folder, arrays, {**values, "history": vars(history), "config": self.config.to_dict()})
        history.save(self.folder, self.title)


def follow() -> Any:
    """Learn until process 0 ends the run, and return what it announces then; end this process where process 0 is gone."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # this process ends at once and silently; process 0 saves
    try:
        with joined_group():
            config, saved = announce()
            import_plugs(config)
            learner = make_learner(config)
            if saved:
                learner.restore(*saved)
            learner.state()
            while (end := announce()) is None:
                learner.advance()
                learner.state()
            return end
    except ConnectionError:
        sys.exit(1)  # process 0 says why


def validate(config: TrainConfig, weights: dict[str, Tensor]) -> tuple[list[Result], list[Result]]:
    """Return the results of greedy play, and of sampled actions, on the validation graphs, by the rules of each environment.

    Where there are several, the rules stand after the opponent's name. The global random number generators keep their states:
    a new network draws from torch's and a strategy may draw from any of them, but a resumed run must not depend on that.
    """
    schedule, several = config.schedule, len(config.task.rules) > 1
    python, numpy, own = random.getstate(), np.random.get_state(), torch.get_rng_state()  # noqa: NPY002
    greedy, sampled = list[Result](), list[Result]()
    try:
        for sample, results in ((False, greedy), (True, sampled)):
            random.seed(schedule.seed)
            np.random.seed(schedule.seed % 2**32)  # noqa: NPY002
            torch.default_generator.manual_seed(schedule.seed)
            agent = Agent("evaluation", config, device=own_device(config.learner.device))
            agent.network.load_state_dict(weights)
            for rules in config.task.rules:
                opponents, games = schedule.evaluation_opponents, schedule.evaluation_games
                for result in evaluate(agent, opponents, "validation", games, rules, sample=sample):
                    name = f"{result.opponent} ({rules.name})" if several else result.opponent
                    results.append(replace(result, opponent=name))
    finally:
        random.setstate(python)
        np.random.set_state(numpy)  # noqa: NPY002
        torch.set_rng_state(own)
    return greedy, sampled


@contextmanager
def single_interruption() -> Iterator[Callable[[], None]]:
    """Raise KeyboardInterrupt at the first SIGINT or SIGTERM during the block and ignore all further ones.

    A terminal and torchrun may both send them. The function given ignores all from now on. Signals with handlers of somebody
    else, and threads other than the main one, are left as they are.
    """
    usual = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    default, main = signal.default_int_handler, threading.current_thread() is threading.main_thread()
    ours = [n for n in usual if main and (usual[n] is default or (n, usual[n]) == (signal.SIGTERM, signal.SIG_DFL))]

    def ignore() -> None:
        for number in ours:
            signal.signal(number, lambda *_: None)

    def interrupt(*_: object) -> None:
        ignore()
        raise KeyboardInterrupt

    for number in ours:
        signal.signal(number, interrupt)
    try:
        yield ignore
    finally:
        for number in ours:
            signal.signal(number, usual[number])
