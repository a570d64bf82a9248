"""The graph: planets joined by weighted edges, checked once when it is made and never changed afterwards (R1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from math import isfinite
from numbers import Integral, Real
from operator import attrgetter
from typing import Any, Literal, NoReturn

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

    ``subject`` and ``position`` say which of the planets or edges handed in is at fault (0 for the graph as a whole),
    so that a reader can point at the line it stood on.
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
        checked = [_checked_planet(position, planet) for position, planet in enumerate(planets)]
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
        rows = [_rows(data, key) for key in ("planets", "edges")]
        planets = (_from_row(Planet, "planet", position, row) for position, row in enumerate(rows[0]))
        edges = (_from_row(Edge, "edge", position, row) for position, row in enumerate(rows[1]))
        return cls(name, planets, edges)

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


def _checked_planet(position: int, planet: Planet) -> Planet:
    """The planet with plain int and float fields, or GraphError."""
    if type(planet) is not Planet:
        raise GraphError(f"the planets must be Planet objects, not {show(planet)}", "planet", position)

    def refuse(what: str, value: object, right: str) -> NoReturn:
        raise GraphError(f"planet {show(planet.id)}: {what} is {show(value)}; {right}", "planet", position)

    return Planet(
        _integer(planet.id, "the id", 0, MAX_ID, refuse),
        _integer(planet.habitability, "habitability", 0, MAX_HABITABILITY, refuse),
        _integer(planet.size, "size", 1, MAX_TOTAL_SIZE, refuse),
        _coordinate(planet.x, "x", refuse),
        _coordinate(planet.y, "y", refuse),
        _integer(planet.base, "base", 0, 2, refuse),
    )


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
    for position, edge in enumerate(edges):
        if type(edge) is not Edge:
            raise GraphError(f"the edges must be Edge objects, not {show(edge)}", "edge", position)

        def refuse(what: str, value: object, right: str, edge: Edge = edge, position: int = position) -> NoReturn:
            raise GraphError(
                f"edge {show(edge.a)} -- {show(edge.b)}: {what} is {show(value)}; {right}", "edge", position
            )

        a, b = (_integer(end, "one end", 0, MAX_ID, refuse) for end in (edge.a, edge.b))
        for end in (a, b):
            if end not in known:
                raise GraphError(f"edge {a} -- {b}: there is no planet {end}; define it first", "edge", position)
        if a == b:
            raise GraphError(f"edge {a} -- {b} joins a planet to itself; it needs two different ends", "edge", position)
        weight = _integer(edge.weight, "weight", 1, MAX_WEIGHT, refuse)
        a, b = min(a, b), max(a, b)
        if (a, b) in joined:
            fault = f"edge {a} -- {b} is defined twice; at most one edge joins two planets"
            raise GraphError(fault, "edge", position)
        joined[a, b] = Edge(a, b, weight)
    return joined


Refuse = Callable[[str, object, str], NoReturn]


def _integer(value: object, what: str, low: int, high: int, refuse: Refuse) -> int:
    # NumPy integers are welcome, booleans and whole floats are not: they are a sign of a mistake.
    if type(value) is not int and isinstance(value, Integral) and not isinstance(value, bool):
        value = int(value)
    if type(value) is not int or not low <= value <= high:
        refuse(what, value, f"it must be a whole number from {low} to {high}")
    return value


def _coordinate(value: object, what: str, refuse: Refuse) -> float:
    if type(value) is not float and isinstance(value, Real) and not isinstance(value, bool):
        with suppress(OverflowError):
            value = float(value)
    if type(value) is not float or not isfinite(value):
        refuse(what, value, "it must be a finite number")
    return value


def show(value: object, longest: int = 40) -> str:
    """A short text of any value, for messages. Huge integers, which Python refuses to print, included."""
    if isinstance(value, int) and value.bit_length() > 4 * longest:
        return f"a number of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= longest else f"{text[:longest]}..."


def _rows(data: Mapping[str, Any], key: str) -> list[Any]:
    rows = data.get(key) if isinstance(data, Mapping) else None
    if not isinstance(rows, list | tuple):
        raise GraphError(f"a graph's dict needs a list under {key!r}, not {show(rows)}")
    return list(rows)


def _from_row(kind: type[Any], subject: Subject, position: int, row: object) -> Any:
    """A Planet or Edge from its dict; the field names of the dataclass are the keys."""
    needed = [name for name in kind.__slots__ if not (subject == "planet" and name in ("x", "y", "base"))]
    known = ", ".join(kind.__slots__)

    def refuse(fault: str) -> NoReturn:
        raise GraphError(f"{subject} number {position + 1} {fault}", subject, position)

    if not isinstance(row, Mapping):
        refuse(f"must be a dict with {known}, not {show(row)}")
    for key in row:
        if key not in kind.__slots__:
            refuse(f"has an unknown key {show(key)}; known: {known}")
    for key in needed:
        if key not in row:
            refuse(f"has no {key!r}; needed: {', '.join(needed)}")
    return kind(**row)
