"""Graphs whose people need 64 bits are played through every entry point (docs/bounds.md)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.graphs.dot import save_dot
from support.command_line import succeed
from support.opponents import Idle

PLANETS = [{"id": i, "habitability": 100, "size": 900_000, "x": i, "y": 0, "base": i} for i in range(3)]
EDGES = [{"a": 0, "b": 1, "weight": 80}, {"a": 0, "b": 2, "weight": 80}, {"a": 1, "b": 2, "weight": 80}]
LARGE = pw.Graph.from_dict({"planets": PLANETS, "edges": EDGES}, "large numbers")
TASK: dict[str, Any] = {"graphs": LARGE, "max_turns": 200}


def watch(env: Any, steps: int = 6) -> None:
    env.reset(seed=0)
    for _ in range(steps):
        env.step(env.action_space.sample())


def agents_in_turn() -> None:
    env = pw.pettingzoo_env(**TASK)
    env.reset(seed=0)
    env.state()
    for _ in range(6):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[-1]))


def search() -> None:
    game = pw.Game(LARGE, max_turns=200)
    for _ in range(100):
        game.advance()
    belief = pw.Belief(game.view(1), max_turns=200)
    assert belief.sample().view(1) == game.view(1)
    later = pw.rollout(game, ("ai3", "ai2"), turns=40, copies=2)
    assert pw.Game.from_dict(LARGE, later[0].to_dict(), max_turns=200).people() == later[0].people()
    everybody = pw.Move(1, 2, game.people()[1][0])
    assert game.decode(game.encode([everybody])) == [everybody]


def rows() -> None:
    waiting = pw.FunctionPolicy(lambda seen: np.zeros(seen["planets"].shape[:2], np.int64))
    envs = pw.PlanetWarsVectorEnv(2, opponent=["random", "ai3", "planner", Idle, waiting], **TASK)
    envs.reset(seed=0, options={"opponent": [2, 3]})
    envs.step(np.zeros((2, 21), np.int64))
    envs.set_opponents("noop")
    envs.set_graphs("rings")
    envs.set_game(0, pw.Game(LARGE))
    envs.copy_game(0, 1)
    envs.reset(seed=1, options={"opponent": 4})
    envs.step(np.zeros((2, 21), np.int64))


ENTRIES: dict[str, Callable[[], Any]] = {
    "single": lambda: watch(pw.make(opponent="ai3", **TASK)),
    "orders": lambda: watch(pw.make(opponent="random", actions="order", observation="derived", **TASK)),
    "memory": lambda: watch(pw.MemoryWrapper(pw.make(opponent="self", privileged=True, **TASK))),
    "vector": rows,
    "sb3": lambda: pw.make_sb3_vec_env(num_envs=2, opponent="ai1", **TASK).reset(),
    "pettingzoo": agents_in_turn,
    "search": search,
    "match": lambda: pw.play_match("planner", "ai3", LARGE, max_turns=60).verify(),
    "strategy": lambda: pw.evaluate(Idle, ["random"], LARGE, games=2),
    "bots": lambda: pw.evaluate("ai2", ["ai3"], LARGE, games=4),
}


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_people_beyond_32_bits_are_played(entry: Callable[[], Any]) -> None:
    assert pw.Game(LARGE).arrays[1].people.dtype == np.int64
    entry()


def test_the_command_rank_plays_with_people_beyond_32_bits(tmp_path: Path) -> None:
    save_dot(LARGE, tmp_path / "large.dot")
    options = ["--games", 4, "--max-turns", 100, "--jobs", 1, "--out", tmp_path / "out"]
    succeed("rank", "ai1", "ai2", "--graphs", tmp_path / "large.dot", *options)
