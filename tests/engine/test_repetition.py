"""Repetitions: a position that comes for the third time is found, and one that differs anywhere is another one."""

from typing import Any

import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.bots.bot_games import place_games
from planetwars_env.engine import columns
from planetwars_env.engine.repetition import Positions, note_positions, watch
from planetwars_env.graphs.board import pack

pytestmark = pytest.mark.kernels
HERE = np.zeros(1, np.int64)


Watched = tuple[Any, Any, Positions]
"""Board, state and positions of a game in which only tests move."""


def watched() -> Watched:
    board, state = pw.Game(pw.load_graph("rings")).arrays
    state.people[0, :, :2] = [[9, 0], [0, 7]]
    return board, state, watch(state)


def note(watched: Watched, turn: int) -> tuple[bool, bool]:
    board, state, positions = watched
    state.status[0, columns.TURN] = turn
    note_positions(state, board, HERE, positions)
    return tuple(positions.found[0].tolist())


def test_the_third_time_counts_for_the_player_to_move_alone() -> None:
    game = watched()
    assert [note(game, turn) for turn in (1, 3, 5)] == [(False, False), (False, False), (True, False)]
    assert [note(game, turn) for turn in (6, 8, 10)] == [(True, False), (True, False), (True, True)]


def test_a_turn_that_was_noted_counts_once_and_a_game_that_is_over_never() -> None:
    game = watched()
    assert not any(any(note(game, 1)) for _ in range(4))
    game[1].status[0, columns.PHASE] = columns.ENDED
    assert not any(any(note(game, turn)) for turn in (3, 5, 7, 9))


def test_any_other_person_or_shuttle_makes_another_position() -> None:
    """Every number of the position changed alone, by one and by two; noted on the same turn, no two are alike."""
    game = board, state, positions = watched()
    seen, counts = positions.seen, positions.counts
    planets, edges = board.info[0, [columns.PLANETS, columns.EDGES]]
    places = [(state.people, (0, player, p)) for player in range(2) for p in range(planets)]
    places += [(state.flights, (0, slot, e)) for slot in range(state.flights.shape[1]) for e in range(edges)]
    for array, place in places:
        for _ in range(2):
            array[place] += 1
            counts[0, 2] = 0  # as if it were not noted yet
            assert not any(note(game, 7))
        array[place] -= 2
    assert counts[0, 0] == len(np.unique(seen[0, 0, : counts[0, 0]])) == 2 * len(places)


def test_a_shuttle_with_as_many_turns_to_go_is_the_same_on_every_turn() -> None:
    game, other = watched(), watched()
    slots = game[1].flights.shape[1]
    for time, turn in enumerate((1, 3, 5)):
        game[1].flights[:] = 0
        game[1].flights[0, (turn + 1) % slots, 4] = 6
        assert note(game, turn) == (time == 2, False)
    for turn in (1, 3, 5):  # it hangs in the air: each time with other turns to go
        other[1].flights[0, 1, 4] = 6
        assert note(other, turn) == (False, False)


def test_the_fingerprint_of_a_game_is_that_of_its_positions_with_the_last_one_and_not_of_the_arrays() -> None:
    """Also in arrays with room for more planets, edges and turns."""
    fingerprints = []
    for moves, graphs in (
        ([pw.Move(8, 7, 1)], ["rings"]),
        ([pw.Move(8, 7, 1)], ["rings", "large/3"]),
        ([pw.Move(8, 6, 1)], ["rings"]),
    ):
        board = pack([pw.load_graph(name) for name in graphs], pw.PLANETWARS)
        state = place_games(board, pw.PLANETWARS, [0], [0], 2)
        game = pw.Game.over_arrays(pw.load_graph("rings"), pw.PLANETWARS, board, state)
        positions = watch(state)
        for turn in ([], [], moves):  # the first only brings it into turn 1
            game.play(turn)
            note_positions(state, board, HERE, positions)
        assert game.over
        fingerprints.append(int(positions.fingerprints[0]))
    assert fingerprints[0] == fingerprints[1] != fingerprints[2]
