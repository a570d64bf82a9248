"""Repetitions: a position that comes for the third time is found, and one that differs anywhere is another one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.engine import columns
from planetwars_env.engine.repetition import Repetitions

pytestmark = pytest.mark.kernels
HERE = np.zeros(1, np.int64)


def watched(people: list[tuple[int, int]] = [(9, 0), (0, 7)]) -> tuple[Any, Any, Repetitions]:  # noqa: B006
    """Board, state and detector of a game in which only tests move; the first planets hold ``people``."""
    board, state = pw.Game(pw.load_graph("rings")).arrays
    state.people[0] = 0
    for p, both in enumerate(people):
        state.people[0, :, p] = both
    return board, state, Repetitions(state, board)


def note(state: Any, watch: Repetitions, turn: int) -> tuple[bool, bool]:
    state.status[0, columns.TURN] = turn
    watch.note(HERE)
    return tuple(watch.found[0].tolist())


def test_the_third_time_counts_for_the_player_to_move_alone() -> None:
    _, state, watch = watched()
    assert [note(state, watch, turn) for turn in (1, 3, 5)] == [(False, False), (False, False), (True, False)]
    assert [note(state, watch, turn) for turn in (6, 8, 10)] == [(True, False), (True, False), (True, True)]


def test_a_turn_that_was_noted_counts_once_and_a_game_that_is_over_never() -> None:
    _, state, watch = watched()
    assert not any(any(note(state, watch, 1)) for _ in range(4))
    state.status[0, columns.PHASE] = columns.ENDED
    assert not any(any(note(state, watch, turn)) for turn in (3, 5, 7, 9))


def test_any_other_person_or_shuttle_makes_another_position() -> None:
    """Every number of the position changed alone, by one and by two; noted on the same turn, no two are alike."""
    board, state, watch = watched()
    _, seen, counts, _ = watch.notes
    planets, edges = board.info[0, [columns.PLANETS, columns.EDGES]]
    places = [(state.people, (0, player, p)) for player in range(2) for p in range(planets)]
    places += [(state.flights, (0, slot, e)) for slot in range(state.flights.shape[1]) for e in range(edges)]
    for array, place in places:
        for _ in range(2):
            array[place] += 1
            counts[0, 2] = 0  # as if it were not noted yet
            assert not any(note(state, watch, 7))
        array[place] -= 2
    assert counts[0, 0] == len(np.unique(seen[0, 0, : counts[0, 0]])) == 2 * len(places)


def test_a_shuttle_with_as_many_turns_to_go_is_the_same_on_every_turn() -> None:
    _, state, watch = watched()
    slots = state.flights.shape[1]
    for time, turn in enumerate((1, 3, 5)):
        state.flights[:] = 0
        state.flights[0, (turn + 1) % slots, 4] = 6
        assert note(state, watch, turn) == (time == 2, False)
    other = watched()
    for turn in (1, 3, 5):  # it hangs in the air: each time with other turns to go
        other[1].flights[0, 1, 4] = 6
        assert note(other[1], other[2], turn) == (False, False)
