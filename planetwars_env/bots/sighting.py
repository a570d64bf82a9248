"""A view as arrays, read once for all supposed games that it corrects."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from planetwars_env.engine import columns
from planetwars_env.engine.entry_points import put_in_flight
from planetwars_env.engine.state import Array, Board, allocate
from planetwars_env.graphs.board import longest_flight
from planetwars_env.view import View


class Sighting(NamedTuple):
    """Numbers that a view shows, zero elsewhere; axes as in engine/state.py."""

    turn: int
    visible: Array
    """[P] bool"""
    size: Array
    """[P] int64"""
    habitability: Array
    """[P] int64"""
    base: Array
    """[P] int64: 1 or 2 where that player began, as far as it is visible."""
    people: Array
    """[2, P] int64"""
    arrivals: Array
    """[T, 2, P] int64"""
    flights: Array
    """[T, E] int64"""

    @property
    def total(self) -> int:
        """The number of all people in sight."""
        return int(self.people.sum() + self.flights.sum())


def sighting_of(view: View, board: Board, edges: Mapping[tuple[int, int], int]) -> Sighting:
    """Return ``view`` as arrays; ``edges``: the number of the directed edge between two ids."""
    state = allocate(1, board, longest_flight(board), np.int64)
    state.status[0, columns.TURN] = view.turn
    for shuttle in view.shuttles:
        slot = (view.turn + shuttle.turns) % state.flights.shape[1]
        edge = edges[shuttle.source, shuttle.destination]
        put_in_flight(state, board, 0, shuttle.player - 1, edge, slot, shuttle.people)
    seen = [(p.visible, p.size or 0, p.habitability or 0, p.base or 0, *(p.people or (0, 0))) for p in view.planets]
    visible, size, habitability, base, *people = np.array(seen, np.int64).T
    people = np.array(people)
    return Sighting(
        view.turn, visible > 0, size, habitability, base, people, state.arrivals[0].copy(), state.flights[0].copy()
    )
