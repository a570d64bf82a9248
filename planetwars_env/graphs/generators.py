"""Boards by rule and seed. The same name, seed and arguments give the same board, on every machine and NumPy version.

All draws are integers made from the raw bits of PCG64, the part of numpy.random whose stream is guaranteed for good.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from math import isqrt
from typing import Any, overload

import numpy as np

from planetwars_env.graphs.graph import MAX_PLANETS, Edge, Graph, GraphError, Planet, show
from planetwars_env.names import close_name

Place = tuple[int, int]
Bundle = tuple[Place, ...]  # edges, as pairs of planet indices, that are taken or left together: an edge and its image

CLASSIC_PLANETS = (10, 21)
CLASSIC_EDGES = (10, 36)
CLASSIC_DEGREE = 13
CLASSIC_GRID = 10  # coordinates 1 to 10
LARGE_PLANETS = (30, 60)
LARGE_DEGREE = 16
MAX_EDGE_WEIGHT = 7
BASE_HOPS = 3  # at least so many edges between the bases
BASE_WEIGHTS = (4, 23)  # the total weight of the shortest way between them


class RandomGenerator:
    """Draws from one seed."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    def below(self, sides: int) -> int:
        """A whole number from 0 to sides - 1, all equally likely."""
        return int(self._bits.random_raw()) * sides >> 64

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


def generate_graph(name: str, seed: int, **arguments: Any) -> Graph:
    """A board of the generator of this name: "classic", "symmetric" or "large" (which takes ``planets=``).

    The graph is called ``name-seed``. Raises GraphError for an unknown name or argument, listing the known ones.
    """
    generator = _generator(name, arguments)
    _check_seed(seed)
    rng = RandomGenerator(int(seed))
    label = f"{name}-{seed}"
    while True:  # a draw in which the bases cannot be placed, or that falls apart, is followed by another one
        graph = generator(rng, label, **arguments)
        if graph is not None:
            return graph


class GraphGenerator(Sequence[Graph]):
    """A pool of ``count`` generated graphs, each made when it is first asked for.

    Graph i has the seed ``seed * 2**32 + i``, so that pools with different seeds have no graph in common, and none with
    the shipped pools as long as ``seed`` is below 2**30.
    """

    def __init__(self, name: str, count: int = 256, seed: int = 0, **arguments: Any) -> None:
        _generator(name, arguments)
        _check_seed(seed)
        if not isinstance(count, int) or not 1 <= count <= 2**32:
            raise GraphError(f"the count is {show(count)}; it must be a whole number from 1 to 2**32")
        self._name, self._count, self._seed, self._arguments = name, count, int(seed), arguments
        self._made: dict[int, Graph] = {}

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, item: int) -> Graph: ...
    @overload
    def __getitem__(self, item: slice) -> tuple[Graph, ...]: ...
    def __getitem__(self, item: int | slice) -> Graph | tuple[Graph, ...]:
        chosen = range(self._count)[item]  # checks and resolves negative positions
        return tuple(map(self._graph, chosen)) if isinstance(chosen, range) else self._graph(chosen)

    def _graph(self, position: int) -> Graph:
        if position not in self._made:
            self._made[position] = generate_graph(self._name, self._seed * 2**32 + position, **self._arguments)
        return self._made[position]

    def __repr__(self) -> str:
        arguments = "".join(f", {key}={value!r}" for key, value in self._arguments.items())
        return f"GraphGenerator({self._name!r}, count={self._count}, seed={self._seed}{arguments})"


