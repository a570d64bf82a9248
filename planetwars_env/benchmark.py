"""Tables of `planetwars benchmark`: environment steps, the rules alone, memory of a game, and seconds of learning."""

import os
import platform
import re
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from itertools import count, product
from math import inf
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from planetwars_env.bots.bot_codes import BOTS
from planetwars_env.codec.limits import CLASSIC, FRACTIONS, Limits
from planetwars_env.engine.columns import LIMIT, NO_LIMIT
from planetwars_env.engine.entry_points import end_turns
from planetwars_env.engine.state import Array
from planetwars_env.envs.arguments import EnvArguments
from planetwars_env.shipped import PACKAGE_VERSION
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.setup import Autoreset


@dataclass(frozen=True)
class Sizes:
    """Sizes of the tables. ``settle``: games are at most this many steps old; ``evaluate_every``: environment steps.

    ``goals``: graphs, and the win rate at which the clock of learning stops; ``minutes``: of CPU time of a training run.
    """

    runs: int = 5
    seconds: float = 0.5
    settle: int = 100
    opponents: tuple[str, ...] = tuple(BOTS)
    games: tuple[int, ...] = (1, 64, 1024, 8192)
    threads: tuple[int, ...] = (1, 2)
    config: str = "graph-planetwars-small"
    opponent: str = "ai3"
    goals: tuple[tuple[str, float], ...] = (("test", 0.85), ("fair", 0.95))
    evaluation_games: int = 200
    evaluate_every: int = 100_000
    minutes: float = 20


QUICK = Sizes(runs=3, seconds=0.2, settle=40, games=(1, 1024), opponents=("random", "ai3"))


class Reading(NamedTuple):
    """Measurement by wall-clock seconds, and by CPU seconds of this process (all its threads); inf: not reached."""

    labels: tuple[str | int, ...]
    value: float
    cpu: float | None = None


@dataclass(frozen=True)
class Measurement:
    """Table to measure. ``axes``: names of the labels; ``read``: reads all figures once; ``runs``: at most so many make sense."""

    title: str
    unit: str
    axes: tuple[str, ...]
    read: Callable[[], Iterable[Reading]]
    runs: int = 1000


def measure(table: Measurement, runs: Iterable[int]) -> dict[str, Any]:
    """Return a table with all readings, None for what was not reached; other load affects all figures of a run alike."""
    figures: dict[tuple[str | int, ...], dict[str, Any]] = {}
    for labels, *values in (reading for _ in runs for reading in table.read()):
        figure = figures.setdefault(labels, {"labels": list(labels), "values": [], "cpu": []})
        for key, value in zip(("values", "cpu"), values, strict=True):
            figure[key] += [] if value is None else [None if value == inf else value]
    return {"title": table.title, "unit": table.unit, "axes": list(table.axes), "figures": list(figures.values())}


def markdown(results: dict[str, Any]) -> str:
    """Return the machine and all tables: median, half the range in per cent, and median by CPU time where it was measured."""

    def cell(readings: list[float | None]) -> str:
        value = median(inf if value is None else value for value in readings) if readings else inf
        return "not reached" if value == inf else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"

    about = ", ".join(f"{key} {value}" for key, value in results["machine"].items())
    parts = [textwrap.fill(f"Machine: {about}.", 120)]
    for name, table in results["tables"].items():
        has_cpu = any(figure["cpu"] for figure in table["figures"])
        heads = [*table["axes"], table["unit"], "±", *["by CPU time"] * has_cpu]
        rows = [heads, ["---"] * len(heads)]
        for figure in table["figures"]:
            values = figure["values"]
            spread = "" if None in values else f"{50 * (max(values) - min(values)) / median(values):.0f} %"
            rows.append([*map(str, figure["labels"]), cell(values), spread, *[cell(figure["cpu"])] * has_cpu])
        lines = (f"| {' | '.join(row)} |" for row in rows)
        parts.append("\n".join([f"**{name}.** {table['title']}", "", *lines]))
    return "\n\n".join(parts) + "\n"


