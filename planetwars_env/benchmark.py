"""Tables of `planetwars benchmark`: environment steps, the rules alone, memory of a game, and seconds of learning."""

import os
import platform
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from itertools import count, cycle, product
from math import inf
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from planetwars_env.bots.bot_codes import BOTS
from planetwars_env.codec.limits import CLASSIC, FRACTIONS, LARGE, Limits
from planetwars_env.engine.columns import LIMIT, NO_LIMIT
from planetwars_env.engine.entry_points import end_turns
from planetwars_env.engine.state import Array
from planetwars_env.envs.arguments import EnvArguments
from planetwars_env.shipped import PACKAGE_VERSION
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.setup import Autoreset


@dataclass(frozen=True)
class Sizes:
    """Sizes of the tables. ``settle``: games are between their start and this many steps old when they are measured.

    Of the table learning, ``goals``: graphs, and the win rate on them at which the clock stops; ``evaluate_every``:
    environment steps; ``minutes``: CPU time of a training run at most.
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
    """Measurement of a figure by wall-clock seconds, and by CPU seconds of this process (all its threads)."""

    labels: tuple[str | int, ...]
    value: float
    cpu: float | None = None


@dataclass(frozen=True)
class Measurement:
    """Quantity to measure. A probe gives readings; ``axes``: names of their labels; ``runs``: at most so many make sense."""

    title: str
    unit: str
    axes: tuple[str, ...]
    probes: Sequence[Callable[[], Iterable[Reading]]]
    runs: int = 1000


def measure(table: Measurement, runs: int, tick: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Return title, unit, axes and figures of a table: labels with all readings, None for what was not reached.

    A run goes through all probes, so that other load on the machine affects all figures alike.
    """
    figures: dict[tuple[str | int, ...], dict[str, Any]] = {}
    for _ in range(min(runs, table.runs)):
        for probe in table.probes:
            for labels, value, cpu in probe():
                figure = figures.setdefault(labels, {"labels": list(labels), "values": [], "cpu": []})
                figure["values"].append(None if value == inf else value)
                figure["cpu"] += [] if cpu is None else [None if cpu == inf else cpu]
            tick()
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
        rows = [[*table["axes"], table["unit"], "±", *["by CPU time"] * has_cpu]]
        rows.append(["---"] * len(rows[0]))
        for figure in table["figures"]:
            values = figure["values"]
            spread = "" if None in values else f"{50 * (max(values) - min(values)) / median(values):.0f} %"
            cells = *map(str, figure["labels"]), cell(values), spread, *[cell(figure["cpu"])] * has_cpu
            rows.append(list(cells))
        lines = (f"| {' | '.join(row)} |" for row in rows)
        parts.append("\n".join([f"**{name}.** {table['title']}", "", *lines]))
    return "\n\n".join(parts) + "\n"


def machine() -> dict[str, Any]:
    """Return date, processor, cores that this process may use, load of the last minute, system and versions."""
    about = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").exists() else ""
    names = [line.partition(":")[2].strip() for line in about.splitlines() if line.startswith("model name")]
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": names[0] if names else platform.processor() or platform.machine(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "planetwars-env": PACKAGE_VERSION,
        **{package: version(package) for package in ("numba", "numpy")},
    }


def batch_table(sizes: Sizes) -> Measurement:
    """Return the table of `Batch.step`: both players, time, reset, observation and reward."""

    def probe(opponent: str, games: int, threads: int) -> Iterator[Reading]:
        batch, actions = open_batch(opponent, games, threads, sizes.settle)
        yield Reading((opponent, games, threads), *rates(lambda: _play(batch, actions), sizes.seconds))

    cases = [case for case in product(sizes.opponents, sizes.games, sizes.threads) if case[2] <= case[1]]
    title = "The compiled step: pool test, default tensors under CLASSIC limits, actions drawn beforehand"
    return Measurement(
        title, "env steps/s", ("opponent", "games", "threads"), [partial(probe, *case) for case in cases]
    )


def rules_table(sizes: Sizes) -> Measurement:
    """Return the table of turns without orders, in mid-game; an environment step has two turns."""

    def probe(games: int) -> Iterator[Reading]:
        batch, _ = open_batch("random", games, settle=sizes.settle)
        batch.state.status[:, LIMIT] = NO_LIMIT
        rows = np.arange(games)

        def turns() -> int:
            for _ in range(32):
                end_turns(batch.state, batch.board, rows)
            return 32 * games

        yield Reading((games,), *rates(turns, sizes.seconds))

    probes = [partial(probe, games) for games in sizes.games if games > 1]  # a call for one turn measures the call
    return Measurement("The rules alone: turns without orders, pool test, one thread", "turns/s", ("games",), probes)


