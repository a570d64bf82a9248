"""The graph as R9 lets a player know it: ids, positions, edges and weights, without what lives or grows where."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from planetwars_env.graphs.graph import Edge, Graph, neighbours_by_id
from planetwars_env.view import PlanetView


class Node(NamedTuple):
    """A planet's id and where it is drawn."""

    id: int
    x: float
    y: float


@dataclass(frozen=True)
class KnownMap:
    """Map that a strategy gets before its first turn; it reads like a `Graph` whose planets have no details."""

    planets: tuple[Node, ...]
    edges: tuple[Edge, ...]

    @classmethod
    def of(cls, graph: Graph) -> "KnownMap":
        """The known_map of a graph."""
        return cls(tuple(Node(planet.id, planet.x, planet.y) for planet in graph.planets), graph.edges)

    @cached_property
    def index(self) -> Mapping[int, int]:
        """From a planet's id to its place in ``planets``."""
        return {planet.id: place for place, planet in enumerate(self.planets)}

    @cached_property
    def hidden(self) -> tuple[PlanetView, ...]:
        """Every planet as the fog shows it."""
        return tuple(PlanetView(planet.id, planet.x, planet.y, visible=False) for planet in self.planets)

    @cached_property
    def _neighbours(self) -> dict[int, tuple[int, ...]]:
        return neighbours_by_id((planet.id for planet in self.planets), self.edges)

    def neighbours(self, id: int) -> tuple[int, ...]:
        """The ids of the planets that an edge joins to this one, sorted; KeyError for an unknown id."""
        return self._neighbours[id]

    def degree(self, id: int) -> int:
        """The number of edges of the planet; KeyError for an unknown id."""
        return len(self._neighbours[id])
