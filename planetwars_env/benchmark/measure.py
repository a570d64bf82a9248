"""Figures: what is measured, several times, in turn with what it is compared to."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

Labels = tuple[str | int, ...]
Work = Callable[[], int]
"""Does a piece of work and says how many units it was."""


class Reading(NamedTuple):
    """One measurement: ``value`` in the unit of its table, ``cpu`` the same by this process's CPU seconds, if that is a rate."""

    labels: Labels
    value: float
    cpu: float | None = None


Probe = Callable[[float], Iterable[Reading]]
"""Measures for about so many seconds."""


@dataclass(frozen=True)
class Table:
    """What is measured under one heading. ``axes`` name the labels, ``against`` maps labels to those they are compared with.

    ``runs``: where more than so many say no more (memory: 1) or cost too much.
    """

    name: str
    title: str
    unit: str
    axes: tuple[str, ...]
    probes: Sequence[Probe]
    against: Mapping[Labels, Labels] = field(default_factory=dict)
    runs: int | None = None


@dataclass
class Figure:
    """All readings of one thing; ``ratios`` to what it is compared with, run by run."""

    labels: Labels
    values: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    cpu_ratios: list[float] = field(default_factory=list)

    @property
    def value(self) -> float:
        """The median."""
        return median(self.values)

    @property
    def ratio(self) -> float | None:
        """The median of the ratios, if it is compared with anything."""
        return median(self.ratios) if self.ratios else None

    @property
    def spread(self) -> float:
        """Half the range, as a share of the median."""
        return (max(self.values) - min(self.values)) / 2 / self.value if self.value else 0.0


def throughput(labels: Labels, make: Callable[[], AbstractContextManager[Work]]) -> Probe:
    """Units a second of the work that ``make`` prepares; preparing it and its first piece do not count."""

    def probe(seconds: float) -> list[Reading]:
        with make() as work:
            work()
            return [Reading(labels, *rates(work, seconds))]

    return probe


def longer(probes: Iterable[Probe], times: float) -> list[Probe]:
    """The same, each measuring so many times as long: for work whose pieces are longer than other tables' figures."""
    return [lambda seconds, probe=probe: probe(times * seconds) for probe in probes]


def rates(work: Work, seconds: float) -> tuple[float, float]:
    """Units by second of the clock, and by second of the processor that this process had, all its threads together."""
    clock, processor = time.perf_counter(), time.process_time()
    done = work()
    while time.perf_counter() < clock + seconds:
        done += work()
    passed, used = time.perf_counter() - clock, time.process_time() - processor
    return done / passed, done / max(used, 1e-9)


def measure(table: Table, runs: int, seconds: float, tick: Callable[[], None]) -> list[Figure]:
    """The figures of a table. Runs go through all of it in turn, so that what else the machine does hits all alike."""
    figures: dict[Labels, Figure] = {}
    for _ in range(runs_of(table, runs)):
        for probe in table.probes:
            for reading in probe(seconds):
                figure = figures.setdefault(reading.labels, Figure(reading.labels))
                figure.values.append(reading.value)
                figure.cpu += [] if reading.cpu is None else [reading.cpu]
            tick()
    for labels, other in table.against.items():
        figure, base = figures[labels], figures[other]
        figure.ratios = [a / b for a, b in zip(figure.values, base.values, strict=True)]
        figure.cpu_ratios = [a / b for a, b in zip(figure.cpu, base.cpu, strict=True)]
    return list(figures.values())


def runs_of(table: Table, runs: int) -> int:
    """How often a table is measured when ``runs`` are asked for."""
    return runs if table.runs is None else min(runs, table.runs)
