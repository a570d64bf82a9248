"""Positions of games as `Game.to_dict` gives them, read back into the engine's arrays and checked."""

import operator
from collections.abc import Mapping
from typing import Any

from planetwars_env.engine import columns
from planetwars_env.engine.entry_points import count, put_in_flight
from planetwars_env.engine.rules import MAX_TURNS, Rules, player_on
from planetwars_env.engine.state import Board, State
from planetwars_env.graphs.board import most_people
from planetwars_env.graphs.graph import Graph
from planetwars_env.view import Shuttle


class PositionReader:
    """Writes positions into ``state``, one game wide; ``edges``: the number of the directed edge between two ids.

    ValueError says which number of a position cannot be.
    """

    def __init__(
        self, graph: Graph, rules: Rules, board: Board, state: State, edges: Mapping[tuple[int, int], int]
    ) -> None:
        self._graph, self._rules, self._edges = graph, rules, edges
        self._board, self._state = board, state
        self._most = most_people(board)

    def read(self, position: Mapping[str, Any]) -> None:
        """Make the game the one of ``position``."""
        people, arrivals, flights, totals, status, _ = self._state
        for array in (people, arrivals, flights, totals):
            array[:] = 0
        limit = int(status[0, columns.LIMIT])
        last = MAX_TURNS if limit == columns.NO_LIMIT else limit
        status[0, columns.TURN] = _number(position["turn"], "turn", 1, last)
        status[0, columns.WINNER] = _number(position["winner"], "winner", 0, 2)
        for planet in position["planets"]:
            self._populate(*planet)
        for shuttle in position["shuttles"]:
            self._put_in_flight(Shuttle(*shuttle))
        _number(int(people.sum()) + int(flights.sum()), "the number of all people", 0, self._most)
        count(self._state, 0, len(self._graph.planets))
        status[0, columns.PHASE] = self._phase(bool(position["over"]))

    def _phase(self, over: bool) -> int:
        if not over:
            return columns.RUNNING
        status, totals = self._state.status[0], self._state.totals[0]
        owned = status[columns.OWNED_1 : columns.OWNED_2 + 1]
        flying = totals[columns.FLYING_1 : columns.FLYING_2 + 1]
        undecided = ((owned > 0) | (flying > 0)).all() and not status[columns.WINNER] and not self._rules.coexistence
        return columns.CUT_OFF if undecided else columns.ENDED

    def _populate(self, planet: int, owner: int, first: int, second: int) -> None:
        if planet not in self._graph.index:
            raise ValueError(f"planet {planet} is not on this graph")
        column = self._state.people[0, :, self._graph.index[planet]]
        column[:] = [_number(people, f"the people on planet {planet}", 0, self._most) for people in (first, second)]
        if column.all() and not self._rules.coexistence:
            raise ValueError(
                f"planet {planet} holds people of both players ({first}, {second}), which {self._rules.name} has not"
            )

    def _put_in_flight(self, shuttle: Shuttle) -> None:
        edge = self._edges.get((shuttle.source, shuttle.destination))
        if edge is None:
            raise ValueError(f"no edge for shuttle {tuple(shuttle)}")
        status, flights = self._state.status[0], self._state.flights
        turn, flight = int(status[columns.TURN]), int(self._board.edges[status[columns.BOARD], columns.TURNS, edge])
        to_go = _number(shuttle.turns, f"the turns to go of shuttle {tuple(shuttle)}", 1, flight)
        if shuttle.player != 1 + player_on(turn + to_go - flight):
            raise ValueError(f"shuttle {tuple(shuttle)} would have been launched on the other player's turn")
        people = _number(shuttle.people, f"the people of shuttle {tuple(shuttle)}", 1, self._most)
        slot = (turn + to_go) % flights.shape[1]
        _number(int(flights[0, slot, edge]) + people, "the people of shuttles that are one", 1, self._most)
        put_in_flight(self._state, self._board, 0, shuttle.player - 1, edge, slot, people)


def _number(value: Any, name: str, least: int, most: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} must be a whole number, not {value!r}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} must lie between {least} and {most}, not {number}")
    return number
