"""Forecasts from a view: what the planets in sight will hold if nobody sends anything more. It uses the view alone (R9)."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from planetwars_env.engine.rules import MAX_TURNS, Rules, owner_of
from planetwars_env.game import Game
from planetwars_env.graphs.graph import Edge, Graph, GraphError, Planet
from planetwars_env.view import Move, Shuttle, View

_MOST = 1_000_000
"""Largest number of people that a forecast sends."""
_FARTHEST = 200
"""Turns that are looked ahead, at most."""


class Outcome(NamedTuple):
    """Forecast of a move: people of both players at the destination as it lands, without it and with it.

    ``least``: the fewest people who make the planet the sender's, 0 if it is without them, -1 if no number does.
    """

    turns: int
    without: tuple[int, int]
    after: tuple[int, int]
    least: int


def make_forecast(view: View, rules: Rules, shuttles: Sequence[Shuttle] = ()) -> "Forecast | None":
    """Return the forecast from a view, None on a graph as large as graphs may be: there is no room for two more planets."""
    try:
        return Forecast(view, rules, shuttles)
    except GraphError:
        return None


class Forecast:
    """Game as far as a view shows it, with a planet far away for each player, so that nobody is out before time."""

    def __init__(self, view: View, rules: Rules, shuttles: Sequence[Shuttle] = ()) -> None:
        self._view, self._rules = view, rules
        self._shuttles = (*view.shuttles, *shuttles)
        away = max(planet.id for planet in view.planets) + 1
        known = [Planet(p.id, p.habitability or 0, p.size or 1, p.x, p.y) for p in view.planets]
        far = [Planet(away, 0, _MOST, base=1), Planet(away + 1, 0, _MOST, base=2)]
        self._graph = Graph("", [*known, *far], [*view.edges, Edge(away, away + 1, 1)])
        self._far = [[away, 1, 1, 0], [away + 1, 2, 0, 1]]

    def falls(self) -> dict[int, int]:
        """Return the viewer's planets that the shuttles in sight will take from it, by id, with the turns until then."""
        me = self._view.player
        own = {planet.id for planet in self._view.owned_by(me)}
        last = max((s.turns for s in self._shuttles if s.player != me and s.destination in own), default=0)
        game, found = self._game({}), {}
        for turn in range(1, min(last, _FARTHEST) + 1):
            game.advance()
            for planet, people in zip(self._graph.planets, game.people(), strict=True):
                if planet.id in own and planet.id not in found and owner_of(*people) != me:
                    found[planet.id] = turn
        return found

    def outcome(self, move: Move) -> Outcome | None:
        """Return the forecast of a move of the viewer, None where the fog hides the destination."""
        if not self._view.planet(move.destination).visible:
            return None
        turns = next(
            edge.weight * self._rules.turns_per_weight
            for edge in self._view.edges
            if {edge.a, edge.b} == {move.source, move.destination}
        )
        start, me = self._game({move.source: _MOST}), self._view.player

        def landed(people: int) -> tuple[int, int]:
            game = start.copy()
            game.submit([move._replace(people=people)] if people else [])
            for _ in range(turns):
                game.advance()
            return game.people()[self._graph.index[move.destination]]

        def takes(people: int) -> bool:
            return owner_of(*landed(people)) == me

        low, high = 0, _MOST
        if not takes(high):
            low = high = -1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if takes(middle) else (middle + 1, high)
        return Outcome(turns, landed(0), landed(min(move.people, _MOST)), low)

    def next_people(self, landing: bool = True) -> list[tuple[int, int]]:
        """Return the people on every planet after one turn; ``landing``: whether shuttles land."""
        game = self._game({}, None if landing else ())
        game.advance()
        return game.people()

    def _game(self, more: Mapping[int, int], shuttles: Sequence[Shuttle] | None = None) -> Game:
        """Return the supposed game; ``more``: people of the viewer on planets, in place of those who are there."""
        me = self._view.player
        planets = []
        for planet in self._view.planets:
            first, second = planet.people or (0, 0)
            if planet.id in more:
                first, second = (more[planet.id], second) if me == 1 else (first, more[planet.id])
            planets.append([planet.id, 0, first, second])
        flying = [list(shuttle) for shuttle in (self._shuttles if shuttles is None else shuttles)]
        state = {
            "turn": self._view.turn,
            "winner": 0,
            "over": False,
            "planets": planets + self._far,
            "shuttles": flying,
        }
        return Game.from_dict(self._graph, state, self._rules, MAX_TURNS)
