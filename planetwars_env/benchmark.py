"""Tables of `planetwars benchmark`: environment steps, the rules alone, memory of a game, and seconds of learning."""

import os
import platform
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from itertools import count, product
from math import inf
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from planetwars_env.arena.evaluation import evaluate
from planetwars_env.arena.tables import Table
from planetwars_env.bots.bot_codes import BOTS
from planetwars_env.codec.limits import FRACTIONS
from planetwars_env.engine.columns import LIMIT, NO_LIMIT
from planetwars_env.engine.entry_points import end_turns
from planetwars_env.engine.state import Array
from planetwars_env.envs.arguments import EnvArguments
from planetwars_env.shipped import PACKAGE_VERSION
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.setup import Autoreset


class Reading(NamedTuple):
    """Measurement by wall-clock seconds, and by CPU seconds of this process (all its threads); None: not reached."""

    labels: tuple[str | int, ...]
    value: float | None
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
    """Return a table with all readings; other load affects all figures of a run alike."""
    figures: dict[tuple[str | int, ...], dict[str, Any]] = {}
    for labels, value, cpu in (reading for _ in runs for reading in table.read()):
        figure = figures.setdefault(labels, {"labels": list(labels), "values": [], "cpu": []})
        figure["values"].append(value)
        figure["cpu"].append(cpu)
    return {"title": table.title, "unit": table.unit, "axes": list(table.axes), "figures": list(figures.values())}


def markdown(results: dict[str, Any]) -> str:
    """Return the machine and all tables: median, half the range in per cent, and median by CPU time where it was measured."""

    def cell(readings: list[Any]) -> str:
        value = median(inf if reading is None else reading for reading in readings)
        if value == inf:
            return "not reached"
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"

    about = ", ".join(f"{key} {value}" for key, value in results["machine"].items())
    parts = [textwrap.fill(f"Machine: {about}.", 120) + "\n"]
    for name, measured in results["tables"].items():
        rows = []
        for figure in measured["figures"]:
            values = figure["values"]
            spread = "" if None in values else f"{50 * (max(values) - min(values)) / median(values):.0f} %"
            rows.append([*map(str, figure["labels"]), cell(values), spread, cell(figure["cpu"])])
        table = Table(measured["title"], [*measured["axes"], measured["unit"], "±", "by CPU time"], rows)
        if all(set(figure["cpu"]) == {None} for figure in measured["figures"]):
            table = table.without("by CPU time")
        parts.append(f"**{name}.** {table.title}\n\n{table.markdown()}")
    return "\n".join(parts)


def machine() -> dict[str, Any]:
    """Return date, processor, cores that this process may use, load of the last minute, system and versions."""
    linux = Path("/proc/cpuinfo")
    lines = linux.read_text("utf-8").splitlines() if linux.exists() else []
    models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "processor": models[0] if models else platform.processor() or platform.machine(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "planetwars-env": PACKAGE_VERSION,
        **{package: version(package) for package in ("numba", "numpy")},
    }


def tables(quick: bool = False) -> dict[str, Measurement]:
    """Return the tables by name; ``quick``: of fewer sizes, and measured for a shorter time."""
    settled = (40, 0.2) if quick else (100, 0.5)
    opponents, games = (("random", "ai3"), (1, 1024)) if quick else (tuple(BOTS), (1, 64, 1024, 8192))
    batch = "The compiled step: pool test, default tensors under CLASSIC limits, actions drawn beforehand"
    rules = "The rules alone: turns without orders, pool test, one thread; an environment step has two turns"
    learning = "Training from nothing: seconds, without evaluations, until so many games are won greedily; one process"
    cases = [case for case in product(opponents, games, (1, 2)) if case[2] <= case[1]]
    of_steps, of_memory, seeds = ("opponent", "games", "threads"), ("rules", "actions", "part"), count()
    return {
        "batch": Measurement(batch, "env steps/s", of_steps, partial(read_batch, cases, *settled)),
        "rules": Measurement(rules, "turns/s", ("games",), partial(read_rules, games[1:], *settled)),
        "memory": Measurement("Memory of a game, pool train", "bytes", of_memory, read_memory, runs=1),
        "learning": Measurement(learning, "s", ("goal",), lambda: read_learning(next(seeds)), runs=3),
    }


