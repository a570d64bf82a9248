"""Where planets are drawn: near their own places, but never on top of each other or of an edge that passes by."""

from functools import lru_cache
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetwars_env.graphs.graph import Graph

MARGIN = 46
"""Between the outermost planets' middles and the rim of the drawing."""
APART = 84
"""At least this far lie the middles of two planets, where the board leaves room."""
PASSING = 38
"""And this far a planet's middle from an edge of others."""
UNKNOWN_RADIUS = 16.0
_ROUNDS = 120
_EASY = 20
"""Planets that fit a drawing of the usual width."""
_WIDTH = 640
_TOO_MANY = 150
"""Boards above this are drawn as they are: nobody reads them planet by planet."""

Points = NDArray[np.float64]


class Layout(NamedTuple):
    """``places`` [P, 2]: x to the right, y downwards, in units (pixels of the smallest picture), on ``width`` x ``height``."""

    width: int
    height: int
    places: Points


@lru_cache(maxsize=256)
def lay_out(graph: Graph) -> Layout:
    """The places of a graph's planets. Looks at positions and edges only, which the fog hides from nobody."""
    count = len(graph.planets)
    span = _WIDTH * sqrt(max(1.0, count / _EASY)) - 2 * MARGIN
    own = np.array([(planet.x, -planet.y) for planet in graph.planets])
    own -= own.min(axis=0)
    largest = own.max()
    places = _apart(own * (span / largest) if largest else own, _ends(graph)) if count <= _TOO_MANY else own
    places -= places.min(axis=0)
    width, height = np.maximum(places.max(axis=0), (span, span * 0.3))
    places += (np.array([width, height]) - places.max(axis=0)) / 2 + MARGIN
    return Layout(round(width) + 2 * MARGIN, round(height) + 2 * MARGIN, places.round(1))


def radius_of(size: int) -> float:
    """Of a planet that ``size`` people fit on: its area grows with them, within what can be read and what fits."""
    return round(min(30.0, 9 + 0.85 * sqrt(size)), 1)


def _ends(graph: Graph) -> NDArray[np.int64]:
    pairs = [(graph.index[edge.a], graph.index[edge.b]) for edge in graph.edges]
    return np.array(pairs, np.int64).reshape(-1, 2)


def _apart(own: Points, ends: NDArray[np.int64]) -> Points:
    """Springs pull planets to their own places, and push them off each other and off edges that are not theirs."""
    count = len(own)
    # Planets on the very same place need a direction to part in, each its own.
    angles = np.arange(count) * 2.4
    places = own + 0.5 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    for round_ in range(_ROUNDS):
        push = _off_each_other(places) + _off_edges(places, ends)
        places = places + 0.5 * push + 0.04 * (1 - round_ / _ROUNDS) * (own - places)
    return places


def _off_each_other(places: Points) -> Points:
    gap = places[:, None] - places[None]
    distance = np.maximum(np.hypot(gap[..., 0], gap[..., 1]), 1e-9)
    force = np.maximum(APART - distance, 0) / distance
    np.fill_diagonal(force, 0)
    return 0.5 * (gap * force[..., None]).sum(axis=1)


def _off_edges(places: Points, ends: NDArray[np.int64]) -> Points:
    """A planet that an edge of others passes too near steps aside, and so do, half as far, the ends of the edge."""
    push = np.zeros_like(places)
    if not len(ends):
        return push
    a, way = places[ends[:, 0]], places[ends[:, 1]] - places[ends[:, 0]]
    length = np.maximum((way**2).sum(axis=1), 1e-9)
    along = ((places[:, None] - a) * way).sum(axis=2) / length
    gap = places[:, None] - (a + np.clip(along, 0, 1)[..., None] * way)
    distance = np.hypot(gap[..., 0], gap[..., 1])
    force = np.maximum(PASSING - distance, 0)
    force[(along <= 0) | (along >= 1)] = 0
    # Where a planet lies on the very line, it goes to the left of it, as its image does.
    aside = np.stack([-way[:, 1], way[:, 0]], axis=1) / np.sqrt(length)[:, None]
    direction = np.where((distance > 1e-6)[..., None], gap / np.maximum(distance, 1e-9)[..., None], aside)
    step = direction * force[..., None]
    push += 0.5 * step.sum(axis=1)
    for end in (0, 1):
        np.add.at(push, ends[:, end], -0.25 * step.sum(axis=0))
    return push
