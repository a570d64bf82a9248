"""Measurement of figures: several runs, interleaved with those of the figures they are compared with."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from statistics import median
from typing import Any, NamedTuple

Labels = tuple[str | int, ...]
Work = Callable[[], int]
"""Does a piece of work and returns the number of its units."""


class Reading(NamedTuple):
    """One measurement: ``value`` in the unit of its table; ``cpu``: the same by CPU seconds of this process.

    Infinity where what is measured did not come to pass. ``curve``: the way there, as rows.
    """

    labels: Labels
    value: float
    cpu: float | None = None
    curve: list[dict[str, Any]] | None = None


Probe = Callable[[float], Iterable[Reading]]
"""Measures for about this number of seconds."""


@dataclass(frozen=True)
class Table:
    """Table of figures. ``axes``: names of the labels. ``against``: labels to those of the figure to compare with.

    ``runs``: an upper bound, where more runs tell nothing new or cost too much. ``missing``: the cell of a figure whose
    median is infinite.
    """

    name: str
    title: str
    unit: str
    axes: tuple[str, ...]
    probes: Sequence[Probe]
    against: Mapping[Labels, Labels] = field(default_factory=dict)
    runs: int | None = None
    missing: str = ""


@dataclass
class Figure:
    """All readings of one figure, and its ``ratios`` to the figure it is compared with, run by run."""

    labels: Labels
    values: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    cpu_ratios: list[float] = field(default_factory=list)
    curves: list[list[dict[str, Any]]] = field(default_factory=list)

    @property
    def value(self) -> float:
        """Median of the readings."""
        return median(self.values)

    @property
    def ratio(self) -> float | None:
        """Median of the ratios; None without a comparison."""
        return median(self.ratios) if self.ratios else None

    @property
    def spread(self) -> float:
        """Half the range, as a fraction of the median."""
        return (max(self.values) - min(self.values)) / 2 / self.value if self.value else 0.0


def throughput_table(
    name: str,
    title: str,
    axes: tuple[str, ...],
    cases: Mapping[Labels, Callable[[], AbstractContextManager[Work]]],
    against: Mapping[Labels, Labels],
    unit: str = "env steps/s",
    seconds_factor: float = 1.0,
    runs: int | None = None,
) -> Table:
    """Return a table of the units per second of the work that each case prepares; preparation does not count.

    ``seconds_factor``: longer measurements, for work in large pieces.
    """
    probes = [_throughput(labels, make, seconds_factor) for labels, make in cases.items()]
    return Table(name, title, unit, axes, probes, against, runs)


def _throughput(labels: Labels, make: Callable[[], AbstractContextManager[Work]], factor: float) -> Probe:
    def probe(seconds: float) -> list[Reading]:
        with make() as work:
            work()
            return [Reading(labels, *rates(work, factor * seconds))]

    return probe


def rates(work: Work, seconds: float) -> tuple[float, float]:
    """Return units per wall-clock second and per CPU second of this process, over all its threads."""
    clock, processor = time.perf_counter(), time.process_time()
    done = work()
    while time.perf_counter() < clock + seconds:
        done += work()
    passed, used = time.perf_counter() - clock, time.process_time() - processor
    return done / passed, done / max(used, 1e-9)


def measure(table: Table, runs: int, seconds: float, tick: Callable[[], None]) -> list[Figure]:
    """Return the figures of a table; a run goes through all probes, so that other load affects all figures alike."""
    figures: dict[Labels, Figure] = {}
    for _ in range(runs_of(table, runs)):
        for probe in table.probes:
            for reading in probe(seconds):
                figure = figures.setdefault(reading.labels, Figure(reading.labels))
                figure.values.append(reading.value)
                figure.cpu += [] if reading.cpu is None else [reading.cpu]
                figure.curves += [] if reading.curve is None else [reading.curve]
            tick()
    for labels, other in table.against.items():
        figure, base = figures[labels], figures[other]
        figure.ratios = [a / b for a, b in zip(figure.values, base.values, strict=True)]
        figure.cpu_ratios = [a / b for a, b in zip(figure.cpu, base.cpu, strict=True)]
    return list(figures.values())


def runs_of(table: Table, runs: int) -> int:
    """Return the number of runs of a table when ``runs`` are asked for."""
    return runs if table.runs is None else min(runs, table.runs)
