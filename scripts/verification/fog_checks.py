"""Metamorphic check of the fog during the soak: hidden values are changed, and nothing that a player sees may change."""

from typing import Any

import numpy as np

from planetwars_env.bots.bot_codes import BOTS
from planetwars_env.bots.entry_points import make_scratch, play_bot
from planetwars_env.codec.entry_points import write_observations
from planetwars_env.codec.layout import Codec
from planetwars_env.engine import columns
from planetwars_env.engine.entry_points import look
from planetwars_env.engine.state import Array, Board, State
from planetwars_env.graphs.board import frozen
from planetwars_env.sim.batch import Batch


def fog_leaks(batch: Batch, games: Array, rng: np.random.Generator) -> int | None:
    """The first of ``games`` in which a change of what is hidden shows in tensors, mask or a bot's moves; None: in none."""
    for g in games:
        for player in range(2):
            world = _alone(batch, int(g))
            other = _rewritten(*world, player, rng)
            seen = [_shown(*one, player, batch) for one in (world, other)]
            if not all(np.array_equal(a, b) for a, b in zip(*seen, strict=True)):
                return int(g)
            if (
                world[0].status[0, columns.PHASE] == columns.RUNNING
                and player == 1 - world[0].status[0, columns.TURN] % 2
            ):
                for bot in BOTS.values():
                    if not np.array_equal(_launched(*world, player, bot), _launched(*other, player, bot)):
                        return int(g)
    return None


def _alone(batch: Batch, g: int) -> tuple[State, Board]:
    """Game g with a board of its own."""
    state = State(*(array[g : g + 1].copy() for array in batch.state))
    board = Board(*(array[state.status[0, columns.BOARD]][None].copy() for array in batch.board))
    state.status[0, columns.BOARD] = 0
    return state, frozen(board)


def _rewritten(state: State, board: Board, player: int, rng: np.random.Generator) -> tuple[State, Board]:
    """Other people, sizes and habitabilities on every hidden planet, other people on their way there, other totals."""
    state, board = State(*(array.copy() for array in state)), Board(*(array.copy() for array in board))
    hidden = np.flatnonzero(_visible(state, board, player)[: board.info[0, columns.PLANETS]] == 0)
    largest = int(board.planets[0, columns.SIZE].max()) + 2
    board.planets[0, columns.SIZE, hidden] = rng.integers(1, largest, len(hidden))
    board.planets[0, columns.HABITABILITY, hidden] = rng.integers(0, 1001, len(hidden))
    board.growth[0, hidden] = 1 + board.planets[0, columns.HABITABILITY, hidden] / 100
    opponents = rng.integers(0, largest, len(hidden))
    state.people[0, 1 - player, hidden] = opponents
    state.people[0, player, hidden] = rng.integers(0, 1 + opponents) if state.status[0, columns.COEXISTENCE] else 0
    ways = np.flatnonzero(np.isin(board.edges[0, columns.TARGET, : board.info[0, columns.EDGES]], hidden))
    slots = state.flights.shape[1]
    state.flights[0][:, ways] = rng.integers(0, largest, (slots, len(ways)))
    state.arrivals[0][:, :, hidden] = rng.integers(0, largest, (slots, 2, len(hidden)))
    state.totals[0] = rng.integers(0, largest, 4)
    return state, frozen(board)


def _visible(state: State, board: Board, player: int) -> Array:
    visible = np.zeros(board.planets.shape[2], np.int8)
    look(state, board, 0, player, visible)
    return visible


def _shown(state: State, board: Board, player: int, batch: Batch) -> list[Any]:
    """Observation, edges and mask."""
    rows = [np.zeros_like(array[0, :1]) for array in batch.buffers[2:]]
    codec: Codec = batch.codec
    games, players = np.zeros(1, np.int64), np.array([player], np.int32)
    write_observations(state, board, codec, games, players, 0, make_scratch(board, state.people.dtype), *rows)
    return rows


def _launched(state: State, board: Board, player: int, bot: int) -> Array:
    """People that the bot sends, by edge."""
    after = State(*(array.copy() for array in state))
    play_bot(after, board, 0, player, bot, make_scratch(board, state.people.dtype))
    return (after.flights - state.flights)[0].sum(axis=0)
