"""Repetitions: positions that come back three times with the same player to move (docs/evaluation.md).

A position is the people on every planet, the shuttles on every edge with their turns to go, and the player to move; the
number of the turn is not a part of it.
"""

import numpy as np

from planetwars_env.engine import columns
from planetwars_env.engine.kernel import kernel, part
from planetwars_env.engine.random import seeded
from planetwars_env.engine.state import Array, Board, State
from planetwars_env.engine.turn import player_to_move

TIMES = 3
"""Occurrences of a position that make a repetition."""
_WINDOW = 1024
"""Positions of each player that a kernel remembers; boards and rules that are shipped have no longer games."""


UNWATCHED = (
    np.zeros(0, np.uint64),
    np.zeros((0, 2, 0), np.uint64),
    np.zeros((0, 3), np.int64),
    np.zeros((0, 2), np.bool_),
)
"""The `Repetitions.notes` of games that nobody watches."""


class Repetitions:
    """Detector of repetitions in N games, told of positions turn by turn; ``found`` [N, 2] bool: by the player to move."""

    def __init__(self, state: State, board: Board) -> None:
        games, _, people = state.people.shape
        self.found = np.zeros((games, 2), np.bool_)
        weights = seeded(0, 2 * people + state.flights.shape[1] * state.flights.shape[2])
        seen, counts = np.zeros((games, 2, _WINDOW), np.uint64), np.zeros((games, 3), np.int64)
        self.notes = weights, seen, counts, self.found
        self._arrays = state, board

    def note(self, games: Array) -> None:
        """Take in the positions of the games with these numbers; a turn that was noted already counts once."""
        _note(*self._arrays, games, *self.notes)


@kernel
def _note(state: State, board: Board, games, weights, seen, counts, found):
    for i in range(games.shape[0]):
        note_position(state, board, games[i], weights, seen, counts, found)


@part
def note_position(state: State, board: Board, g: int, weights: Array, seen: Array, counts: Array, found: Array) -> None:
    """Remember where game g stands. ``counts`` [N, 3]: positions of either player, and the turn that was noted last."""
    if state.status[g, columns.PHASE] != columns.RUNNING or counts[g, 2] == state.status[g, columns.TURN]:
        return
    counts[g, 2] = state.status[g, columns.TURN]
    player, fingerprint = player_to_move(state, g), _fingerprint(state, board, g, weights)
    count, before = counts[g, player], 0
    for i in range(min(count, seen.shape[2])):
        before += seen[g, player, i] == fingerprint
    seen[g, player, count % seen.shape[2]] = fingerprint
    counts[g, player] = count + 1
    if before >= TIMES - 1:
        found[g, player] = True


@part
def _fingerprint(state, board, g, weights):
    """The sum of all people, each number times a weight of its own: the weights are odd and random, the sum is modulo 2^64."""
    b, slots, turn = state.status[g, columns.BOARD], state.flights.shape[1], state.status[g, columns.TURN]
    people, edges = state.people.shape[2], state.flights.shape[2]
    total = np.uint64(0)
    for player in range(2):
        for p in range(board.info[b, columns.PLANETS]):
            total += np.uint64(state.people[g, player, p]) * (weights[player * people + p] | np.uint64(1))
    for to_go in range(slots):
        slot, at = (turn + to_go) % slots, 2 * people + to_go * edges
        for e in range(board.info[b, columns.EDGES]):
            total += np.uint64(state.flights[g, slot, e]) * (weights[at + e] | np.uint64(1))
    return total
