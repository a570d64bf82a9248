"""What a new game is made of, as somebody chose it, and what there is to choose from."""

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planetwars_env.arena.contestants import contestant_of
from planetwars_env.bots.catalogue import bot_names
from planetwars_env.bots.loading import agent_names
from planetwars_env.engine.rules import PRESETS, Rules
from planetwars_env.envs.arguments import resolve_rules, turn_limit
from planetwars_env.graphs.catalogue import graph_names, load_graph, load_pool, pool_names
from planetwars_env.graphs.graph import Graph

PERSON = "you"
"""What stands for somebody at the screen where a strategy's name could stand."""
FASTEST = 60
"""Turns a second."""


@dataclass(frozen=True)
class Setup:
    """``players``: `PERSON` or a strategy's name, for either side; ``names``: as they are shown and stand in the replay;
    ``max_turns`` is always a number; ``seed`` is that of both; ``unsafe`` lets a strategy from a file play where nothing
    confines it."""

    players: tuple[str, str]
    names: tuple[str, str]
    graph: Graph
    rules: Rules
    seed: int
    max_turns: int
    unsafe: bool = False

    @property
    def persons(self) -> tuple[bool, bool]:
        """Which sides people play."""
        return self.players[0] == PERSON, self.players[1] == PERSON


def make_setup(
    players: tuple[str, str],
    graph: str,
    rules: str = "PLANETWARS",
    seed: int | None = None,
    max_turns: int | None = None,
    unsafe: bool = False,
) -> Setup:
    """ValueError, saying what would be right, for an unknown name of anything; ImportError where an agent's libraries are
    missing. ``seed``: None draws one; a ``graph`` that names a pool draws one of its boards."""
    chosen = resolve_rules(rules)
    number = secrets.randbelow(2**31) if seed is None else seed
    if number < 0:
        raise ValueError(f"seed must be a whole number from 0 on, not {number}")
    return Setup(players, _names(players), _graph(graph, number), chosen, number, turn_limit(chosen, max_turns), unsafe)


def choices() -> dict[str, Any]:
    """Everything the page offers by name; paths may be given beside them."""
    return {
        "person": PERSON,
        "bots": bot_names(),
        "agents": [*agent_names(), *_trained()],
        "graphs": list(graph_names()),
        "pools": {name: len(load_pool(name)) for name in pool_names()},
        "rules": list(PRESETS),
        "fastest": FASTEST,
    }


def _names(players: tuple[str, str]) -> tuple[str, str]:
    if players == (PERSON, PERSON):
        return "player 1", "player 2"
    first, second = ("human" if player == PERSON else contestant_of(player).name for player in players)
    return first, second


def _graph(name: str, seed: int) -> Graph:
    if name in pool_names():
        pool = load_pool(name)
        return pool[seed % len(pool)]
    return load_graph(name)


def _trained() -> list[str]:
    """The folders of agents that were trained below the folder this was started in."""
    return sorted(str(path.parent) for path in Path("runs").glob("*/weights.safetensors"))
