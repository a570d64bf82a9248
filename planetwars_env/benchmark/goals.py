"""What is asked of the figures, and whether they reach it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from planetwars_env.benchmark.measure import Labels
from planetwars_env.benchmark.report import FREE_CORES, Results, find, number


class Goal(NamedTuple):
    """``field`` ("median" or "ratio") of a figure reaches ``least``, or stays up to ``most``.

    It says something only where about ``cores`` cores were free.
    """

    about: str
    table: str
    labels: Labels
    field: str
    least: float = 0
    most: float = float("inf")
    cores: int = 1


_FREE_ENOUGH = 0.95
GOALS = [
    Goal("env steps/s against random, one thread", "batch", ("random", 1024, 1), "median", least=1.2e6),
    Goal("env steps/s against ai3, one thread", "batch", ("ai3", 1024, 1), "median", least=0.7e6),
    Goal("two threads by one, random", "batch", ("random", 1024, 2), "ratio", least=1.8, cores=2),
    Goal("two threads by one, ai3", "batch", ("ai3", 1024, 2), "ratio", least=1.8, cores=2),
    Goal(
        "env steps/s, prototype's size", "observation", ("Batch.step", "20 planets, degree 8", 1), "median", least=2e6
    ),
    Goal("turns/s with idle players", "idle", (1024, 1), "median", least=5e6),
    Goal("two threads by one, idle players", "idle", (1024, 2), "ratio", least=1.8, cores=2),
    Goal("bytes of a game", "memory", ("PLANETWARS", "train", "turn", "state"), "median", most=6144, cores=0),
    Goal("VecEnv.step with masks by DummyVecEnv", "sb3", ("native", "turn"), "ratio", least=20),
    Goal("MaskablePPO's collection by doing nothing, turn", "ppo", ("native", "turn"), "ratio", least=0.9),
    Goal("MaskablePPO's collection by doing nothing, order", "ppo", ("native", "order"), "ratio", least=0.9),
    Goal("the trainer's env steps/s, two threads", "learn", ("learning", 2), "median", least=5000, cores=2),
    Goal("answers/s of an agent, one observation each", "learn", ("one action", 1), "median", least=500),
]


def judged(results: Results) -> list[str]:
    """A Markdown list: each goal whose figure was measured, and how far it was reached."""
    free = results["machine"][FREE_CORES]
    return [_sentence(goal, found, free) for goal, found in _measured(results)]


def _measured(results: Results) -> Iterator[tuple[Goal, dict[str, Any]]]:
    for goal in GOALS:
        found = find(results, goal.table, goal.labels)
        if found is not None and found[goal.field] is not None:
            yield goal, found


def _sentence(goal: Goal, found: dict[str, Any], free: float) -> str:
    value = found[goal.field]
    wish = f"at least {number(goal.least)}" if goal.least else f"at most {number(goal.most)}"
    reached = "reached" if goal.least <= value <= goal.most else "NOT reached"
    if free < _FREE_ENOUGH * goal.cores:
        reached += f", but {free} of {goal.cores} cores were free"
    return f"- {goal.about}: {number(value)}, {wish}: {reached}"
