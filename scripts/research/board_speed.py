"""Speed of environments with a new graph at nearly every reset: python -m scripts.research.board_speed prints a table.

The games are played with random turns against random, on one thread; the last columns are of one environment.
"""

from __future__ import annotations

import pickle
from copy import deepcopy
from time import perf_counter
from typing import Any

import numpy as np
import typer
from rich.console import Console

import planetwars_env as pw


def main(
    games: int = typer.Option(1024, min=1, help="Games side by side."),
    steps: int = typer.Option(600, min=1, help="Measured steps of each."),
) -> None:
    """Print a Markdown table: graphs, steps and games per second, graphs made, deepcopy and pickle of one environment."""
    console = Console(highlight=False, soft_wrap=True)
    console.print("| graphs | steps per second | games per second | graphs made | deepcopy, ms | pickle, ms | kB |")
    console.print("| --- | --- | --- | --- | --- | --- | --- |")
    many = 2**17
    for name, graphs in (
        ("train", "train"),
        ("256 generated, made before", list(pw.GraphGenerator("classic", count=256))),
        (f"{many} generated", pw.GraphGenerator("classic", count=many)),
        (f"{many} generated, fair", pw.GraphGenerator("classic", count=many, fair=True)),
    ):
        numbers = " | ".join([*_speed(graphs, games, steps), *_copies(graphs)])
        console.print(f"| {name} | {numbers} |", markup=False)


def _speed(graphs: Any, games: int, steps: int) -> list[str]:
    envs = pw.PlanetWarsVectorEnv(games, graphs=graphs, opponent="random", copy=False)
    envs.reset(seed=0)
    rng = np.random.default_rng(0)
    slots: Any = envs.single_action_space
    choices = rng.integers(0, slots.nvec, (8, games, len(slots.nvec)))
    turns = choices * (rng.random(choices.shape) < 0.2)
    for step in range(100):
        envs.step(turns[step % 8])
    ended, start = 0, perf_counter()
    for step in range(steps):
        _, _, terminated, truncated, _ = envs.step(turns[step % 8])
        ended += int((terminated | truncated).sum())
    seconds = perf_counter() - start
    made = int((envs.board.info[:, 0] > 0).sum())
    return [f"{games * steps / seconds:,.0f}", f"{ended / seconds:,.0f}", f"{made:,}"]


def _copies(graphs: Any) -> list[str]:
    env: Any = pw.make("PlanetWars-v0", graphs=graphs)
    env.reset(seed=0)
    text = pickle.dumps(env)
    took = [min(_timed(call) for _ in range(9)) for call in (lambda: deepcopy(env), lambda: pickle.loads(text))]
    return [f"{seconds * 1000:.2f}" for seconds in took] + [f"{len(text) / 1000:.1f}"]


def _timed(call: Any) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


if __name__ == "__main__":
    typer.run(main)
