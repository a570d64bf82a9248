"""Table of learning: seconds of training, from nothing, until an agent wins a given part of its games."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from math import inf
from typing import NamedTuple

import typer

from planetwars_env.benchmark.measure import Reading, Table
from planetwars_env.benchmark.settings import BenchmarkSettings
from planetwars_env.benchmark.training import updates
from planetwars_env.learn.config import TrainConfig, load_config
from planetwars_env.learn.learner import Learner, make_learner
from planetwars_env.learn.periodic_evaluation import evaluate_weights
from planetwars_env.learn.plugs import import_plugs

_OPPONENT = "ai3"


class Point(NamedTuple):
    """Point of a learning curve: the win rate on ``graphs`` after ``steps``, in seconds of training by both clocks."""

    steps: int
    seconds: float
    cpu_seconds: float
    graphs: str
    win_rate: float

    def __str__(self) -> str:
        return f"{self.steps:,} steps, {self.cpu_seconds:.0f} s of CPU time: {self.win_rate:.1%} on {self.graphs}"


def table(settings: BenchmarkSettings) -> Table:
    """Return the table of the seconds to each goal; every run trains with the next seed, from 0."""
    config, minutes = load_config(settings.learning_config), settings.learning_minutes
    config = replace(config, learner=replace(config.learner, processes=max(settings.threads)))
    seeds = count()

    def probe(_: float) -> Iterator[Reading]:
        seeded = replace(config, schedule=replace(config.schedule, seed=next(seeds)))
        curve = learning_curve(seeded, settings)
        for graphs, goal in settings.learning_goals:
            points = [point for point in curve if point.graphs == graphs]
            reached = next((point for point in points if point.win_rate >= goal), None)
            seconds = (reached.seconds, reached.cpu_seconds) if reached else (inf, inf)
            yield Reading(
                (f"{goal:.0%} against {_OPPONENT} on {graphs}",), *seconds, [point._asdict() for point in points]
            )

    return Table(
        "learning",
        f"Training {settings.learning_config} from nothing: seconds, without evaluations, until its most probable actions "
        f"win so many of {settings.learning_games} games; {config.learner.processes} process(es), "
        f"{minutes:g} minutes of CPU time at most",
        "s",
        ("goal",),
        [probe],
        runs=3,
        missing=f"not within {minutes:g} min",
    )


def learning_curve(config: TrainConfig, settings: BenchmarkSettings) -> list[Point]:
    """Train until every goal of ``settings`` is reached, the schedule ends or the minutes of CPU time are used up.

    CPU time is that of process 0, times the number of processes.
    """
    import_plugs(config)
    make_learner(config).advance()  # compiles what is not compiled yet, before the clock runs
    with updates(config, config.learner.processes) as (learner, update):
        return _learning_curve(config, settings, learner, update)


def _learning_curve(
    config: TrainConfig, settings: BenchmarkSettings, learner: Learner, update: Callable[[], None]
) -> list[Point]:
    curve, seconds, cpu_seconds, measured_at = list[Point](), 0.0, 0.0, 0
    goals = dict(settings.learning_goals)
    while goals and learner.steps < config.schedule.steps and cpu_seconds < 60 * settings.learning_minutes:
        clock, processor = time.perf_counter(), time.process_time()
        update()
        seconds += time.perf_counter() - clock
        cpu_seconds += (time.process_time() - processor) * config.learner.processes
        if min(learner.steps, config.schedule.steps) - measured_at < settings.learning_every:
            continue
        measured_at = learner.steps
        for graphs, goal in list(goals.items()):
            (result,) = evaluate_weights(config, learner.weights(), (_OPPONENT,), graphs, settings.learning_games)
            curve.append(Point(learner.steps, seconds, cpu_seconds, graphs, result.total.win_rate))
            typer.echo(f"seed {config.schedule.seed}: {curve[-1]}", err=True)
            if result.total.win_rate >= goal:
                del goals[graphs]
    return curve