def machine() -> dict[str, Any]:
    """Return date, processor, cores that this process may use, load of the last minute, system and versions."""
    linux = Path("/proc/cpuinfo")
    models = re.findall("^model name.*: (.+)", linux.read_text("utf-8"), re.MULTILINE) if linux.exists() else []
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": models[0] if models else platform.processor() or platform.machine(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "planetwars-env": PACKAGE_VERSION,
        **{package: version(package) for package in ("numba", "numpy")},
    }


def batch_table(sizes: Sizes) -> Measurement:
    """Return the table of `Batch.step`: both players, time, reset, observation and reward."""

    def read() -> Iterator[Reading]:
        for case in product(sizes.opponents, sizes.games, sizes.threads):
            if case[2] <= case[1]:
                yield Reading(case, *rates(open_batch(*case, sizes.settle)[1], sizes.seconds))

    title = "The compiled step: pool test, default tensors under CLASSIC limits, actions drawn beforehand"
    return Measurement(title, "env steps/s", ("opponent", "games", "threads"), read)


def rules_table(sizes: Sizes) -> Measurement:
    """Return the table of turns without orders, in mid-game; an environment step has two turns."""

    def read() -> Iterator[Reading]:
        for games in sizes.games:
            if games > 1:  # a call for one turn measures the call
                batch, _ = open_batch("random", games, settle=sizes.settle)
                batch.state.status[:, LIMIT] = NO_LIMIT
                rows = np.tile(np.arange(games), 32)
                yield Reading((games,), *rates(partial(_end_turns, batch, rows), sizes.seconds))

    return Measurement("The rules alone: turns without orders, pool test, one thread", "turns/s", ("games",), read)


def _end_turns(batch: Batch, rows: Array) -> int:
    end_turns(batch.state, batch.board, rows)
    return len(rows)


def memory_table(_: Sizes) -> Measurement:
    """Return the table of bytes per game: of `State`, and of the step buffers with the actions."""

    def read() -> Iterator[Reading]:
        for rules, actions in (*product(["PLANETWARS"], ["turn", "order"]), ("PLANETWARS_HALF_STEP", "turn")):
            batch = Batch(games := 64, EnvArguments(rules, actions=actions).setup(Autoreset.SAME_STEP))
            for part, arrays in (("state", batch.state), ("buffers", (*batch.buffers, batch.actions))):
                yield Reading((rules, actions, part), sum(array.nbytes for array in arrays) / games)

    return Measurement("Memory of a game, pool train", "bytes", ("rules", "actions", "part"), read, runs=1)


def learning_table(sizes: Sizes) -> Measurement:
    """Return the table of the seconds of training to each goal; a run trains with the next seed, from 0."""
    seeds = count()

    def read() -> Iterator[Reading]:
        reached = _Training(sizes, next(seeds)).reached()
        for graphs, goal in sizes.goals:
            yield Reading((f"{goal:.0%} against {sizes.opponent} on {graphs}",), *reached.get(graphs, (inf, inf)))

    title = (
        f"Training {sizes.config} from nothing: seconds, without evaluations, until it wins so many of "
        f"{sizes.evaluation_games} games greedily; {max(sizes.threads)} process(es), {sizes.minutes:g} minutes of CPU "
        "time at most"
    )
    return Measurement(title, "s", ("goal",), read, runs=3)