def memory_table(sizes: Sizes) -> Measurement:
    """Return the table of bytes per game: of `State`, and of the step buffers with the actions."""

    def probe(rules: str, pool: str, actions: str, limits: Limits) -> Iterator[Reading]:
        setup = EnvArguments(rules, graphs=pool, actions=actions, limits=limits).setup(Autoreset.SAME_STEP)
        batch = Batch(games := 64, setup)
        for part, arrays in (("state", batch.state), ("buffers", (*batch.buffers, batch.actions))):
            yield Reading((rules, pool, actions, part), sum(array.nbytes for array in arrays) / games)

    cases = [
        ("PLANETWARS", "train", "turn", CLASSIC),
        ("PLANETWARS", "train", "order", CLASSIC),
        ("PLANETWARS_HALF_STEP", "train", "turn", CLASSIC),
        ("SPACE_EXPLORERS", "train", "turn", CLASSIC),
        ("PLANETWARS", "large", "turn", LARGE),
    ]
    probes = [partial(probe, *case) for case in cases]
    return Measurement("Memory of a game", "bytes", ("rules", "pool", "actions", "part"), probes, runs=1)


def learning_table(sizes: Sizes) -> Measurement:
    """Return the table of the seconds of training to each goal; a run trains with the next seed, from 0.

    CPU time is that of process 0, times the number of processes.
    """
    from planetwars_env.learn.config import load_config
    from planetwars_env.learn.run import train

    seeds, config, processes = count(), load_config(sizes.config), max(sizes.threads)

    def probe() -> Iterator[Reading]:
        seed = next(seeds)
        schedule = replace(config.schedule, evaluate_every=10**12, checkpoint_every=sizes.evaluate_every)
        chosen = replace(config, schedule=schedule)
        with tempfile.TemporaryDirectory() as folder:
            train(chosen, f"{folder}/compiled", steps=1)  # compiles what is not compiled yet, before the clock runs
            clock = _Clock(sizes, seed, processes, Path(folder) / "run")
            if train(chosen, clock.folder, seed=seed, processes=processes, callback=clock).end == "done":
                clock.evaluate()
        for graphs, goal in sizes.goals:
            yield Reading((f"{goal:.0%} against {sizes.opponent} on {graphs}",), *clock.reached.get(graphs, (inf, inf)))

    title = (
        f"Training {sizes.config} from nothing: seconds, without evaluations, until it wins so many of "
        f"{sizes.evaluation_games} games greedily; {processes} process(es), {sizes.minutes:g} minutes of CPU time at most"
    )
    return Measurement(title, "s", ("goal",), [probe], runs=3)


class _Clock:
    """Callback of a training run that evaluates its checkpoints, and ends it as Ctrl-C does."""

    def __init__(self, sizes: Sizes, seed: int, processes: int, folder: Path) -> None:
        self.sizes, self.seed, self.processes, self.folder = sizes, seed, processes, folder
        self.reached: dict[str, tuple[float, float]] = {}
        self.steps = self.evaluated_at = 0
        self.spent = np.zeros(2)

    def on_start(self, steps: int, total: int) -> None:
        self.clocks = np.array([time.perf_counter(), time.process_time()])

    def on_update(self, steps: int, win_rate: float | None, steps_per_second: float) -> None:
        took = np.array([time.perf_counter(), time.process_time()]) - self.clocks
        if self.steps - self.evaluated_at >= self.sizes.evaluate_every:
            self.evaluate()  # the checkpoint that was saved after the update before
        self.steps, self.spent = steps, self.spent + took * (1, self.processes)
        if len(self.reached) == len(self.sizes.goals) or self.spent[1] > 60 * self.sizes.minutes:
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
            if graphs not in self.reached:
                (result,) = evaluate(agent, [self.sizes.opponent], graphs, self.sizes.evaluation_games)
                print(
                    f"seed {self.seed}, {self.steps:,} steps, {self.spent[1]:.0f} CPU s, {graphs}: {result}",
                    file=sys.stderr,
                )
                if result.total.win_rate >= goal:
                    self.reached[graphs] = self.spent[0], self.spent[1]


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
) -> tuple[Batch, list[Array]]:
    """Return a batch of games that are 0 to ``settle`` steps old, evenly spread, and random actions for its steps.

    Half of the planets wait, and the others send along one of their first edges; the same arguments give the same games.
    """
    batch = Batch(
        games, EnvArguments(opponent=opponent, graphs=graphs, limits=limits).setup(Autoreset.SAME_STEP), threads
    )
    batch.seed(0)
    batch.reset()
    rng = np.random.default_rng(0)
    shape = (max(4, min(256, 16384 // games)), *batch.actions.shape)
    sends = 1 + rng.integers(min(3, limits.degree) * len(FRACTIONS), size=shape)
    actions = list(np.where(rng.random(shape) < 0.5, 0, sends))
    ages = np.arange(games) * settle // games
    for age, action in zip(range(settle), cycle(actions), strict=False):
        _play(batch, [action])
        batch.reset(ages == age)
    return batch, actions


def _play(batch: Batch, actions: Sequence[Array]) -> int:
    for action in actions:
        batch.actions[:] = action
        batch.step()
    return len(actions) * len(batch.actions)
