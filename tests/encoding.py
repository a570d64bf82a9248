"""The package's own codec and bots on any single position: the kernels of the batch, called one by one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import planetwars_env as pw
from planetwars_env.bots.codes import BOTS, SCRATCH_ROWS
from planetwars_env.bots.strategy import _play_bot
from planetwars_env.codec.layout import make_codec, mask_width, observation_width
from planetwars_env.codec.observation import write_mask, write_observation, write_static
from planetwars_env.engine.calls import look
from planetwars_env.engine.kernel import kernel
from planetwars_env.envs.spaces import arrange

_write_static, _write_observation, _write_mask = kernel(write_static), kernel(write_observation), kernel(write_mask)
FRACTIONS = (0.25, 0.5, 0.75, 1.0)
BOARD_LIMIT = 500


class Encoded(NamedTuple):
    """What an agent is shown: the tensors, the mask [A] bool among them as ``action_mask``."""

    tensors: dict[str, Any]
    flat: np.ndarray


def encode(game: pw.Game, player: int, limits: Any = pw.CLASSIC, max_orders: int = 0) -> Encoded:
    """The position as ``player`` (1, 2) sees it; the clock counts towards `BOARD_LIMIT` turns."""
    state, board, codec = game._state, game._board, make_codec(limits, FRACTIONS, max_orders)
    row = np.zeros((1, observation_width(limits)), np.float32)
    edge_index = np.zeros((1, 2 * limits.edges, 2), np.int32)
    mask = np.zeros((1, mask_width(limits, len(FRACTIONS), max_orders > 0)), np.int8)
    visible = np.zeros(board.planets.shape[2], np.int32)
    state = state._replace(clock=state.clock.copy())
    state.clock[0, 3] = BOARD_LIMIT
    look(state, board, 0, player - 1, visible)
    _write_static(board, codec, int(state.clock[0, 5]), 0, row, edge_index, mask)
    _write_observation(state, board, codec, 0, player - 1, 0, 0, visible, row)
    _write_mask(state, board, codec, 0, player - 1, 0, visible, mask)
    return Encoded(arrange(limits, row[0], edge_index[0], mask[0]), row[0])


def kernel_moves(game: pw.Game, bot: str, seed: int = 1) -> list[tuple[int, int, int]]:
    """What the compiled ``bot`` does for the player to move in this very position, as sorted moves."""
    twin = game.copy()
    twin._state.random[:] = seed
    width = max(twin._board.planets.shape[2], twin._board.edges.shape[2])
    scratch = np.zeros((SCRATCH_ROWS, width), np.int32)
    before = twin.shuttles()
    _play_bot(twin._state, twin._board, 0, twin.player - 1, BOTS[bot], scratch)
    return launched(before, twin.shuttles())


def launched(before: Any, after: Any) -> list[tuple[int, int, int]]:
    """The moves that lie between two lists of shuttles of one turn."""
    flying = {(s.source, s.destination, s.player, s.turns): s.people for s in before}
    moves = [(s.source, s.destination, s.people - flying.get((s.source, s.destination, s.player, s.turns), 0)) for s in after]
    return sorted(move for move in moves if move[2])
