"""Views, and positions of games as `Game.to_dict` gives them, written into the engine's arrays."""

import operator
from collections.abc import Mapping
from typing import Any

from planetwars_env.engine import columns
from planetwars_env.engine.entry_points import count, put_in_flight
from planetwars_env.engine.rules import MAX_TURNS, Rules, player_on
from planetwars_env.engine.state import Board, State
from planetwars_env.graphs.board import most_people
from planetwars_env.graphs.graph import Graph
from planetwars_env.view import Shuttle, View

EdgeNumbers = Mapping[tuple[int, int], int]
"""The number of the directed edge between two ids."""


def write_view(view: View, board: Board, state: State, edges: EdgeNumbers) -> None:
    """Make ``state``, one game wide, the position of ``view``; what the fog hides is empty."""
    for array in state[:4]:
        array[:] = 0
    state.status[0, columns.TURN] = view.turn
    for p, planet in enumerate(view.planets):
        if planet.people is not None:
            state.people[0, :, p] = planet.people
    for shuttle in view.shuttles:
        _put_in_flight(shuttle, board, state, edges)


def read_position(
    position: Mapping[str, Any], graph: Graph, rules: Rules, board: Board, state: State, edges: EdgeNumbers
) -> None:
    """Make ``state``, one game wide, a ``position`` of `Game.to_dict`. ValueError says which number of it cannot be."""
    people, arrivals, flights, totals, status = (array[0] for array in state[:5])
    for array in (people, arrivals, flights, totals):
        array[:] = 0
    most, limit = most_people(board), int(status[columns.LIMIT])
    last = MAX_TURNS if limit == columns.NO_LIMIT else limit
    turn = status[columns.TURN] = _number(position["turn"], "turn", 1, last)
    status[columns.WINNER] = _number(position["winner"], "winner", 0, 2)
    for planet, _owner, first, second in position["planets"]:
        if planet not in graph.index:
            raise ValueError(f"planet {planet} is not on this graph")
        column = people[:, graph.index[planet]]
        column[:] = [_number(one, f"the people on planet {planet}", 0, most) for one in (first, second)]
        if column.all() and not rules.coexistence:
            raise ValueError(
                f"planet {planet} holds people of both players ({first}, {second}), which {rules.name} has not"
            )
    for shuttle in (Shuttle(*values) for values in position["shuttles"]):
        edge, name = edges.get((shuttle.source, shuttle.destination)), f"shuttle {tuple(shuttle)}"
        if edge is None:
            raise ValueError(f"no edge for {name}")
        flight = int(board.edges[status[columns.BOARD], columns.TURNS, edge])
        to_go = _number(shuttle.turns, f"the turns to go of {name}", 1, flight)
        if shuttle.player != 1 + player_on(turn + to_go - flight):
            raise ValueError(f"{name} would have been launched on the other player's turn")
        there = int(flights[(turn + to_go) % len(flights), edge])
        _number(
            there + _number(shuttle.people, f"the people of {name}", 1, most),
            "the people of shuttles that are one",
            1,
            most,
        )
        _put_in_flight(shuttle, board, state, edges)
    _number(int(people.sum()) + int(flights.sum()), "the number of all people", 0, most)
    count(state, 0, len(graph.planets))
    status[columns.PHASE] = columns.RUNNING
    if position["over"]:
        alive = (status[columns.OWNED_1 :] > 0) | (totals[columns.FLYING_1 :] > 0)
        undecided = alive.all() and not status[columns.WINNER] and not rules.coexistence
        status[columns.PHASE] = columns.CUT_OFF if undecided else columns.ENDED


def _put_in_flight(shuttle: Shuttle, board: Board, state: State, edges: EdgeNumbers) -> None:
    slot = (int(state.status[0, columns.TURN]) + shuttle.turns) % state.flights.shape[1]
    edge = edges[shuttle.source, shuttle.destination]
    put_in_flight(state, board, 0, shuttle.player - 1, edge, slot, shuttle.people)


def _number(value: Any, name: str, least: int, most: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} must be a whole number, not {value!r}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} must lie between {least} and {most}, not {number}")
    return number
