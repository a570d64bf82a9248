"""What the fog hides is changed beneath it, and nothing that is seen may change: a metamorphic check during the soak."""

from typing import Any

import numpy as np

from planetwars_env.bots.calls import make_scratch, play_bot
from planetwars_env.bots.codes import BOTS
from planetwars_env.codec.layout import Codec
from planetwars_env.engine.calls import look
from planetwars_env.engine.state import (
    BOARD,
    COEXISTENCE,
    EDGES,
    HABITABILITY,
    PLANETS,
    RUNNING,
    SIZE,
    STATUS,
    TARGET,
    TURN,
    Array,
    Board,
    State,
)
from planetwars_env.graphs.board import frozen
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.sight import show


def fog_leaks(batch: Batch, games: Array, dice: np.random.Generator) -> int | None:
    """The first of ``games`` in which a change of what is hidden shows in tensors, mask or a bot's moves; None: in none."""
    for g in games:
        for player in range(2):
            world = _alone(batch, int(g))
            other = _rewritten(*world, player, dice)
            seen = [_shown(*one, player, batch) for one in (world, other)]
            if not all(np.array_equal(a, b) for a, b in zip(*seen, strict=True)):
                return int(g)
            if world[0].clock[0, STATUS] == RUNNING and player == 1 - world[0].clock[0, TURN] % 2:
                for bot in BOTS.values():
                    if not np.array_equal(_launched(*world, player, bot), _launched(*other, player, bot)):
                        return int(g)
    return None


def _alone(batch: Batch, g: int) -> tuple[State, Board]:
    """Game g with a board of its own."""
    state = State(*(array[g : g + 1].copy() for array in batch.state))
    board = Board(*(array[state.clock[0, BOARD]][None].copy() for array in batch.board))
    state.clock[0, BOARD] = 0
    return state, frozen(board)


def _rewritten(state: State, board: Board, player: int, dice: np.random.Generator) -> tuple[State, Board]:
    """Other people, sizes and habitabilities on every hidden planet, other people on their way there, other totals."""
    state, board = State(*(array.copy() for array in state)), Board(*(array.copy() for array in board))
    hidden = np.flatnonzero(_visible(state, board, player)[: board.info[0, PLANETS]] == 0)
    largest = int(board.planets[0, SIZE].max()) + 2
    board.planets[0, SIZE, hidden] = dice.integers(1, largest, len(hidden))
    board.planets[0, HABITABILITY, hidden] = dice.integers(0, 1001, len(hidden))
    board.growth[0, hidden] = 1 + board.planets[0, HABITABILITY, hidden] / 100
    rivals = dice.integers(0, largest, len(hidden))
    state.people[0, 1 - player, hidden] = rivals
    state.people[0, player, hidden] = dice.integers(0, 1 + rivals) if state.clock[0, COEXISTENCE] else 0
    ways = np.flatnonzero(np.isin(board.edges[0, TARGET, : board.info[0, EDGES]], hidden))
    slots = state.flights.shape[1]
    state.flights[0][:, ways] = dice.integers(0, largest, (slots, len(ways)))
    state.arrivals[0][:, :, hidden] = dice.integers(0, largest, (slots, 2, len(hidden)))
    state.totals[0] = dice.integers(0, largest, 4)
    return state, frozen(board)


def _visible(state: State, board: Board, player: int) -> Array:
    visible = np.zeros(board.planets.shape[2], np.int8)
    look(state, board, 0, player, visible)
    return visible


def _shown(state: State, board: Board, player: int, batch: Batch) -> list[Any]:
    """Observation, edges and mask."""
    rows = [np.zeros_like(array[0, :1]) for array in batch.desk[2:]]
    codec: Codec = batch.codec
    games, players = np.zeros(1, np.int64), np.array([player], np.int32)
    show(state, board, codec, games, players, 0, make_scratch(board, state.people.dtype), *rows)
    return rows


def _launched(state: State, board: Board, player: int, bot: int) -> Array:
    """People that the bot sends, by edge."""
    after = State(*(array.copy() for array in state))
    play_bot(after, board, 0, player, bot, make_scratch(board, state.people.dtype))
    return (after.flights - state.flights)[0].sum(axis=0)
