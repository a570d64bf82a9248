"""Shared parts of the examples: their small task, a progress line, and the final evaluation. Not run by itself."""

import time
from collections import deque
from collections.abc import Callable, Iterable
from enum import StrEnum
from importlib.util import find_spec
from typing import Any

import numpy as np
import typer
from gymnasium.vector import AutoresetMode

import planetwars_env as pw

GAMMA = 0.99
REWARD = pw.Shaped(GAMMA)
HELD_OUT = 2**40
"""Exams are seeded from here on, far from the seeds of training."""


def need(extra: str, *modules: str) -> None:
    """End with the exact pip line where a module of an extra is not installed."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise SystemExit(
            f'Error: this needs {", ".join(missing)}, which is not installed: pip install "planetwars-env[{extra}]"'
        )


class Graphs(StrEnum):
    """The graphs to learn on: one small graph, which perceptrons learn in seconds, or the pool `train`, for graph networks."""

    K4 = "k4"
    RINGS = "rings"
    TRAIN = "train"


_LIMITS = {Graphs.K4: pw.Limits(4, 6, 3, 8), Graphs.RINGS: pw.Limits(8, 9, 3, 8), Graphs.TRAIN: pw.CLASSIC}
_EXAMINED_ON = {"train": "test"}


def task_on(graphs: Graphs, **others: Any) -> dict[str, Any]:
    """Arguments of every environment of an example, ``others`` among them."""
    return {"graphs": graphs.value, "limits": _LIMITS[graphs], "fractions": (0.5, 1.0), **others}


Choose = Callable[[Any, np.ndarray], Any]
"""From observations of N games (flat [N, F], or as ``task`` says) and masks [N, A] to actions; for all N, none left out."""


def play(choose: Choose, games: int, task: dict[str, Any]) -> pw.Tally:
    """Return the results of ``games`` held-out games against random, half of them as either player; of `train`, on `test`."""
    arguments = {"observation": "flat", **task, "graphs": _EXAMINED_ON.get(task["graphs"], task["graphs"])}
    envs = pw.PlanetWarsVectorEnv(games, autoreset_mode=AutoresetMode.DISABLED, **arguments)
    rows, _ = envs.reset(seed=HELD_OUT, options={"player": 1 + np.arange(games) % 2})
    running, outcome = np.ones(games, bool), np.zeros(games)
    while running.any():
        rows, rewards, terminated, truncated, _ = envs.step(choose(rows, envs.action_masks()))
        ended = running & (terminated | truncated)
        outcome[ended] = rewards[ended]
        running &= ~ended
    return pw.Tally(games, *(int((np.sign(outcome) == sign).sum()) for sign in (1, 0, -1)))


def uniform(seed: int, slots: int) -> Choose:
    """Chooses uniformly among legal actions, in each of ``slots`` choices; 1 for single orders."""
    rng = np.random.default_rng(seed)

    def choose(rows: Any, masks: np.ndarray) -> np.ndarray:
        chances = masks.reshape(len(masks), slots, -1)
        return (chances * rng.random(chances.shape)).argmax(2).squeeze(1 if slots == 1 else ())

    return choose


def examine(choose: Choose, games: int, seed: int, task: dict[str, Any]) -> None:
    """Print what ``choose`` and chance win; exit with status 1 unless the 95 % intervals lie apart, the learner's above."""
    by_chance = uniform(seed, 1 if task.get("actions") == "order" else task["limits"].planets)
    intervals = []
    for name, player in (("trained", choose), ("chance", by_chance)):
        tally = play(player, games, task)
        low, high = tally.interval
        intervals.append((low, high))
        print(
            f"{name:>8}: won {tally.wins} and drew {tally.draws} of {games} held-out games against random "
            f"({tally.win_rate:.0%} won, 95 % interval {low:.0%} to {high:.0%})"
        )
    if intervals[0][0] <= intervals[1][1]:
        print("Not clearly better than chance: train for more --steps.")
        raise typer.Exit(1)
    print("Clearly better than chance.")


class Progress:
    """A line every few seconds: steps so far, seconds, and how many of the last 100 games were won."""

    def __init__(self, every: float = 5.0) -> None:
        self._start = self._said = time.perf_counter()
        self._every = every
        self._last: deque[bool] = deque(maxlen=100)

    def count(self, opponent_planets: Iterable[int]) -> None:
        """Games that ended, each by the planets that the opponent was left with: none is a win, but for rare exceptions."""
        self._last.extend(planets == 0 for planets in opponent_planets)

    def tell(self, steps: int, more: str = "") -> None:
        """Print the line, if it is time."""
        now = time.perf_counter()
        if now - self._said < self._every:
            return
        self._said = now
        won = f", {np.mean(self._last):.0%} of the last {len(self._last)} games won" if self._last else ""
        print(f"{steps:>9,} steps in {now - self._start:.0f} s{won}{more}", flush=True)
