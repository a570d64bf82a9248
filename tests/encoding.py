"""The package's own codec and bots on any single position: a batch of one game that is put where a `pw.Game` stands."""

from __future__ import annotations

from typing import Any

import numpy as np

import planetwars_env as pw
from planetwars_env.bots.catalogue import resolve_opponents
from planetwars_env.bots.codes import BOTS, SCRATCH_ROWS
from planetwars_env.bots.strategy import _play_bot
from planetwars_env.codec.layout import arrange
from planetwars_env.engine.state import LIMIT
from planetwars_env.sim.batch import Batch, Setup
from planetwars_env.sim.desk import AGENT, CURRENT, DISABLED, ORDERS

FRACTIONS = (0.25, 0.5, 0.75, 1.0)


def encode(game: pw.Game, player: int, limits: Any = pw.CLASSIC) -> dict[str, Any]:
    """The position as ``player`` (1, 2) sees it, with the mask of actions="order".

    An order that is no choice at all does nothing and costs no time; whoever gave it is shown the position again.
    """
    setup = Setup(game.rules, [game.graph], resolve_opponents("noop"), player, limits, FRACTIONS, 8, 500, DISABLED)
    batch = Batch(1, setup)
    batch.seed_rows([0])
    batch.reset()
    for ours, theirs in zip(batch.state, game._state, strict=True):
        ours[:] = theirs
    batch.state.clock[0, LIMIT] = setup.max_turns
    batch.desk.seat[0, AGENT], batch.desk.seat[0, ORDERS] = player - 1, -1
    batch.actions[:] = -1
    batch.step()
    desk = batch.desk
    return arrange(limits, desk.observation[CURRENT, 0], desk.edge_index[CURRENT, 0], desk.mask[CURRENT, 0])


def kernel_moves(game: pw.Game, bot: str, seed: int = 1) -> list[tuple[int, int, int]]:
    """What the compiled ``bot`` does for the player to move in this very position, as sorted moves."""
    twin = game.copy()
    twin._state.random[:] = seed
    width = max(twin._board.planets.shape[2], twin._board.edges.shape[2])
    scratch = np.zeros((SCRATCH_ROWS, width), twin._state.people.dtype)
    before = twin.shuttles()
    _play_bot(twin._state, twin._board, 0, twin.player - 1, BOTS[bot], scratch)
    return launched(before, twin.shuttles())


def launched(before: Any, after: Any) -> list[tuple[int, int, int]]:
    """The moves that lie between two lists of shuttles of one turn."""
    flying = {(s.source, s.destination, s.player, s.turns): s.people for s in before}
    gains = [
        (s.source, s.destination, s.people - flying.get((s.source, s.destination, s.player, s.turns), 0)) for s in after
    ]
    return sorted(move for move in gains if move[2])
