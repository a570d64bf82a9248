"""Layout of a graph: planets near their own positions, apart from each other and from passing edges."""

from functools import lru_cache
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetwars_env.graphs.graph import Graph

MARGIN = 46
"""Distance between the outermost planets' centres and the border of the drawing."""
APART = 84
"""Least distance between the centres of two planets, if there is room."""
PASSING = 38
"""Least distance between a planet's centre and an edge of other planets."""
UNKNOWN_RADIUS = 16.0
RADII = {"least": 9.0, "growth": 0.85, "most": 30.0}
"""Of planets: ``growth`` for the root of the size."""
_ROUNDS = 120
_USUAL_PLANETS = 20
"""Planets in a drawing of the usual width."""
_WIDTH = 640
_MOST_PLANETS = 150
"""Graphs with more planets keep their own positions."""

Points = NDArray[np.float64]


class Layout(NamedTuple):
    """``places`` [P, 2]: x to the right, y downwards, in units (pixels of the smallest picture), on ``width`` x ``height``."""

    width: int
    height: int
    places: Points


@lru_cache(maxsize=256)
def lay_out(graph: Graph) -> Layout:
    """Return the places of a graph's planets. It uses positions and edges only, which no fog hides."""
    count = len(graph.planets)
    span = _WIDTH * sqrt(max(1.0, count / _USUAL_PLANETS)) - 2 * MARGIN
    own = np.array([(planet.x, -planet.y) for planet in graph.planets])
    own -= own.min(axis=0)
    largest = own.max()
    places = _spread(own * (span / largest) if largest else own, graph) if count <= _MOST_PLANETS else own
    places -= places.min(axis=0)
    width, height = np.maximum(places.max(axis=0), (span, span * 0.3))
    places += (np.array([width, height]) - places.max(axis=0)) / 2 + MARGIN
    return Layout(round(width) + 2 * MARGIN, round(height) + 2 * MARGIN, places.round(1))


def radius_of(size: int) -> float:
    """Return the radius of a planet: its area grows with ``size``, within limits that can be drawn."""
    return round(min(RADII["most"], RADII["least"] + RADII["growth"] * sqrt(size)), 1)


def _spread(own: Points, graph: Graph) -> Points:
    """Return places after a spring simulation: planets are pulled to their own positions and pushed apart."""
    pairs = [(graph.index[edge.a], graph.index[edge.b]) for edge in graph.edges]
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    # Planets on the very same place need a direction to part in, each its own.
    angles = np.arange(len(own)) * 2.4
    places = own + 0.5 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    for round_ in range(_ROUNDS):
        gap = places[:, None] - places[None]
        distance = np.maximum(np.hypot(gap[..., 0], gap[..., 1]), 1e-9)
        force = np.maximum(APART - distance, 0) / distance
        np.fill_diagonal(force, 0)
        push = 0.5 * (gap * force[..., None]).sum(axis=1) + _push_of_edges(places, ends)
        places = places + 0.5 * push + 0.04 * (1 - round_ / _ROUNDS) * (own - places)
    return places


def _push_of_edges(places: Points, ends: NDArray[np.int64]) -> Points:
    """Return the push of edges on planets that they pass too closely, and half of it, reversed, on the ends of the edge."""
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