class _Training:
    """Training run and its callback, which evaluates the checkpoints and ends the run as Ctrl-C does."""

    def __init__(self, sizes: Sizes, seed: int) -> None:
        self.sizes, self.seed, self.processes = sizes, seed, max(sizes.threads)
        self.seconds: dict[str, tuple[float, float]] = {}
        self.steps = self.evaluated_at = 0
        self.spent = np.zeros(2)
        """Seconds by the clock and of CPU time: that of process 0, times the number of processes."""

    def reached(self) -> dict[str, tuple[float, float]]:
        """Train, and return by graphs the seconds to the goal."""
        from planetwars_env.learn.config import load_config
        from planetwars_env.learn.run import train

        config = load_config(self.sizes.config)
        schedule = replace(config.schedule, evaluate_every=10**12, checkpoint_every=self.sizes.evaluate_every)
        config = replace(config, schedule=schedule)
        with tempfile.TemporaryDirectory() as folder:
            train(config, f"{folder}/compiled", steps=1)  # compiles what is not compiled yet, before the clock runs
            self.folder = f"{folder}/run"
            if train(config, self.folder, seed=self.seed, processes=self.processes, callback=self).end == "done":
                self.evaluate()
        return self.seconds

    def on_start(self, steps: int, total: int) -> None:
        self.clocks = np.array([time.perf_counter(), time.process_time()])

    def on_update(self, steps: int, win_rate: float | None, steps_per_second: float) -> None:
        took = np.array([time.perf_counter(), time.process_time()]) - self.clocks
        if self.steps - self.evaluated_at >= self.sizes.evaluate_every:
            self.evaluate()  # the checkpoint that was saved after the update before
        self.steps, self.spent = steps, self.spent + took * (1, self.processes)
        if len(self.seconds) == len(self.sizes.goals) or self.spent[1] > 60 * self.sizes.minutes:
            raise KeyboardInterrupt
        self.on_start(0, 0)

    def on_evaluation(self, steps: int, results: list[Any], sampled: list[Any]) -> None: ...

    def evaluate(self) -> None:
        import torch

        from planetwars_env.arena.evaluation import evaluate
        from planetwars_env.learn.agent import load_agent

        self.evaluated_at = self.steps
        with torch.random.fork_rng():  # a new network draws from the generator of the run
            agent = load_agent(self.folder)
        for graphs, goal in self.sizes.goals:
            if graphs not in self.seconds:
                (result,) = evaluate(agent, [self.sizes.opponent], graphs, self.sizes.evaluation_games)
                progress = f"seed {self.seed}, {self.steps:,} steps, {self.spent[1]:.0f} CPU s"
                print(f"{progress}, {graphs}: {result}", file=sys.stderr)
                if result.total.win_rate >= goal:
                    self.seconds[graphs] = self.spent[0], self.spent[1]


TABLES = {"batch": batch_table, "rules": rules_table, "memory": memory_table, "learning": learning_table}


def rates(work: Callable[[], int], seconds: float) -> tuple[float, float]:
    """Return units of ``work``, which returns their number, per wall-clock second and per CPU second of this process."""
    work()
    clock, processor, done = time.perf_counter(), time.process_time(), 0
    while done == 0 or time.perf_counter() < clock + seconds:
        done += work()
    return done / (time.perf_counter() - clock), done / max(time.process_time() - processor, 1e-9)


def open_batch(
    opponent: str, games: int, threads: int = 1, settle: int = 0, graphs: Any = "test", limits: Limits = CLASSIC
) -> tuple[Batch, Callable[[], int]]:
    """Return a batch of games that are 0 to ``settle`` steps old, evenly spread, and work for `rates`: random steps of it.

    Half of the planets wait, and the others send along one of their first edges; the same arguments give the same games.
    """
    arguments = EnvArguments(opponent=opponent, graphs=graphs, limits=limits)
    batch = Batch(games, arguments.setup(Autoreset.SAME_STEP), threads)
    batch.seed(0)
    batch.reset()
    rng = np.random.default_rng(0)
    shape = (max(4, min(256, 16384 // games)), *batch.actions.shape)
    sends = 1 + rng.integers(min(3, limits.degree) * len(FRACTIONS), size=shape)
    actions = np.where(rng.random(shape) < 0.5, 0, sends)

    def play(chosen: Array = actions) -> int:
        for action in chosen:
            batch.actions[:] = action
            batch.step()
        return games * len(chosen)

    for age in range(settle):
        play(actions[age % len(actions), None])
        batch.reset(np.arange(games) * settle // games == age)
    return batch, play