def mirror(graph: Graph) -> dict[int, int]:
    """The exchange of the players on a symmetric board: planet id -> id of its image.

    The i-th planet by id and the i-th from the end are images of one another (ids i and n - 1 - i on generated boards).
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


def _classic(rng: RandomGenerator, label: str) -> Graph | None:
    low, high = CLASSIC_PLANETS
    count = low + max(rng.below(high - low + 1), rng.below(6))  # median 16
    places = rng.sample(_grid(CLASSIC_GRID), count)
    bundles: list[Bundle] = [((a, b),) for a in range(count) for b in range(a + 1, count)]
    chosen = _connect(rng, places, _pull(rng, count), bundles, _edge_count(rng, count), CLASSIC_DEGREE)
    if chosen is None:
        return None
    edges = _weigh(rng, places, chosen)
    bases = _bases(rng, count, edges, BASE_WEIGHTS)
    return bases and _graph(label, places, [draw_land(rng) for _ in places], edges, bases)


def _symmetric(rng: RandomGenerator, label: str) -> Graph | None:
    """Planet i and planet n - 1 - i are images; so are their edges. The places are reflected through the centre."""
    half = 5 + max(rng.below(6), rng.below(4))  # 10 to 20 planets, median 16
    count = 2 * half
    side = CLASSIC_GRID + 1
    first = rng.sample([place for place in _grid(CLASSIC_GRID) if place < (side - place[0], side - place[1])], half)
    first = [place if rng.chance(50) else (side - place[0], side - place[1]) for place in first]
    places = first + [(side - x, side - y) for x, y in reversed(first)]
    bundles = sorted({_with_image(a, b, count) for a in range(count) for b in range(a + 1, count)})
    pull = _pull(rng, half)
    chosen = _connect(rng, places, pull + pull[::-1], bundles, _edge_count(rng, count), CLASSIC_DEGREE)
    if chosen is None:
        return None
    edges = _weigh(rng, places, chosen)
    candidates = [(a, count - 1 - a) for a in rng.sample(range(count), count)]
    bases = next((pair for pair in candidates if pair[1] in _far_enough(pair[0], count, edges, BASE_WEIGHTS)), None)
    land = [draw_land(rng) for _ in first]
    return bases and _graph(label, places, land + land[::-1], edges, bases)


def _large(rng: RandomGenerator, label: str, planets: int | None = None) -> Graph | None:
    """Planets stand in the cells of a loose grid, and edges join near cells only: the work grows with the planets."""
    low, high = LARGE_PLANETS
    if planets is None:
        planets = low + rng.below(high - low + 1)
    if isinstance(planets, bool) or not isinstance(planets, int) or not CLASSIC_PLANETS[0] <= planets <= MAX_PLANETS:
        right = f"it must be a whole number from {CLASSIC_PLANETS[0]} to {MAX_PLANETS}"
        raise GraphError(f"planets is {show(planets)}; {right}")
    cells = rng.sample(_grid(isqrt(planets - 1) + 1), planets)
    places = [(3 * x - rng.below(3), 3 * y - rng.below(3)) for x, y in cells]
    chosen = _connect(rng, places, _pull(rng, planets), _near(cells), planets * 3 // 2, LARGE_DEGREE)
    if chosen is None:
        return None
    edges = _weigh(rng, places, chosen)
    bases = _bases(rng, planets, edges, (BASE_WEIGHTS[0], MAX_EDGE_WEIGHT * planets))
    return bases and _graph(label, places, [draw_land(rng) for _ in places], edges, bases)


GENERATORS: dict[str, Callable[..., Graph | None]] = {"classic": _classic, "symmetric": _symmetric, "large": _large}


def _generator(name: str, arguments: dict[str, Any]) -> Callable[..., Graph | None]:
    if name not in GENERATORS:
        close = close_name(name, GENERATORS) if isinstance(name, str) else None
        hint = f"; did you mean {close!r}?" if close else ""
        raise GraphError(f"there is no generator {show(name)}; known: {', '.join(GENERATORS)}{hint}")
    known = list(inspect.signature(GENERATORS[name]).parameters)[2:]
    for argument in arguments:
        if argument not in known:
            raise GraphError(f"generator {name!r} has no argument {argument!r}; known: {', '.join(known) or 'none'}")
    return GENERATORS[name]


def _check_seed(seed: object) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise GraphError(f"the seed is {show(seed)}; it must be a whole number from 0")


def _grid(side: int) -> list[Place]:
    return [(x, y) for x in range(1, side + 1) for y in range(1, side + 1)]


def _edge_count(rng: RandomGenerator, planets: int) -> int:
    """1 to 1.8 edges a planet, about 1.4 on average: a mean degree of 2.8."""
    low, high = CLASSIC_EDGES
    return min(high, max(low, planets * (100 + rng.below(84)) // 100))


def draw_land(rng: RandomGenerator) -> tuple[int, int]:
    """Draw habitability and size of a planet: 1-10 with 5 % of 11-12, and 51-596 with half of them up to 284."""
    habitability = 11 + rng.below(2) if rng.chance(5) else 1 + rng.below(10)
    size = 51 + rng.below(234) if rng.chance(50) else 285 + rng.below(312)
    return habitability, size


def _pull(rng: RandomGenerator, planets: int) -> list[int]:
    """Attraction of each planet for edges: mostly 1, up to 12 for the few that are to become hubs."""
    return [2 + rng.below(11) if rng.chance(6) else 1 for _ in range(planets)]


def _with_image(a: int, b: int, count: int) -> Bundle:
    """The edge and its image under i -> count - 1 - i, once where they are the same."""
    return tuple(sorted({(a, b), (count - 1 - b, count - 1 - a)}))


def _near(cells: list[Place]) -> list[Bundle]:
    """All pairs of planets at most two cells apart."""
    at = {cell: planet for planet, cell in enumerate(cells)}
    steps = [(dx, dy) for dx in range(3) for dy in range(-2, 3) if (dx, dy) > (0, 0)]
    return [
        ((planet, other),)
        for planet, (x, y) in enumerate(cells)
        for dx, dy in steps
        if (other := at.get((x + dx, y + dy))) is not None
    ]


def _distance(places: list[Place], edge: Place) -> int:
    """The square of the distance: whole, so that no rounding can ever change a board."""
    (x, y), (u, v) = places[edge[0]], places[edge[1]]
    return (x - u) ** 2 + (y - v) ** 2


def _connect(
    rng: RandomGenerator, places: list[Place], pull: list[int], bundles: list[Bundle], edges: int, max_degree: int
) -> list[Bundle] | None:
    """Chooses bundles, near and well-liked ones first, until all is connected and there are ``edges`` of them.

    Planets with a strong pull become hubs. None if the result is not connected.
    """

    def cost(bundle: Bundle) -> tuple[int, Bundle]:
        a, b = bundle[0]
        return _distance(places, bundle[0]) * (8 + rng.below(25)) * 64 // (pull[a] * pull[b]), bundle

    ranked = [bundle for _, bundle in sorted(map(cost, bundles))]
    network = _Network(len(places), max_degree)
    tree = [bundle for bundle in ranked if network.joins(bundle) and network.add(bundle)]
    taken = set(tree)
    extra = [b for b in ranked if b not in taken and network.edges + len(b) <= edges and network.add(b)]
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
        ends = [end for edge in bundle for end in edge]
        if any(self._degree[end] + ends.count(end) > self._max_degree for end in ends):
            return False
        for end in ends:
            self._degree[end] += 1
        for a, b in bundle:
            self.parts -= self._part(a) != self._part(b)
            self._leader[self._part(a)] = self._part(b)
        self.edges += len(bundle)
        return True


def _weigh(rng: RandomGenerator, places: list[Place], bundles: list[Bundle]) -> list[Edge]:
    """Weights 1 to 7, about uniform: by the rank of the edge's length for one half, by chance for the other."""
    ranked = sorted(bundles, key=lambda bundle: (_distance(places, bundle[0]), bundle))
    edges = []
    for rank, bundle in enumerate(ranked):
        by_length = rank * MAX_EDGE_WEIGHT // len(ranked)
        weight = 1 + (by_length if rng.chance(50) else rng.below(MAX_EDGE_WEIGHT))
        edges += [Edge(a, b, weight) for a, b in bundle]
    return edges


