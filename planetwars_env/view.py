"""View of a player (R9), the map that it knows, and its moves (R8), as plain values."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from planetwars_env.engine.rules import owner_of
from planetwars_env.graphs.graph import Edge, Graph, Planet, neighbours_by_id


class Move(NamedTuple):
    """Send ``people`` from planet ``source`` to planet ``destination`` (ids); R8 says when that is legal."""

    source: int
    destination: int
    people: int


class Shuttle(NamedTuple):
    """People of ``player`` (1, 2) on their way, ``turns`` to go; those with all else equal are listed as one."""

    source: int
    destination: int
    player: int
    people: int
    turns: int


@dataclass(frozen=True, slots=True)
class PlanetView:
    """One planet as a player sees it. Its id and position are always known, the rest is None where the fog hides it.

    ``owner``: 0 (nobody), 1, 2; ``people``: of player 1 and of player 2; ``base``: whose base it is, 0 for none.
    """

    id: int
    x: float
    y: float
    visible: bool
    owner: int | None = None
    people: tuple[int, int] | None = None
    size: int | None = None
    habitability: int | None = None
    base: int | None = None

    @property
    def population(self) -> int | None:
        """Everybody who lives here; None where the fog hides it."""
        return None if self.people is None else sum(self.people)


@dataclass(frozen=True)
class View:
    """View of ``player`` (1, 2) on turn ``turn`` (R9): the graph, details of its own planets and of their neighbours.

    ``shuttles``: everything that flies to a visible planet. What was seen earlier is not remembered here.
    """

    turn: int
    player: int
    planets: tuple[PlanetView, ...]
    edges: tuple[Edge, ...]
    shuttles: tuple[Shuttle, ...]

    def __repr__(self) -> str:
        visible, own = sum(planet.visible for planet in self.planets), len(self.owned_by(self.player))
        return (
            f"View(player {self.player} on turn {self.turn}: {own} own of {visible} visible of {len(self.planets)} planets, "
            f"{len(self.shuttles)} shuttles in sight)"
        )

    @cached_property
    def _by_id(self) -> dict[int, PlanetView]:
        return {planet.id: planet for planet in self.planets}

    def planet(self, id: int) -> PlanetView:
        """The planet with this id; KeyError when there is none."""
        return self._by_id[id]

    @property
    def opponent(self) -> int:
        """The other player."""
        return 3 - self.player

    def owned_by(self, player: int) -> list[PlanetView]:
        """The visible planets of ``player``; 0: the visible neutral ones."""
        return [planet for planet in self.planets if planet.owner == player]

    def my_people(self, planet: PlanetView) -> int:
        """The viewer's own people on ``planet``, 0 where the fog hides it."""
        return 0 if planet.people is None else planet.people[self.player - 1]

    def to_dict(self) -> dict[str, Any]:
        """A form for JSON; hidden details are null."""
        planets = []
        for planet in self.planets:
            values = {field: getattr(planet, field) for field in PlanetView.__dataclass_fields__}
            if planet.people is not None:
                values["people"] = list(planet.people)
            planets.append(values)
        return {
            "turn": self.turn,
            "player": self.player,
            "planets": planets,
            "edges": [{"a": edge.a, "b": edge.b, "weight": edge.weight} for edge in self.edges],
            "shuttles": [list(shuttle) for shuttle in self.shuttles],
        }


@dataclass(frozen=True)
class KnownMap:
    """Map that a strategy gets before its first turn; it reads like a `Graph` whose planets the fog hides."""

    planets: tuple[PlanetView, ...]
    edges: tuple[Edge, ...]

    @classmethod
    def of(cls, graph: Graph) -> "KnownMap":
        """The map that R9 lets a player know of ``graph``: ids, positions, edges and weights, not what lives or grows where."""
        return cls(hidden(graph.planets), graph.edges)

    @cached_property
    def index(self) -> Mapping[int, int]:
        """From a planet's id to its place in ``planets``."""
        return {planet.id: place for place, planet in enumerate(self.planets)}

    @cached_property
    def _neighbours(self) -> dict[int, tuple[int, ...]]:
        return neighbours_by_id((planet.id for planet in self.planets), self.edges)

    def neighbours(self, id: int) -> tuple[int, ...]:
        """The ids of the planets that an edge joins to this one, sorted; KeyError for an unknown id."""
        return self._neighbours[id]

    def degree(self, id: int) -> int:
        """The number of edges of the planet; KeyError for an unknown id."""
        return len(self._neighbours[id])


def hidden(planets: Iterable[Planet | PlanetView]) -> tuple[PlanetView, ...]:
    """The planets as the fog shows them."""
    return tuple(PlanetView(planet.id, planet.x, planet.y, visible=False) for planet in planets)


def make_view(graph: Graph, turn: int, player: int, visible: Any, people: Any, shuttles: tuple[Shuttle, ...]) -> View:
    """The view over a true state: ``visible`` [P] says what may be told, ``people`` [2][P]; all else is left out."""
    planets = []
    for p, planet in enumerate(graph.planets):
        if not visible[p]:
            planets.append(PlanetView(planet.id, planet.x, planet.y, visible=False))
            continue
        first, second = int(people[0][p]), int(people[1][p])
        details = (owner_of(first, second), (first, second), planet.size, planet.habitability, planet.base)
        planets.append(PlanetView(planet.id, planet.x, planet.y, True, *details))
    seen = tuple(shuttle for shuttle in shuttles if visible[graph.index[shuttle.destination]])
    return View(turn, player, tuple(planets), graph.edges, seen)
