"""Graphs by kind and seed: how each kind is drawn, and how large it can become.

The same name, seed and arguments give the same graph, on every machine and NumPy version.
All draws are integers made from the raw bits of PCG64, the part of numpy.random whose stream is guaranteed for good.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice, repeat
from math import isqrt
from typing import Any, NamedTuple, overload

import numpy as np

from planetwars_env.graphs.graph import MAX_PLANETS, Edge, Graph, GraphError, Planet, shortest_ways, show, weights_by_id
from planetwars_env.names import suggestion

Place = tuple[int, int]
Bundle = tuple[Place, ...]  # edges, as pairs of planet indices, that are taken or left together: an edge and its image

MAX_EDGE_WEIGHT = 7
MAX_SIZE = 596  # of a planet
BASE_HOPS = 3  # at least so many edges between the bases
CLASSIC_EDGES = (10, 36)
CLASSIC_GRID = 10  # coordinates 1 to 10
BASE_WEIGHTS = (4, 23)  # the total weight of the shortest way between the bases
KINDS: dict[str, tuple[str, ...]] = {
    "tiny": ("fair",),
    "classic": ("planets", "degree", "fair"),
    "symmetric": ("planets", "degree"),
    "large": ("planets", "degree"),
}
"""The kinds of graphs, and the arguments that each takes."""

Range = int | tuple[int, int]
"""A number, or the smallest and the largest of those that it is drawn from."""


def generate_graph(name: str, seed: int, **arguments: Any) -> Graph:
    """A graph of the kind ``name``: "tiny", "classic", "symmetric" or "large". `GraphGenerator` lists the arguments.

    The graph is called ``name-seed``. Raises GraphError for an unknown name or argument, listing the known ones.
    """
    plan = _plan(name, arguments)
    _check_seed(seed)
    return _drawn(name, int(seed), plan)


@lru_cache(maxsize=256)
def _drawn(name: str, seed: int, plan: _Plan) -> Graph:
    """The graph of a seed; the last ones are kept."""
    rng = RandomGenerator(seed)
    while True:  # a draw in which the bases cannot be placed, or that falls apart, is followed by another one
        graph = _draw_graph(rng, f"{name}-{seed}", plan)
        if graph is not None:
            return graph


class GraphGenerator(Sequence[Graph]):
    """A pool of ``count`` generated graphs, each made when it is first asked for.

    ``name``: "tiny" (6 to 10 planets, fits `TINY`), "classic" (10 to 21, `CLASSIC`), "symmetric" (classic and fair) or
    "large" (30 to 60, `LARGE`). ``planets`` and ``degree`` (of all but "tiny") are a number, or a pair between which it is
    drawn for each graph: the number of planets (at least 6, of "large" 10), and the most edges that one planet has (at
    least 3). With ``planets`` a graph has at most 1.83 edges for each planet ("large": 1.5), else 36. ``fair=True`` (of
    "tiny" and "classic"): both players are in the same position. `Limits.covering` gives the limits for any of these.
    GraphError for a wrong argument.

    >>> pool = GraphGenerator("classic", count=1000, planets=(8, 30), degree=(4, 9), fair=True)
    >>> pool.largest
    LargestGraph(planets=30, edges=54, degree=9, weight=7)

    Graph i has the seed ``seed * 2**32 + i``, so that pools with different seeds have no graph in common, and none with
    the shipped pools as long as ``seed`` is below 2**30.
    """

    def __init__(self, name: str, count: int = 256, seed: int = 0, **arguments: Any) -> None:
        self._plan = _plan(name, arguments)
        _check_seed(seed)
        if not isinstance(count, int) or not 1 <= count <= 2**32:
            raise GraphError(f"the count is {show(count)}; it must be a whole number from 1 to 2**32")
        self._name, self._seed, self._arguments = name, int(seed), arguments
        self._seeds = range(int(seed) * 2**32, int(seed) * 2**32 + count)

    def __len__(self) -> int:
        return len(self._seeds)

    def name(self, position: int) -> str:
        """The name of the graph at ``position``."""
        return f"{self._name}-{self._seeds[position]}"

    @property
    def largest(self) -> LargestGraph:
        """Bounds that no graph of the pool exceeds."""
        planets = self._plan.planets[1]
        edges = (
            planets * 3 // 2 if self._plan.large else planets * 183 // 100 if self._plan.ranged else CLASSIC_EDGES[1]
        )
        return LargestGraph(planets, edges, min(self._plan.degree[1], planets - 1))

    @overload
    def __getitem__(self, item: int) -> Graph: ...
    @overload
    def __getitem__(self, item: slice) -> tuple[Graph, ...]: ...
    def __getitem__(self, item: int | slice) -> Graph | tuple[Graph, ...]:
        if isinstance(item, slice):
            return tuple(_drawn(self._name, seed, self._plan) for seed in self._seeds[item])
        return _drawn(self._name, self._seeds[item], self._plan)

    def __repr__(self) -> str:
        arguments = "".join(f", {key}={value!r}" for key, value in self._arguments.items())
        return f"GraphGenerator({self._name!r}, count={len(self)}, seed={self._seed}{arguments})"


def mirror(graph: Graph) -> dict[int, int]:
    """The exchange of the players on a symmetric graph: planet id -> id of its image.

    The i-th planet by id and the i-th from the end are images of one another (ids i and n - 1 - i on generated graphs).
    Raises GraphError if that does not keep habitability, sizes, edges and weights, reflect the places through one point
    and exchange the bases.
    """
    ids = [planet.id for planet in graph.planets]
    image = dict(zip(ids, reversed(ids), strict=True))
    centre = (graph.planets[0].x + graph.planets[-1].x, graph.planets[0].y + graph.planets[-1].y)
    for planet, other in zip(graph.planets, reversed(graph.planets), strict=True):
        alike = (planet.habitability, planet.size) == (other.habitability, other.size)
        bases = (planet.base, other.base) in ((0, 0), (1, 2), (2, 1))
        if not (alike and bases and (planet.x + other.x, planet.y + other.y) == centre):
            raise GraphError(f"{graph!r} is not symmetric: planet {planet.id} differs from planet {other.id}")
    edges = {(edge.a, edge.b, edge.weight) for edge in graph.edges}
    for a, b, weight in edges:
        if (*sorted((image[a], image[b])), weight) not in edges:
            raise GraphError(f"{graph!r} is not symmetric: edge {a} -- {b} has no image")
    return image


class LargestGraph(NamedTuple):
    """Bounds of all graphs of a generator: planets, undirected edges, edges of one planet, weight of an edge."""

    planets: int
    edges: int
    degree: int
    weight: int = MAX_EDGE_WEIGHT


class _Plan(NamedTuple):
    """Plan by which graphs are drawn. ``planets``, ``degree``: smallest and largest; ``ranged``: planets drawn evenly."""

    planets: tuple[int, int]
    degree: tuple[int, int]
    ranged: bool
    fair: bool
    large: bool


def _plan(name: str, arguments: dict[str, Any]) -> _Plan:
    """The plan of a kind; GraphError for an unknown name or argument, listing the known ones, and for a wrong range."""
    if name not in KINDS:
        raise GraphError(f"there is no generator {show(name)}; known: {', '.join(KINDS)}{suggestion(name, KINDS)}")
    for argument in arguments:
        if argument not in KINDS[name]:
            raise GraphError(f"generator {name!r} has no argument {argument!r}; known: {', '.join(KINDS[name])}")
    large, fair = name == "large", name == "symmetric" or bool(arguments.get("fair"))
    planets, degree = arguments.get("planets"), arguments.get("degree")
    ranged = large or name == "tiny" or planets is not None
    if planets is None:
        planets = {"tiny": (6, 10), "symmetric": (10, 20), "large": (30, 60)}.get(name, (10, 21))
    bounds = _range("planets", planets, 10 if large else 6, MAX_PLANETS)
    if fair and ranged and (bounds[0] + 1) // 2 > bounds[1] // 2:
        raise GraphError(f"planets is {show(planets)}; a fair graph has an even number of them")
    degrees = _range("degree", (16 if large else 13) if degree is None else degree, 3, MAX_PLANETS)
    return _Plan(bounds, degrees, ranged, fair, large)


def _draw_graph(rng: RandomGenerator, label: str, plan: _Plan) -> Graph | None:
    """One try; None where it falls apart or has no place for the bases.

    Large: planets stand in the cells of a loose grid, and edges join near cells only, so that the work grows with the planets.
    Fair: planet i and planet n - 1 - i are images; so are their edges. The places are reflected through the centre.
    """
    low, high = plan.planets
    if plan.fair:
        half = _draw(rng, (low + 1) // 2, high // 2) if plan.ranged else 5 + max(rng.below(6), rng.below(4))
        count = 2 * half  # median 16
    else:
        count = half = _draw(rng, low, high) if plan.ranged else low + max(rng.below(12), rng.below(6))  # median 16
    most, side = _draw(rng, *plan.degree), max(CLASSIC_GRID, isqrt(4 * count))  # four places for each planet
    edge_count = count * 3 // 2
    if plan.large:
        cells = rng.sample(grid(isqrt(count - 1) + 1), count)
        places = [(3 * x - rng.below(3), 3 * y - rng.below(3)) for x, y in cells]
        bundles = near(cells)
    elif plan.fair:
        last = side + 1
        first = rng.sample([place for place in grid(side) if place < (last - place[0], last - place[1])], half)
        first = [place if rng.chance(50) else (last - place[0], last - place[1]) for place in first]
        places = first + [(last - x, last - y) for x, y in reversed(first)]
        pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
        images = [(count - 1 - b, count - 1 - a) for a, b in pairs]
        bundles = sorted({tuple(sorted({*both})) for both in zip(pairs, images, strict=True)})
    else:
        places = rng.sample(grid(side), count)
        bundles: list[Bundle] = [((a, b),) for a in range(count) for b in range(a + 1, count)]
    # Attraction of each planet for edges: mostly 1, up to 12 for the few that are to become hubs.
    pull = [2 + rng.below(11) if rng.chance(6) else 1 for _ in range(half)]
    if not plan.large:  # 1 to 1.8 edges a planet, about 1.4 on average: a mean degree of 2.8
        fewest, most_edges = (count - 1, count * 2) if plan.ranged else CLASSIC_EDGES
        edge_count = min(most_edges, max(fewest, count * (100 + rng.below(84)) // 100))
    chosen = connect(rng, places, pull + pull[::-1] if plan.fair else pull, bundles, edge_count, most)
    if chosen is None:
        return None
    edges = weigh(rng, places, chosen)
    weights = (BASE_WEIGHTS[0], MAX_EDGE_WEIGHT * count) if plan.ranged else BASE_WEIGHTS
    bases = choose_bases(rng, count, edges, weights, plan.fair)
    land = [draw_land(rng) for _ in range(half)] if bases or plan.fair else []
    if bases is None:
        return None
    land += land[::-1] if plan.fair else []
    owner = {bases[0]: 1, bases[1]: 2}
    planets = [Planet(i, *land[i], float(x), float(y), owner.get(i, 0)) for i, (x, y) in enumerate(places)]
    return Graph(label, planets, edges)


def _range(name: str, value: Any, least: int, most: int) -> tuple[int, int]:
    """The smallest and the largest number of a `Range`; GraphError for anything else."""
    pair: Any = tuple(value) if isinstance(value, list | tuple) else (value, value)
    whole = all(isinstance(number, int) and not isinstance(number, bool) for number in pair)
    if len(pair) != 2 or not whole or not least <= pair[0] <= pair[1] <= most:
        right = f"it must be a whole number from {least} to {most}, or a pair of them with the smaller one first"
        raise GraphError(f"{name} is {show(value)}; {right}")
    return pair


def _draw(rng: RandomGenerator, low: int, high: int) -> int:
    """A number within the bounds; no draw where they are equal."""
    return low if low == high else low + rng.below(high - low + 1)


def _check_seed(seed: object) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise GraphError(f"the seed is {show(seed)}; it must be a whole number from 0")


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
    """Choose bundles, near ones and those with a strong pull first; None where ``edges`` of them do not connect all."""
    jitter = np.array(rng.many_below(25, len(bundles)))
    a, b = np.array([bundle[0] for bundle in bundles]).T
    at, pulls = np.array(places), np.array(pull)
    costs = ((at[a] - at[b]) ** 2).sum(1) * (8 + jitter) * 64 // (pulls[a] * pulls[b])
    ranked = [bundles[i] for i in np.lexsort((b, a, costs)).tolist()]
    leader, degree = list(range(len(places))), [0] * len(places)
    parts, chosen, count = len(places), dict[Bundle, None](), 0

    def part(planet: int) -> int:
        while leader[planet] != planet:
            leader[planet] = planet = leader[leader[planet]]
        return planet

    for spanning in (True, False):  # first a tree, then whatever there is room for
        for bundle in ranked:
            if parts == 1 if spanning else count >= edges:
                break
            useful = any(part(a) != part(b) for a, b in bundle) if spanning else count + len(bundle) <= edges
            ends = [end for edge in bundle for end in edge]
            if not useful or bundle in chosen or any(degree[end] + ends.count(end) > max_degree for end in ends):
                continue
            chosen[bundle] = None
            count += len(bundle)
            for end in ends:
                degree[end] += 1
            for a, b in bundle:
                parts -= part(a) != part(b)
                leader[part(a)] = part(b)
    return list(chosen) if parts == 1 and count <= edges else None


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
    """Two planets BASE_HOPS edges or more apart, with ways of a weight within the range, or None; ``fair``: two images."""
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
