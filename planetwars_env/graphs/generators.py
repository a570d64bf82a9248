"""Graphs by kind and seed. The same name, seed and arguments give the same graph, on every machine and NumPy version.

All draws are integers made from the raw bits of PCG64, the part of numpy.random whose stream is guaranteed for good.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from planetwars_env.graphs.graph import Graph, GraphError, show
from planetwars_env.graphs.graph_kinds import LargestGraph, kind, largest_graph
from planetwars_env.graphs.wiring import RandomGenerator


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

    @property
    def names(self) -> Sequence[str]:
        """The names of all graphs, without making one."""
        return _Names(self)

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


class _Names(Sequence[str]):
    """The names of a generator's graphs."""

    def __init__(self, generator: GraphGenerator) -> None:
        self._generator = generator

    def __len__(self) -> int:
        return len(self._generator)

    @overload
    def __getitem__(self, item: int) -> str: ...
    @overload
    def __getitem__(self, item: slice) -> list[str]: ...
    def __getitem__(self, item: int | slice) -> str | list[str]:
        chosen = range(len(self))[item]
        return [*map(self._generator.name, chosen)] if isinstance(chosen, range) else self._generator.name(chosen)


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


def _check_seed(seed: object) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise GraphError(f"the seed is {show(seed)}; it must be a whole number from 0")