def read_batch(cases: Iterable[tuple[str, int, int]], settle: int, seconds: float) -> Iterator[Reading]:
    """Yield the steps per second of a batch by opponent, games and threads."""
    for case in cases:
        yield Reading(case, *rates(open_batch(*case, settle)[1], seconds))


def read_rules(sizes: Iterable[int], settle: int, seconds: float) -> Iterator[Reading]:
    """Yield the turns per second by the number of games; with one game a call would be measured, not the turn."""
    for games in sizes:
        batch, _ = open_batch("random", games, settle=settle)
        batch.state.status[:, LIMIT] = NO_LIMIT
        rows = np.tile(np.arange(games), 32)
        calls = rates(partial(end_turns, batch.state, batch.board, rows), seconds)
        yield Reading((games,), *(len(rows) * rate for rate in calls))


def read_memory() -> Iterator[Reading]:
    """Yield the bytes of `State`, and of the step buffers with the actions."""
    for rules, actions in (*product(["PLANETWARS"], ["turn", "order"]), ("PLANETWARS_HALF_STEP", "turn")):
        batch = Batch(games := 64, EnvArguments(rules, actions=actions).setup(Autoreset.SAME_STEP))
        for part, arrays in (("state", batch.state), ("buffers", (*batch.buffers, batch.actions))):
            yield Reading((rules, actions, part), sum(array.nbytes for array in arrays) / games)


def read_learning(
    seed: int, config: str = "graph-planetwars-small", goals: Iterable[tuple[str, float]] = (("test", 0.85), ("fair", 0.95)),
    games: int = 200, every: int = 100_000, minutes: float = 20,
) -> Iterator[Reading]:  # fmt: skip
    """Yield the wall-clock and CPU seconds until the agent, measured every so many steps, has reached each goal."""
    from planetwars_env.learn.agent import Agent
    from planetwars_env.learn.config import load_config
    from planetwars_env.learn.ppo import make_learner

    chosen = load_config(config)
    chosen = replace(chosen, schedule=replace(chosen.schedule, seed=seed))
    make_learner(chosen).advance()  # compiles what is not compiled yet, before the clock runs
    agent, learner, spent = Agent("learner", chosen), make_learner(chosen), np.zeros(2)
    reached: dict[tuple[str, float], Any] = dict.fromkeys(goals)
    while None in reached.values() and spent[1] < 60 * minutes:
        due, begun = learner.steps + every, (time.perf_counter(), time.process_time())
        while learner.steps < due:
            learner.advance()
        spent += np.subtract((time.perf_counter(), time.process_time()), begun)
        agent.network.load_state_dict(learner.weights())
        for graphs, goal in [each for each, seconds in reached.items() if seconds is None]:
            (result,) = evaluate(agent, "ai3", graphs, games)
            print(f"seed {seed}, {learner.steps:,} steps, {spent[1]:.0f} CPU s, {graphs}: {result}", file=sys.stderr)
            if result.total.win_rate >= goal:
                reached[graphs, goal] = spent.tolist()
    for (graphs, goal), seconds in reached.items():
        yield Reading((f"{goal:.0%} against ai3 on {graphs}",), *(seconds or (None, None)))


def rates(work: Callable[[], int | None], seconds: float) -> tuple[float, float]:
    """Return the units that ``work`` returns, else its calls, per wall-clock second and per CPU second of this process."""
    work()
    clock, processor, done = time.perf_counter(), time.process_time(), 0
    while done == 0 or time.perf_counter() < clock + seconds:
        done += work() or 1
    return done / (time.perf_counter() - clock), done / max(time.process_time() - processor, 1e-9)


def open_batch(
    opponent: str, games: int, threads: int = 1, settle: int = 0, **more: Any
) -> tuple[Batch, Callable[[], int]]:
    """Return a batch of games that are 0 to ``settle`` steps old, evenly spread, and work for `rates`: random steps of it.

    Half of the planets wait, and the others send along one of their first edges. ``more``: of `EnvArguments`.
    """
    setup = EnvArguments(opponent=opponent, **{"graphs": "test", **more}).setup(Autoreset.SAME_STEP)
    batch = Batch(games, setup, threads)
    batch.seed(0)
    batch.reset()
    rng = np.random.default_rng(0)
    shape = (max(4, min(256, 16384 // games)), *batch.actions.shape)
    sends = 1 + rng.integers(min(3, setup.limits.degree) * len(FRACTIONS), size=shape)
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
