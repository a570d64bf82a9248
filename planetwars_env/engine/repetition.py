"""Positions of games, turn by turn: repetitions among them (docs/evaluation.md), and a fingerprint of every game.

A position is the people on every planet, the shuttles on every edge with their turns to go, and the player to move; the
number of the turn is not a part of it. A repetition is a position that comes back three times.
"""

from typing import NamedTuple

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
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class Positions(NamedTuple):
    """Knowledge of the positions of N games so far (`note_positions`). The weights are odd and random."""

    planets: Array
    """[2 P] uint64: weights of the people on planets."""
    edges: Array
    """[E] uint64: weights of the people on edges."""
    turns: Array
    """[T + 1] uint64: weights of turns to go."""
    seen: Array
    """[N, 2, _WINDOW] uint64: fingerprints of the positions in which each player was to move."""
    counts: Array
    """[N, 3] int64: positions of either player, and the moment that was noted last."""
    found: Array
    """[N, 2] bool: whether a player was to move in one position three times."""
    fingerprints: Array
    """[N] uint64: of all positions in their order. Equal ones are equal games, whatever else is in the arrays."""


UNWATCHED = Positions(
    np.zeros(0, np.uint64),
    np.zeros(0, np.uint64),
    np.zeros(0, np.uint64),
    np.zeros((0, 2, 0), np.uint64),
    np.zeros((0, 3), np.int64),
    np.zeros((0, 2), np.bool_),
    np.zeros(0, np.uint64),
)
"""Those of games that nobody watches."""


def watch(state: State) -> Positions:
    """Room for the positions of all games of ``state``; none has been noted."""
    count = len(state.people)
    slots, edges = state.flights.shape[1:]
    lengths = 2 * state.people.shape[2], edges, slots + 1
    of_planets, of_edges, of_turns = (seeded(i << 32, length) | np.uint64(1) for i, length in enumerate(lengths))
    seen, counts = np.zeros((count, 2, _WINDOW), np.uint64), np.zeros((count, 3), np.int64)
    found, fingerprints = np.zeros((count, 2), np.bool_), np.zeros(count, np.uint64)
    return Positions(of_planets, of_edges, of_turns, seen, counts, found, fingerprints)


@kernel
def note_positions(state: State, board: Board, games: Array, positions: Positions) -> None:
    """Take in where ``games`` [n] stand, also those that are over; a turn that was noted already counts once."""
    for i in range(games.shape[0]):
        note_position(state, board, games[i], positions)


@part
def note_position(state: State, board: Board, g: int, positions: Positions) -> None:
    """Take in where game g stands."""
    over = state.status[g, columns.PHASE] != columns.RUNNING
    counts, moment = positions.counts[g], 2 * state.status[g, columns.TURN] + over
    if counts[2] == moment:
        return
    counts[2] = moment
    fingerprint = _fingerprint(state, board, g, positions)
    positions.fingerprints[g] = positions.fingerprints[g] * _FACTOR + fingerprint
    if over:
        return
    player = player_to_move(state, g)
    seen, before = positions.seen[g, player], 0
    for i in range(min(counts[player], seen.shape[0])):
        before += seen[i] == fingerprint
    seen[counts[player] % seen.shape[0]] = fingerprint
    counts[player] += 1
    if before >= TIMES - 1:
        positions.found[g, player] = True


@part
def _fingerprint(state, board, g, positions):
    """The sum of all people, each number times a weight of its own, modulo 2^64."""
    b, slots, turn = state.status[g, columns.BOARD], state.flights.shape[1], state.status[g, columns.TURN]
    total = np.uint64(0)
    for p in range(board.info[b, columns.PLANETS]):
        for player in range(2):
            total += np.uint64(state.people[g, player, p]) * positions.planets[2 * p + player]
    for to_go in range(1, slots + 1):
        flying = np.uint64(0)
        for e in range(board.info[b, columns.EDGES]):
            flying += np.uint64(state.flights[g, (turn + to_go) % slots, e]) * positions.edges[e]
        total += flying * positions.turns[to_go]
    return total
