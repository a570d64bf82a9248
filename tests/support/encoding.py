"""The package's own codec and bots on any single position of a `pw.Game`."""

from typing import Any

import planetwars_env as pw
from planetwars_env.bots.bot_codes import COMPILED_BOTS
from planetwars_env.bots.entry_points import make_scratch, play_bot
from planetwars_env.engine.columns import LIMIT
from planetwars_env.engine.random import seeded


def encode(game: pw.Game, player: int, max_orders: int = 0, limits: Any = pw.CLASSIC) -> dict[str, Any]:
    """The position as ``player`` (1, 2) sees it, with 500 turns at most; ``max_orders`` 0: with the mask of whole turns."""
    twin = game.copy()
    twin._state.status[0, LIMIT] = 500
    actions = "order" if max_orders else "turn"
    return twin.observe(player, limits=limits, actions=actions, max_orders=max_orders or 1)[0]


def kernel_moves(game: pw.Game, bot: str, seed: int = 1) -> list[pw.Move]:
    """Sorted moves of the compiled ``bot`` for the player to move in this position."""
    twin = game.copy()
    twin._state.random[:] = seeded(seed, 1)
    before = {move[:2]: move.people for move in twin.launched()}
    scratch = make_scratch(twin._board, twin._state.people.dtype)
    play_bot(twin._state, twin._board, 0, twin.player - 1, COMPILED_BOTS[bot], scratch)
    moves = (move._replace(people=move.people - before.get(move[:2], 0)) for move in twin.launched())
    return sorted(move for move in moves if move.people)
