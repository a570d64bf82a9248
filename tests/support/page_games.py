"""Games as the page's modules in node take them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import planetwars_env as pw
from planetwars_env.engine.rules import Rules
from planetwars_env.graphs.graph import Graph
from support.paths import ROOT

Ask = Callable[[list[dict[str, Any]]], list[Any]]


def setup_of(graph: Graph, rules: Rules, players: tuple[str, str], seed: int, max_turns: int | None) -> dict[str, Any]:
    data = {"name": graph.name, **graph.to_dict()}
    return {"graph": data, "rules": rules.name, "players": players, "seed": seed, "max_turns": max_turns}


def agents() -> dict[str, Any]:
    """The agents by name, as the page gets them."""
    found = {name: pw.load_agent(name) for name in ("graph-planetwars", "graph-planetwars-small", "graph-all")}
    return {
        name: {"path": str(ROOT / "agents" / name / "weights.safetensors"), "fractions": list(agent.fractions)}
        for name, agent in found.items()
    }
