"""The graph: planets joined by weighted edges, checked once when it is made and never changed afterwards (R1)."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from numbers import Integral, Real
from operator import attrgetter
from typing import Any, Literal, TypeVar

from planetwars_env.text import clean_name

# The limits of R1. The last one is there so that populations fit the engine's integers.
MIN_PLANETS, MAX_PLANETS = 2, 1000
MAX_ID = 2**31 - 1
MAX_HABITABILITY = 1000
MAX_WEIGHT = 1000
MAX_TOTAL_SIZE = 50_000_000
LONGEST_GRAPH_NAME = 200

Subject = Literal["graph", "planet", "edge"]


class GraphError(ValueError):
    """A graph that breaks R1, or one that cannot be found.

    ``subject`` and ``position`` say which of the planets or edges handed in is at fault, 0 for the graph as a whole.
    """

    def __init__(self, message: str, subject: Subject = "graph", position: int = 0) -> None:
        super().__init__(message)
        self.subject: Subject = subject
        self.position = position


@dataclass(frozen=True, slots=True)
class Planet:
    """A place to live: ``size`` people fit, and grow by ``habitability`` percent a turn; ``base`` is 0 for none."""

    id: int
    habitability: int
    size: int
    x: float = 0.0
    y: float = 0.0
    base: int = 0


@dataclass(frozen=True, slots=True)
class Edge:
    """A way between two planets, usable in both directions, ``weight`` turns long. In a Graph, a < b."""

    a: int
    b: int
    weight: int


Row = TypeVar("Row", Planet, Edge)


@dataclass(frozen=True, init=False, repr=False)
class Graph:
    """A valid graph (R1): planets sorted by id, edges by (a, b) with a < b. Need not be connected.

    Equality and hash look at planets and edges; the name is only a label. Raises GraphError, which names the planet or
    edge, its fault, and what would be right.

    >>> Graph("tiny", [Planet(1, 3, 100, base=1), Planet(2, 3, 100, base=2)], [Edge(2, 1, 5)])
    Graph('tiny': 2 planets, 1 edge, bases 1 and 2)
    """

    name: str = field(compare=False)
    planets: tuple[Planet, ...]
    edges: tuple[Edge, ...]

    def __init__(self, name: str, planets: Iterable[Planet], edges: Iterable[Edge]) -> None:
        checked = [_checked(Planet, "planet", position, planet) for position, planet in enumerate(planets)]
        _check_together(checked)
        joined = _checked_edges(edges, {planet.id for planet in checked})
        object.__setattr__(self, "name", clean_name(name, LONGEST_GRAPH_NAME))
        object.__setattr__(self, "planets", tuple(sorted(checked, key=attrgetter("id"))))
        object.__setattr__(self, "edges", tuple(joined[pair] for pair in sorted(joined)))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], name: str = "") -> Graph:
        """A graph from plain data: two lists, "planets" and "edges", of dicts with the fields of Planet and Edge.

        x, y and base may be left out (0). Raises GraphError.

        >>> ends = [{"id": player, "habitability": 3, "size": 100, "base": player} for player in (1, 2)]
        >>> Graph.from_dict({"planets": ends, "edges": [{"a": 1, "b": 2, "weight": 5}]}, "tiny").bases
        (1, 2)
        """
        parts: list[list[Any]] = []
        for key, kind in (("planets", Planet), ("edges", Edge)):
            rows = data.get(key) if isinstance(data, Mapping) else None
            if not isinstance(rows, list | tuple):
                raise GraphError(f"a graph's dict needs a list under {key!r}, not {show(rows)}")
            parts.append([_from_dict(kind, position, row) for position, row in enumerate(rows)])
        return cls(name, *parts)

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """The inverse of ``from_dict``: plain lists, dicts and numbers, ready for JSON."""
        return {
            "planets": [{key: getattr(planet, key) for key in Planet.__slots__} for planet in self.planets],
            "edges": [{key: getattr(edge, key) for key in Edge.__slots__} for edge in self.edges],
        }

    @cached_property
    def index(self) -> dict[int, int]:
        """Planet id -> its index, the position in ``planets``."""
        return {planet.id: position for position, planet in enumerate(self.planets)}

    @cached_property
    def bases(self) -> tuple[int, int]:
        """The id of player 1's base, the id of player 2's base."""
        first, second = sorted((planet for planet in self.planets if planet.base), key=lambda planet: planet.base)
        return first.id, second.id

    @cached_property
    def edge_numbers(self) -> dict[tuple[int, int], int]:
        """The number of the directed edge between two planets, by their ids, in ascending order."""
        pairs = [pair for edge in self.edges for pair in ((edge.a, edge.b), (edge.b, edge.a))]
        return {pair: number for number, pair in enumerate(sorted(pairs))}

    @cached_property
    def _neighbours(self) -> dict[int, tuple[int, ...]]:
        return neighbours_by_id((planet.id for planet in self.planets), self.edges)

    def neighbours(self, planet: int) -> tuple[int, ...]:
        """The ids of the planets that an edge joins to this one, ascending. Raises KeyError for an unknown id."""
        return self._neighbours[planet]

    def degree(self, planet: int) -> int:
        """The number of edges at this planet. Raises KeyError for an unknown id."""
        return len(self._neighbours[planet])

    def __deepcopy__(self, memo: dict[int, Any]) -> Graph:
        return self  # it never changes

    def __reduce__(self) -> tuple[type[Graph], tuple[str, tuple[Planet, ...], tuple[Edge, ...]]]:
        return Graph, (self.name, self.planets, self.edges)

    def __repr__(self) -> str:
        edges = "1 edge" if len(self.edges) == 1 else f"{len(self.edges)} edges"
        first, second = self.bases
        return f"Graph({self.name!r}: {len(self.planets)} planets, {edges}, bases {first} and {second})"


def weights_by_id(edges: Iterable[Edge]) -> dict[int, dict[int, int]]:
    """The weight of the edge from a planet to each of its neighbours, in the order of the edges."""
    weights: dict[int, dict[int, int]] = {}
    for edge in edges:
        weights.setdefault(edge.a, {})[edge.b] = edge.weight
        weights.setdefault(edge.b, {})[edge.a] = edge.weight
    return weights


def shortest_ways(
    weights: Mapping[int, Mapping[int, int]], sources: Iterable[int]
) -> tuple[dict[int, int], dict[int, int]]:
    """Distances from the nearest source to every planet that can be reached, and the planet before it on the way (Dijkstra)."""
    reached, origins = dict.fromkeys(sources, 0), {}
    queue = [(0, id) for id in sorted(reached)]
    while queue:
        distance, id = heappop(queue)
        if distance > reached[id]:
            continue
        for other, weight in weights.get(id, {}).items():
            if other not in reached or distance + weight < reached[other]:
                reached[other], origins[other] = distance + weight, id
                heappush(queue, (distance + weight, other))
    return reached, origins


def neighbours_by_id(ids: Iterable[int], edges: Iterable[Edge]) -> dict[int, tuple[int, ...]]:
    """Of every planet the ids that an edge joins to it, ascending."""
    weights = weights_by_id(edges)
    return {id: tuple(sorted(weights.get(id, ()))) for id in ids}


def _check_together(planets: list[Planet]) -> None:
    """The parts of R1 that concern all planets at once."""
    if not MIN_PLANETS <= len(planets) <= MAX_PLANETS:
        raise GraphError(f"the graph has {len(planets)} planets; {MIN_PLANETS} to {MAX_PLANETS} are allowed")
    seen: set[int] = set()
    bases: dict[int, int] = {}
    for position, planet in enumerate(planets):
        if planet.id in seen:
            raise GraphError(f"planet {planet.id} is defined twice; every id must be unique", "planet", position)
        seen.add(planet.id)
        if planet.base in bases:
            fault = f"planet {planet.id}: player {planet.base} already has its base on planet {bases[planet.base]}"
            raise GraphError(f"{fault}; each player has exactly one", "planet", position)
        if planet.base:
            bases[planet.base] = planet.id
    for player in (1, 2):
        if player not in bases:
            raise GraphError(f"player {player} has no base; exactly one planet needs base = {player}")
    total = sum(planet.size for planet in planets)
    if total > MAX_TOTAL_SIZE:
        raise GraphError(f"the sizes of all planets add up to {total:,}; at most {MAX_TOTAL_SIZE:,} is allowed")


def _checked_edges(edges: Iterable[Edge], known: set[int]) -> dict[tuple[int, int], Edge]:
    """The edges by (a, b), turned so that a < b, or GraphError."""
    joined: dict[tuple[int, int], Edge] = {}
    for position, given in enumerate(edges):
        edge = _checked(Edge, "edge", position, given)
        ends, pair = (edge.a, edge.b), (min(edge.a, edge.b), max(edge.a, edge.b))
        if not known.issuperset(ends):
            fault = f": there is no planet {edge.b if edge.a in known else edge.a}; define it first"
        elif edge.a == edge.b:
            fault = " joins a planet to itself; it needs two different ends"
        elif pair in joined:
            ends, fault = pair, " is defined twice; at most one edge joins two planets"
        else:
            joined[pair] = Edge(*pair, edge.weight)
            continue
        raise GraphError(f"edge {ends[0]} -- {ends[1]}{fault}", "edge", position)
    return joined


def _from_dict(kind: type[Any], position: int, row: Any) -> Any:
    """A Planet or Edge from a dict of its fields, or GraphError."""
    needed = [name for name in kind.__slots__ if name not in ("x", "y", "base")]
    subject: Subject = "planet" if kind is Planet else "edge"
    known, fault = ", ".join(kind.__slots__), ""
    if not isinstance(row, Mapping):
        fault = f"must be a dict with {known}, not {show(row)}"
    elif unknown := [key for key in row if key not in kind.__slots__]:
        fault = f"has an unknown key {show(unknown[0])}; known: {known}"
    elif missing := [key for key in needed if key not in row]:
        fault = f"has no {missing[0]!r}; needed: {', '.join(needed)}"
    if fault:
        raise GraphError(f"{subject} number {position + 1} {fault}", subject, position)
    return kind(**row)


_BOUNDS: dict[str, tuple[str, Any, Any]] = {
    "id": ("the id", 0, MAX_ID),
    "habitability": ("habitability", 0, MAX_HABITABILITY),
    "size": ("size", 1, MAX_TOTAL_SIZE),
    "base": ("base", 0, 2),
    "a": ("one end", 0, MAX_ID),
    "b": ("one end", 0, MAX_ID),
    "weight": ("weight", 1, MAX_WEIGHT),
}
"""By field of a Planet or Edge its name in messages and its bounds; the others are coordinates."""


def _checked(kind: type[Row], subject: Subject, position: int, row: Row) -> Row:
    """A Planet or Edge with plain int and float fields, or GraphError."""
    if type(row) is not kind:
        raise GraphError(f"the {subject}s must be {kind.__name__} objects, not {show(row)}", subject, position)
    values: list[Any] = []
    for key in kind.__slots__:
        value: Any = getattr(row, key)
        # NumPy's numbers are welcome; booleans, and floats for whole numbers, are a sign of a mistake.
        whole: Any = int if key in _BOUNDS else float
        number = Integral if key in _BOUNDS else Real
        if type(value) is not whole and isinstance(value, number) and not isinstance(value, bool):
            with suppress(OverflowError):
                value = whole(value)
        what, low, high = _BOUNDS.get(key, (key, -sys.float_info.max, sys.float_info.max))
        if type(value) is not whole or not low <= value <= high:
            right = f"a whole number from {low} to {high}" if key in _BOUNDS else "a finite number"
            name = f"planet {show(row.id)}" if isinstance(row, Planet) else f"edge {show(row.a)} -- {show(row.b)}"
            raise GraphError(f"{name}: {what} is {show(value)}; it must be {right}", subject, position)
        values.append(value)
    return kind(*values)


def show(value: object, longest: int = 40) -> str:
    """A short text of any value, for messages. Huge integers, which Python refuses to print, included."""
    if isinstance(value, int) and value.bit_length() > 4 * longest:
        return f"a number of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= longest else f"{text[:longest]}..."
