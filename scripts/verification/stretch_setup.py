"""Graphs and options of a stretch of the soak, drawn from its number; odd ones are more frequent than in use."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from planetwars_env.bots.bot_codes import BOTS
from planetwars_env.bots.catalogue import resolve_players
from planetwars_env.codec.limits import Limits
from planetwars_env.engine.rules import PRESETS
from planetwars_env.engine.state import Array
from planetwars_env.game import turn_limit
from planetwars_env.graphs.generators import generate_graph
from planetwars_env.graphs.graph import MAX_TOTAL_SIZE, Edge, Graph, Planet
from planetwars_env.sim.setup import Autoreset, BatchSetup

RandomGenerator = np.random.Generator

_SIZES = (1, 2, 3, 10, 60, 300, 600, 5_000, 1_000_000)
_HABITABILITIES = (0, 1, 5, 10, 25, 99, 100, 1000)
_KINDS = ("classic", "symmetric", "large", "odd", "tiny", "vast", "thousand")
_SHARES = (0.3, 0.15, 0.1, 0.25, 0.15, 0.04, 0.01)
_CELLS = 150e6
"""Upper bound on the numbers of flights and arrivals that a stretch reads, so that large graphs play fewer turns."""


@dataclass(frozen=True)
class Stretch:
    """``games`` games on ``setup`` for ``steps`` steps; ``threads`` as in Batch. ``kind``: of boards, one of `_KINDS`."""

    kind: str
    setup: BatchSetup
    games: int
    steps: int
    threads: int

    def told(self) -> dict[str, Any]:
        """The options in plain data, for the log."""
        setup = self.setup
        return {
            "boards": f"{len(setup.graphs)} {self.kind}",
            "rules": setup.rules.name,
            "actions": f"order, {setup.max_orders} a turn" if setup.max_orders else f"turn, {setup.sends} sends",
            "opponents": [opponent.name for opponent in setup.opponents],
            "player": setup.player,
            "fractions": list(setup.fractions),
            "limits": [setup.limits.planets, setup.limits.edges, setup.limits.degree, setup.limits.horizon],
            "max_turns": setup.max_turns,
            "autoreset": ("NEXT_STEP", "SAME_STEP", "DISABLED")[setup.autoreset],
            "games": self.games,
            "steps": self.steps,
            "threads": self.threads,
        }


def draw_stretch(rng: RandomGenerator, size: float = 1.0) -> Stretch:
    """A stretch of some ten thousand turns times ``size``."""
    kind = str(rng.choice(_KINDS, p=_SHARES))
    graphs = _draw_boards(rng, kind)
    rules = list(PRESETS.values())[rng.integers(len(PRESETS))]
    names = rng.permutation([*BOTS, "self"])[: rng.integers(1, 4)]
    fractions = rng.permutation([0.01, 0.25, 1 / 3, 0.5, 0.75, 0.999, 1.0])[: rng.integers(1, 5)]
    limit = turn_limit(rules) if rng.random() < 0.6 else int(rng.choice([1, 2, 3, 10, 40, 120]))
    max_orders = int(rng.integers(1, 10)) if rng.random() < 0.4 else 0
    setup = BatchSetup(
        rules=rules,
        graphs=graphs,
        opponents=resolve_players([str(name) for name in names]),
        player=[None, None, 1, 2][rng.integers(4)],
        limits=_limits_around(rng, graphs),
        fractions=tuple(float(fraction) for fraction in fractions),
        max_orders=max_orders,
        sends=1 if max_orders else int(rng.choice([1, 1, 2, 3])),
        max_turns=limit,
        autoreset=[Autoreset.NEXT_STEP, Autoreset.SAME_STEP, Autoreset.DISABLED][rng.integers(3)],
    )
    return Stretch(kind, setup, *_draw_length(rng, setup, size), threads=2 if rng.random() < 0.1 else 1)


def draw_actions(rng: RandomGenerator, mask: Array, setup: BatchSetup) -> Array:
    """Actions [N, P or 1] for the masks [N, A]: legal ones for the most part, and in one row of twenty anything at all."""
    games = mask.shape[0]
    legal = mask.reshape(games, 1 if setup.max_orders else setup.sends * setup.limits.planets, -1)
    if setup.max_orders or rng.random() < 0.15:
        actions = np.argmax(rng.random(legal.shape, np.float32) * legal, axis=2)
        actions[rng.random(actions.shape) < 0.2] = 0
    else:
        actions = 1 + rng.integers(0, max(1, 3 * len(setup.fractions)), legal.shape[:2])
        actions[rng.random(actions.shape) < 0.6] = 0
    anything = rng.random(games) < 0.05
    bounds = (-(2**40), 2**40) if rng.random() < 0.3 else (-2, legal.shape[2] + 2)
    actions[anything] = rng.integers(*bounds, (int(anything.sum()), actions.shape[1]))
    return actions


def _draw_length(rng: RandomGenerator, setup: BatchSetup, size: float) -> tuple[int, int]:
    """Games and steps."""
    flight = max((edge.weight for graph in setup.graphs for edge in graph.edges), default=1)
    planets = max(len(graph.planets) for graph in setup.graphs)
    edges = max(2 * len(graph.edges) for graph in setup.graphs)
    cells = flight * setup.rules.turns_per_weight * (2 * planets + edges) + 20 * setup.limits.planets
    turns = size * min(60_000.0, max(400.0, _CELLS / cells))
    games = int(min(2.0 ** rng.choice([0, 2, 4, 5, 6, 7, 8]), max(1.0, 20e6 / cells), max(1.0, turns / 40)))
    return games, max(10, int(turns / (2 * games)))


def _limits_around(rng: RandomGenerator, graphs: Sequence[Graph]) -> Limits:
    """Limits that the boards just fit, or with room to spare."""
    room = int(rng.choice([0, 0, 1, 7]))
    return Limits(
        planets=max(len(graph.planets) for graph in graphs) + room,
        edges=max(1, *(len(graph.edges) for graph in graphs)) + room,
        degree=max(1, *(graph.degree(planet.id) for graph in graphs for planet in graph.planets)) + room,
        horizon=int(rng.choice([1, 2, 5, 8, 16])),
    )


def _draw_boards(rng: RandomGenerator, kind: str) -> list[Graph]:
    if kind in ("classic", "symmetric", "large"):
        return [generate_graph(kind, int(rng.integers(2**31))) for _ in range(rng.integers(1, 9))]
    if kind == "thousand":
        return [generate_graph("large", int(rng.integers(2**31)), planets=int(rng.choice([300, 999, 1000])))]
    planets = {"odd": (2, 13), "tiny": (2, 4), "vast": (2, 7)}[kind]
    weights = [1, 2, 60, 1000] if kind == "vast" else [1, 1, 2, 3, 6]
    sizes = [16_000_000 // 2, 6_000_000, 1] if kind == "vast" else _SIZES
    return [_odd_board(rng, int(rng.integers(*planets)), sizes, weights) for _ in range(rng.integers(1, 9))]


def _odd_board(rng: RandomGenerator, count: int, sizes: Sequence[int], weights: Sequence[int]) -> Graph:
    """Any edges between planets of any size, so that some boards fall apart; ids with gaps, bases anywhere."""
    ids = sorted(int(name) for name in rng.choice(10 * count, count, replace=False))
    bases = dict(zip((int(p) for p in rng.permutation(count)[:2]), (1, 2), strict=True))
    largest = MAX_TOTAL_SIZE // count
    planets = [
        Planet(
            id=name,
            habitability=int(rng.choice(_HABITABILITIES)),
            size=min(largest, int(rng.choice(sizes))),
            x=float(rng.integers(20)),
            y=float(rng.integers(20)),
            base=bases.get(p, 0),
        )
        for p, name in enumerate(ids)
    ]
    dense = rng.random()
    pairs = [(a, b) for i, a in enumerate(ids) for b in ids[:i] if rng.random() < dense]
    return Graph("odd", planets, [Edge(a, b, int(rng.choice(weights))) for a, b in pairs])
