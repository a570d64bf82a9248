"""Fog of war (R9): what a player may know."""

import numpy as np

from planetwars_env.engine.columns import BOARD, EDGES, PLANETS, SOURCE, TARGET
from planetwars_env.engine.kernel import part
from planetwars_env.engine.population import outnumbers
from planetwars_env.engine.state import Array, Board, State


@part
def look(state: State, board: Board, g: int, player: int, visible: Array) -> None:
    """R9: ``visible`` [P] int8 becomes 1 for the planets that ``player`` owns and their neighbours, else 0
    (places beyond the board's planets are left alone)."""
    b = state.status[g, BOARD]
    planets = board.info[b, PLANETS]
    for p in range(planets):
        visible[p] = owns(state, g, player, p) << 1
    for e in range(board.info[b, EDGES]):
        visible[np.uint32(board.edges[b, TARGET, e])] |= visible[np.uint32(board.edges[b, SOURCE, e])] >> 1
    for p in range(planets):
        visible[p] = visible[p] != 0


@part
def owns(state: State, g: int, player: int, p: int) -> bool:
    """Whether planet ``p`` belongs to ``player`` (0, 1)."""
    return outnumbers(state.people[g, player, p], state.people[g, 1 - player, p])
