"""Games in progress moved to arrays of other boards, among which theirs keep their places."""

import numpy as np

from planetwars_env.engine.columns import TURN
from planetwars_env.engine.state import Board, State, allocate
from planetwars_env.graphs.board import longest_flight, people_type


def moved(state: State, board: Board) -> State:
    """Return the games of ``state`` in arrays that are large enough for ``board``; the same arrays where they are."""
    games, slots = state.flights.shape[:2]
    found = allocate(games, board, max(slots, longest_flight(board)), people_type(board))
    if all(one.shape == other.shape and one.dtype == other.dtype for one, other in zip(state, found, strict=True)):
        return state
    found.random[:] = state.random
    move(state, found)
    return found


def move(source: State, target: State) -> None:
    """Copy the games of ``source``, all but their random number generators, into arrays of another shape.

    Planets, edges and landing slots that ``target`` has no room for are those of other boards, and empty.
    """
    planets, edges = (min(source[i].shape[2], target[i].shape[2]) for i in (0, 2))
    before, now = source.flights.shape[1], target.flights.shape[1]
    rows, turns = np.arange(source.flights.shape[0]), source.status[:, TURN]
    for array in (target.people, target.arrivals, target.flights):
        array[:] = 0
    target.people[:, :, :planets] = source.people[:, :, :planets]
    for to_go in range(1, min(before, now) + 1):
        old, new = (turns + to_go) % before, (turns + to_go) % now
        target.arrivals[rows, new, :, :planets] = source.arrivals[rows, old, :, :planets]
        target.flights[rows, new, :edges] = source.flights[rows, old, :edges]
    target.totals[:] = source.totals
    target.status[:] = source.status
