"""Games in progress moved to arrays for other boards, among which theirs keep their places."""

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
    # Room for boards that were not made yet may be larger than the new one; nobody is there.
    planets, edges = (min(state[i].shape[2], found[i].shape[2]) for i in (0, 2))
    rows = np.arange(games)
    found.people[:, :, :planets] = state.people[:, :, :planets]
    for to_go in range(slots):
        turn = state.status[:, TURN] + to_go
        before, now = turn % slots, turn % found.flights.shape[1]
        found.arrivals[rows, now, :, :planets] = state.arrivals[rows, before, :, :planets]
        found.flights[rows, now, :edges] = state.flights[rows, before, :edges]
    for part in ("totals", "status", "random"):
        getattr(found, part)[:] = getattr(state, part)
    return found
