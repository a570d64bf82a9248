"""Shuttles: every way in which people take off, and what took off on the turn that is being played (R8).

Whatever writes people in flight outside of landing stands here, so that ``flights``, ``arrivals`` and ``totals`` agree.
"""

from planetwars_env.engine import columns
from planetwars_env.engine.kernel import part
from planetwars_env.engine.rules import player_on
from planetwars_env.engine.state import Board, State

mover = part(player_on)


@part
def landing_slot(state: State, board: Board, g: int, edge: int) -> int:
    """The landing slot of a shuttle that takes off now."""
    return (
        state.status[g, columns.TURN] + board.edges[state.status[g, columns.BOARD], columns.TURNS, edge]
    ) % state.flights.shape[1]


@part
def put_in_flight(state: State, board: Board, g: int, player: int, edge: int, slot: int, people: int) -> None:
    """Add ``people`` of ``player`` (0, 1) to the flight along a directed edge that lands in ``slot``."""
    target = board.edges[state.status[g, columns.BOARD], columns.TARGET, edge]
    state.flights[g, slot, edge] += people
    state.arrivals[g, slot, player, target] += people
    state.totals[g, columns.FLYING_1 + player] += people


@part
def launched(state: State, board: Board, g: int, edge: int) -> int:
    """People that took off along a directed edge this turn: a slot and an edge hold what one turn launched, no more."""
    return state.flights[g, landing_slot(state, board, g, edge), edge]


@part
def call_back(state: State, board: Board, g: int, player: int, edge: int) -> None:
    """Undo what ``player`` launched along a directed edge this turn."""
    people = launched(state, board, g, edge)
    if people > 0:
        put_in_flight(state, board, g, player, edge, landing_slot(state, board, g, edge), -people)
        state.people[g, player, board.edges[state.status[g, columns.BOARD], columns.SOURCE, edge]] += people


@part
def launched_by(turn: int, to_go: int, flight: int) -> int:
    """The player (0, 1) of a shuttle that lands ``to_go`` turns after ``turn`` over an edge of ``flight`` turns."""
    return mover(turn + to_go - flight)


@part
def list_launched(state: State, board: Board, g: int, people) -> None:
    """People that took off this turn along every directed edge, into ``people`` [E]."""
    for e in range(people.shape[0]):
        people[e] = launched(state, board, g, e)
