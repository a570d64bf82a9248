"""Performance targets, and a report of whether the measured figures reach them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from planetwars_env.benchmark.measure import Labels
from planetwars_env.benchmark.report import FREE_CORES, Results, find, number


class Target(NamedTuple):
    """Target for a figure: its ``field`` ("median" or "ratio") is at least ``least`` and at most ``most``.

    It is meaningful only where about ``cores`` cores were free.
    """

    about: str
    table: str
    labels: Labels
    field: str
    least: float = 0
    most: float = float("inf")
    cores: int = 1


_FREE_ENOUGH = 0.95
TARGETS = [
    Target("env steps/s against random, one thread", "batch", ("random", 1024, 1), "median", least=1.2e6),
    Target("env steps/s against ai3, one thread", "batch", ("ai3", 1024, 1), "median", least=0.7e6),
    Target("two threads by one, random", "batch", ("random", 1024, 2), "ratio", least=1.8, cores=2),
    Target("two threads by one, ai3", "batch", ("ai3", 1024, 2), "ratio", least=1.8, cores=2),
    Target("env steps/s, prototype's size", "layers", ("Batch.step", "20 planets, degree 8", 1), "median", least=2e6),
    Target("turns/s of the rules alone", "rules", (1024, 1), "median", least=5e6),
    Target("two threads by one, rules alone", "rules", (1024, 2), "ratio", least=1.8, cores=2),
    Target("bytes of a game", "memory", ("PLANETWARS", "train", "turn", "state"), "median", most=6144, cores=0),
    Target("VecEnv.step with masks by DummyVecEnv", "sb3", ("native", "turn"), "ratio", least=20),
    Target("MaskablePPO's rollouts by an idle VecEnv's, turn", "sb3-rollouts", ("native", "turn"), "ratio", least=0.9),
    Target(
        "MaskablePPO's rollouts by an idle VecEnv's, order", "sb3-rollouts", ("native", "order"), "ratio", least=0.9
    ),
    Target("the trainer's env steps/s, two processes", "training", ("learning", 2), "median", least=5000, cores=2),
    Target("actions/s of an agent, one observation each", "training", ("one action", 1), "median", least=500),
]


def target_report(results: Results) -> list[str]:
    """Return a Markdown list of the targets whose figures were measured, and whether they were reached."""
    free = results["machine"][FREE_CORES]
    return [_line(target, found, free) for target, found in _measured(results)]


def _measured(results: Results) -> Iterator[tuple[Target, dict[str, Any]]]:
    for target in TARGETS:
        found = find(results, target.table, target.labels)
        if found is not None and found[target.field] is not None:
            yield target, found


def _line(target: Target, found: dict[str, Any], free: float) -> str:
    value = found[target.field]
    demand = f"at least {number(target.least)}" if target.least else f"at most {number(target.most)}"
    reached = "reached" if target.least <= value <= target.most else "NOT reached"
    if free < _FREE_ENOUGH * target.cores:
        reached += f", but {free} of {target.cores} cores were free"
    return f"- {target.about}: {number(value)}, {demand}: {reached}"