def _bases(rng: RandomGenerator, count: int, edges: list[Edge], weights: tuple[int, int]) -> tuple[int, int] | None:
    """Two planets that are far enough apart, any such second one for the first first one that has some; or None."""
    for base in rng.sample(range(count), count):
        opponents = _far_enough(base, count, edges, weights)
        if opponents:
            return base, opponents[rng.below(len(opponents))]
    return None


def _far_enough(base: int, count: int, edges: list[Edge], weights: tuple[int, int]) -> list[int]:
    """The planets at least BASE_HOPS edges away from the base, by shortest ways of a weight within the range."""
    hops = _distances(base, count, [Edge(edge.a, edge.b, 1) for edge in edges])
    ways = _distances(base, count, edges)
    return [p for p in range(count) if hops[p] >= BASE_HOPS and weights[0] <= ways[p] <= weights[1]]


def _distances(source: int, count: int, edges: list[Edge]) -> dict[int, int]:
    """The weight of the shortest way from the source to every planet of a connected graph (Dijkstra)."""
    ways: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for edge in edges:
        ways[edge.a].append((edge.b, edge.weight))
        ways[edge.b].append((edge.a, edge.weight))
    found: dict[int, int] = {}
    front = [(0, source)]
    while front:
        distance, planet = heappop(front)
        if planet not in found:
            found[planet] = distance
            for other, weight in ways[planet]:
                heappush(front, (distance + weight, other))
    return found


def _graph(label: str, places: list[Place], land: list[tuple[int, int]], edges: list[Edge], bases: Place) -> Graph:
    owner = {bases[0]: 1, bases[1]: 2}
    planets = [
        Planet(i, land[i][0], land[i][1], float(x), float(y), owner.get(i, 0)) for i, (x, y) in enumerate(places)
    ]
    return Graph(label, planets, edges)
