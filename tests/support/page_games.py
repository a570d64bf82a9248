"""Games as the page's modules in node take them."""

import random
from collections.abc import Callable
from typing import Any

from planetwars_env.engine.rules import Rules
from planetwars_env.graphs.graph import Graph
from planetwars_env.playing.pages import agent_data

Ask = Callable[[list[dict[str, Any]]], list[Any]]


def setup_of(graph: Graph, rules: Rules, players: tuple[str, str], seed: int, max_turns: int | None) -> dict[str, Any]:
    data = {"name": graph.name, **graph.to_dict()}
    return {"graph": data, "rules": rules.name, "players": players, "seed": seed, "max_turns": max_turns}


def like_json(fault: object) -> str:
    """A sentence without what differs where a value is shown as Python or as JSON writes it: quotes, names, spaces."""
    text = str(fault).translate(str.maketrans("", "", "\"'\\ "))
    return text.replace("None", "null").replace("True", "true").replace("False", "false")


def agents() -> dict[str, Any]:
    """The agents by name, as the page gets them."""
    names = ("graph-planetwars", "graph-planetwars-small", "graph-all")
    return {name: agent_data(name) for name in names}


def mutated(value: Any, rng: random.Random) -> Any:
    """The value with something in it replaced by something else."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(sorted(value))
        return {**value, key: mutated(value[key], rng)}
    if isinstance(value, list | tuple) and value and rng.random() < 0.9:
        rows = list(value)
        place = rng.randrange(len(rows))
        rows[place] = mutated(rows[place], rng)
        return rows
    odd = [
        None, True, -1, 0, 1, 2, 3, 1.5, 2**31, 2**53, 1e300, "", "ai3", "you", "toString", "__proto__", [], {}, [[1, 2, 3]],
    ]  # fmt: skip
    return rng.choice(odd)
