"""Parts that the generators are made of: random draws, places, edges that connect them, weights, bases.

All draws are integers made from the raw bits of PCG64, the part of numpy.random whose stream is guaranteed for good.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, repeat
from typing import Any

import numpy as np

from planetwars_env.graphs.graph import Edge, shortest_ways, weights_by_id

Place = tuple[int, int]
Bundle = tuple[Place, ...]  # edges, as pairs of planet indices, that are taken or left together: an edge and its image

MAX_EDGE_WEIGHT = 7
MAX_SIZE = 596  # of a planet
BASE_HOPS = 3  # at least so many edges between the bases


class RandomGenerator:
    """Draws from one seed."""

    def __init__(self, seed: int) -> None:
        bits = np.random.PCG64(seed)
        # One call of NumPy for many numbers: one for each would take most of a graph's time.
        self._raw = (number for _ in repeat(None) for number in bits.random_raw(256).tolist())

    def below(self, sides: int) -> int:
        """A whole number from 0 to sides - 1, all equally likely."""
        return next(self._raw) * sides >> 64

    def many_below(self, sides: int, count: int) -> list[int]:
        """The next ``count`` draws of `below`."""
        return [raw * sides >> 64 for raw in islice(self._raw, count)]

    def chance(self, percent: int) -> bool:
        """True in so many of a hundred cases."""
        return self.below(100) < percent

    def sample(self, items: Sequence[Any], count: int) -> list[Any]:
        """``count`` different items in random order."""
        deck = list(items)
        for i in range(count):
            j = i + self.below(len(deck) - i)
            deck[i], deck[j] = deck[j], deck[i]
        return deck[:count]


def grid(side: int) -> list[Place]:
    """All places of a square."""
    return [(x, y) for x in range(1, side + 1) for y in range(1, side + 1)]


def draw_land(rng: RandomGenerator) -> tuple[int, int]:
    """Draw habitability and size of a planet: 1-10 with 5 % of 11-12, and 51-596 with half of them up to 284."""
    habitability = 11 + rng.below(2) if rng.chance(5) else 1 + rng.below(10)
    size = 51 + rng.below(234) if rng.chance(50) else 285 + rng.below(312)
    return habitability, size


def draw_pull(rng: RandomGenerator, planets: int) -> list[int]:
    """Attraction of each planet for edges: mostly 1, up to 12 for the few that are to become hubs."""
    return [2 + rng.below(11) if rng.chance(6) else 1 for _ in range(planets)]


def with_image(a: int, b: int, count: int) -> Bundle:
    """The edge and its image under i -> count - 1 - i, once where they are the same."""
    return tuple(sorted({(a, b), (count - 1 - b, count - 1 - a)}))


def near(cells: list[Place]) -> list[Bundle]:
    """All pairs of planets at most two cells apart."""
    at = {cell: planet for planet, cell in enumerate(cells)}
    steps = [(dx, dy) for dx in range(3) for dy in range(-2, 3) if (dx, dy) > (0, 0)]
    return [
        ((planet, other),)
        for planet, (x, y) in enumerate(cells)
        for dx, dy in steps
        if (other := at.get((x + dx, y + dy))) is not None
    ]


def connect(
    rng: RandomGenerator, places: list[Place], pull: list[int], bundles: list[Bundle], edges: int, max_degree: int
) -> list[Bundle] | None:
    """Choose bundles, near and well-liked ones first, until all is connected and there are ``edges`` of them.

    Planets with a strong pull become hubs. None if the result is not connected.
    """

    jitter = np.array(rng.many_below(25, len(bundles)))
    a, b = np.array([bundle[0] for bundle in bundles]).T
    at, pulls = np.array(places), np.array(pull)
    costs = ((at[a] - at[b]) ** 2).sum(1) * (8 + jitter) * 64 // (pulls[a] * pulls[b])
    ranked = [bundles[i] for i in np.lexsort((b, a, costs)).tolist()]
    network, tree, extra = _Network(len(places), max_degree), [], []
    for bundle in ranked:
        if network.parts == 1:
            break
        if network.joins(bundle) and network.add(bundle):
            tree.append(bundle)
    taken = set(tree)
    for bundle in ranked:
        if network.edges >= edges:
            break
        if bundle not in taken and network.edges + len(bundle) <= edges and network.add(bundle):
            extra.append(bundle)
    return tree + extra if network.parts == 1 and network.edges <= edges else None


class _Network:
    """Edges so far: which planets hang together, and how many edges each has."""

    def __init__(self, planets: int, max_degree: int) -> None:
        self.parts = planets
        self.edges = 0
        self._max_degree = max_degree
        self._degree = [0] * planets
        self._leader = list(range(planets))

    def _part(self, planet: int) -> int:
        while self._leader[planet] != planet:
            self._leader[planet] = planet = self._leader[self._leader[planet]]
        return planet

    def joins(self, bundle: Bundle) -> bool:
        """Whether these edges would connect parts that are apart."""
        return any(self._part(a) != self._part(b) for a, b in bundle)

    def add(self, bundle: Bundle) -> bool:
        """Adds these edges unless a planet would get too many; says whether it did."""
        for a, b in bundle:
            self._degree[a] += 1
            self._degree[b] += 1
        if any(self._degree[a] > self._max_degree or self._degree[b] > self._max_degree for a, b in bundle):
            for a, b in bundle:
                self._degree[a] -= 1
                self._degree[b] -= 1
            return False
        for a, b in bundle:
            self.parts -= self._part(a) != self._part(b)
            self._leader[self._part(a)] = self._part(b)
        self.edges += len(bundle)
        return True


def weigh(rng: RandomGenerator, places: list[Place], bundles: list[Bundle]) -> list[Edge]:
    """Weights 1 to 7, about uniform: by the rank of the edge's length for one half, by chance for the other."""

    def square_of_length(bundle: Bundle) -> int:  # whole, so that no rounding can ever change a graph
        (x, y), (u, v) = (places[end] for end in bundle[0])
        return (x - u) ** 2 + (y - v) ** 2

    ranked = sorted(bundles, key=lambda bundle: (square_of_length(bundle), bundle))
    edges = []
    for rank, bundle in enumerate(ranked):
        by_length = rank * MAX_EDGE_WEIGHT // len(ranked)
        weight = 1 + (by_length if rng.chance(50) else rng.below(MAX_EDGE_WEIGHT))
        edges += [Edge(a, b, weight) for a, b in bundle]
    return edges


def choose_bases(
    rng: RandomGenerator, count: int, edges: list[Edge], weights: tuple[int, int], fair: bool
) -> tuple[int, int] | None:
    """Two planets BASE_HOPS or more edges apart, by shortest ways of a weight within the range; ``fair``: a planet and its image.

    They are the first planet of a random order that has an opponent, and any of its opponents; None where there are none.
    """
    ways = weights_by_id(edges)
    for base in rng.sample(range(count), count):
        near = {base}
        for _ in range(BASE_HOPS - 1):
            near |= {other for planet in near for other in ways[planet]}
        distances, _ = shortest_ways(ways, [base])
        opponents = [p for p in range(count) if p not in near and weights[0] <= distances[p] <= weights[1]]
        if fair and count - 1 - base in opponents:
            return base, count - 1 - base
        if opponents and not fair:
            return base, opponents[rng.below(len(opponents))]
    return None
