"""Graphs by kind and seed: how each kind is drawn, and how large it can become.

The same name, seed and arguments give the same graph, on every machine and NumPy version.
All draws are integers made from the raw bits of PCG64, the part of numpy.random whose stream is guaranteed for good.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from math import isqrt
from typing import Any, NamedTuple, overload

import numpy as np

from planetwars_env.graphs import wiring
from planetwars_env.graphs.graph import MAX_PLANETS, Edge, Graph, GraphError, Planet, show
from planetwars_env.graphs.wiring import MAX_EDGE_WEIGHT, Bundle, Place, RandomGenerator, grid
from planetwars_env.names import suggestion

CLASSIC_PLANETS = (10, 21)
CLASSIC_EDGES = (10, 36)
CLASSIC_DEGREE = 13
CLASSIC_GRID = 10  # coordinates 1 to 10
LARGE_PLANETS = (30, 60)
LARGE_DEGREE = 16
TINY_PLANETS = (6, 10)
FEWEST_PLANETS, FEWEST_LARGE, LEAST_DEGREE = 6, 10, 3
BASE_WEIGHTS = (4, 23)  # the total weight of the shortest way between the bases

Range = int | tuple[int, int]
"""A number, or the smallest and the largest of those that it is drawn from."""


def generate_graph(name: str, seed: int, **arguments: Any) -> Graph:
    """A graph of the kind ``name``: "tiny", "classic", "symmetric" or "large". `GraphGenerator` lists the arguments.

    The graph is called ``name-seed``. Raises GraphError for an unknown name or argument, listing the known ones.
    """
    make = kind(name, arguments)
    _check_seed(seed)
    rng = RandomGenerator(int(seed))
    label = f"{name}-{seed}"
    while True:  # a draw in which the bases cannot be placed, or that falls apart, is followed by another one
        graph = make(rng, label, **arguments)
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
        kind(name, arguments)
        _check_seed(seed)
        if not isinstance(count, int) or not 1 <= count <= 2**32:
            raise GraphError(f"the count is {show(count)}; it must be a whole number from 1 to 2**32")
        self._name, self._count, self._seed, self._arguments = name, count, int(seed), arguments
        self._made: dict[int, Graph] = {}

    def __len__(self) -> int:
        return self._count

    def name(self, position: int) -> str:
        """The name of the graph at ``position``."""
        return f"{self._name}-{self._seed * 2**32 + range(self._count)[position]}"

    @property
    def largest(self) -> LargestGraph:
        """Bounds that no graph of the pool exceeds."""
        return largest_graph(self._name, **self._arguments)

    @overload
    def __getitem__(self, item: int) -> Graph: ...
    @overload
    def __getitem__(self, item: slice) -> tuple[Graph, ...]: ...
    def __getitem__(self, item: int | slice) -> Graph | tuple[Graph, ...]:
        chosen = range(self._count)[item]  # checks and resolves negative positions
        return tuple(map(self._graph, chosen)) if isinstance(chosen, range) else self._graph(chosen)

    def _graph(self, position: int) -> Graph:
        if position not in self._made:
            self._made[position] = self.make(position)
        return self._made[position]

    def make(self, position: int) -> Graph:
        """The graph at ``position``, made anew and not kept."""
        return generate_graph(self._name, self._seed * 2**32 + range(self._count)[position], **self._arguments)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_made": {}}

    def __deepcopy__(self, memo: dict[int, Any]) -> GraphGenerator:
        return self  # its graphs follow from its arguments

    def __repr__(self) -> str:
        arguments = "".join(f", {key}={value!r}" for key, value in self._arguments.items())
        return f"GraphGenerator({self._name!r}, count={self._count}, seed={self._seed}{arguments})"


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


def largest_graph(name: str, planets: Range | None = None, degree: Range | None = None, **_: Any) -> LargestGraph:
    """The bounds of the kind ``name`` with these arguments. GraphError for a range that cannot be."""
    large = name == "large"
    defaults = {"tiny": TINY_PLANETS, "symmetric": (10, 20), "large": LARGE_PLANETS}
    most = _planets(planets, large)[1] if planets is not None else defaults.get(name, CLASSIC_PLANETS)[1]
    if large:
        edges = max(most * 3 // 2, most - 1)
    else:
        edges = CLASSIC_EDGES[1] if planets is None and name != "tiny" else most * 183 // 100
    degrees = _degrees(degree)[1] if degree is not None else LARGE_DEGREE if large else CLASSIC_DEGREE
    return LargestGraph(most, edges, min(degrees, most - 1))


def kind(name: str, arguments: dict[str, Any]) -> Callable[..., Graph | None]:
    """The maker of the kind ``name``: from draws and a label to a graph, or to None where the draw fails.

    GraphError for an unknown name or argument, listing the known ones, and for a wrong range.
    """
    if name not in KINDS:
        raise GraphError(f"there is no generator {show(name)}; known: {', '.join(KINDS)}{suggestion(name, KINDS)}")
    known = list(inspect.signature(KINDS[name]).parameters)[2:]
    for argument in arguments:
        if argument not in known:
            raise GraphError(f"generator {name!r} has no argument {argument!r}; known: {', '.join(known) or 'none'}")
    largest_graph(name, **arguments)
    if arguments.get("planets") is not None and (name == "symmetric" or arguments.get("fair")):
        _halves(arguments["planets"])
    return KINDS[name]


def _tiny(rng: RandomGenerator, label: str, fair: bool = False) -> Graph | None:
    return _classic(rng, label, TINY_PLANETS, fair=fair)


def _classic(
    rng: RandomGenerator, label: str, planets: Range | None = None, degree: Range | None = None, fair: bool = False
) -> Graph | None:
    if fair:
        return _symmetric(rng, label, planets, degree)
    low, high = CLASSIC_PLANETS
    if planets is None:
        count = low + max(rng.below(high - low + 1), rng.below(6))  # median 16
    else:
        count = _draw(rng, _planets(planets))
    most = _draw(rng, _degrees(degree or CLASSIC_DEGREE))
    places = rng.sample(grid(_side(count)), count)
    bundles: list[Bundle] = [((a, b),) for a in range(count) for b in range(a + 1, count)]
    pull = wiring.draw_pull(rng, count)
    chosen = wiring.connect(rng, places, pull, bundles, _edge_count(rng, count, planets is None), most)
    if chosen is None:
        return None
    edges = wiring.weigh(rng, places, chosen)
    bases = wiring.choose_bases(rng, count, edges, _base_weights(count, planets is None))
    return bases and _graph(label, places, [wiring.draw_land(rng) for _ in places], edges, bases)


def _symmetric(
    rng: RandomGenerator, label: str, planets: Range | None = None, degree: Range | None = None
) -> Graph | None:
    """Planet i and planet n - 1 - i are images; so are their edges. The places are reflected through the centre."""
    if planets is None:
        half = 5 + max(rng.below(6), rng.below(4))  # 10 to 20 planets, median 16
    else:
        half = _draw(rng, _halves(planets))
    most = _draw(rng, _degrees(degree or CLASSIC_DEGREE))
    count = 2 * half
    side = _side(count) + 1
    first = rng.sample([place for place in grid(side - 1) if place < (side - place[0], side - place[1])], half)
    first = [place if rng.chance(50) else (side - place[0], side - place[1]) for place in first]
    places = first + [(side - x, side - y) for x, y in reversed(first)]
    bundles = sorted({wiring.with_image(a, b, count) for a in range(count) for b in range(a + 1, count)})
    pull = wiring.draw_pull(rng, half)
    chosen = wiring.connect(rng, places, pull + pull[::-1], bundles, _edge_count(rng, count, planets is None), most)
    if chosen is None:
        return None
    edges = wiring.weigh(rng, places, chosen)
    weights = _base_weights(count, planets is None)
    candidates = [(a, count - 1 - a) for a in rng.sample(range(count), count)]
    bases = next((pair for pair in candidates if pair[1] in wiring.far_enough(pair[0], count, edges, weights)), None)
    land = [wiring.draw_land(rng) for _ in first]
    return bases and _graph(label, places, land + land[::-1], edges, bases)


def _large(rng: RandomGenerator, label: str, planets: Range | None = None, degree: Range | None = None) -> Graph | None:
    """Planets stand in the cells of a loose grid, and edges join near cells only: the work grows with the planets."""
    count = _draw(rng, LARGE_PLANETS if planets is None else _planets(planets, large=True))
    most = _draw(rng, _degrees(degree or LARGE_DEGREE))
    cells = rng.sample(grid(isqrt(count - 1) + 1), count)
    places = [(3 * x - rng.below(3), 3 * y - rng.below(3)) for x, y in cells]
    pull = wiring.draw_pull(rng, count)
    chosen = wiring.connect(rng, places, pull, wiring.near(cells), count * 3 // 2, most)
    if chosen is None:
        return None
    edges = wiring.weigh(rng, places, chosen)
    bases = wiring.choose_bases(rng, count, edges, _base_weights(count, False))
    return bases and _graph(label, places, [wiring.draw_land(rng) for _ in places], edges, bases)


KINDS: dict[str, Callable[..., Graph | None]] = {
    "tiny": _tiny,
    "classic": _classic,
    "symmetric": _symmetric,
    "large": _large,
}


def _planets(value: Any, large: bool = False) -> tuple[int, int]:
    return _range("planets", value, FEWEST_LARGE if large else FEWEST_PLANETS, MAX_PLANETS)


def _degrees(value: Any) -> tuple[int, int]:
    return _range("degree", value, LEAST_DEGREE, MAX_PLANETS)


def _halves(planets: Any) -> tuple[int, int]:
    """Planets of one half of a fair graph."""
    low, high = _planets(planets)
    if (low + 1) // 2 > high // 2:
        raise GraphError(f"planets is {show(planets)}; a fair graph has an even number of them")
    return (low + 1) // 2, high // 2


def _range(name: str, value: Any, least: int, most: int) -> tuple[int, int]:
    """The smallest and the largest number of a `Range`; GraphError for anything else."""
    pair: Any = tuple(value) if isinstance(value, list | tuple) else (value, value)
    whole = all(isinstance(number, int) and not isinstance(number, bool) for number in pair)
    if len(pair) != 2 or not whole or not least <= pair[0] <= pair[1] <= most:
        right = f"it must be a whole number from {least} to {most}, or a pair of them with the smaller one first"
        raise GraphError(f"{name} is {show(value)}; {right}")
    return pair


def _draw(rng: RandomGenerator, bounds: tuple[int, int]) -> int:
    """A number within the bounds; no draw where they are equal."""
    low, high = bounds
    return low if low == high else low + rng.below(high - low + 1)


def _side(planets: int) -> int:
    """The side of the grid that the planets stand on: four places for each, and never less than 10 by 10."""
    return max(CLASSIC_GRID, isqrt(4 * planets))


def _edge_count(rng: RandomGenerator, planets: int, classic: bool) -> int:
    """1 to 1.8 edges a planet, about 1.4 on average: a mean degree of 2.8."""
    low, high = CLASSIC_EDGES if classic else (planets - 1, planets * 2)
    return min(high, max(low, planets * (100 + rng.below(84)) // 100))


def _base_weights(planets: int, classic: bool) -> tuple[int, int]:
    return BASE_WEIGHTS if classic else (BASE_WEIGHTS[0], MAX_EDGE_WEIGHT * planets)


def _graph(label: str, places: list[Place], land: list[tuple[int, int]], edges: list[Edge], bases: Place) -> Graph:
    owner = {bases[0]: 1, bases[1]: 2}
    planets = [
        Planet(i, land[i][0], land[i][1], float(x), float(y), owner.get(i, 0)) for i, (x, y) in enumerate(places)
    ]
    return Graph(label, planets, edges)


def _check_seed(seed: object) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise GraphError(f"the seed is {show(seed)}; it must be a whole number from 0")
