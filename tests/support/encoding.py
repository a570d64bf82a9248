"""The package's own codec and bots on any single position of a `pw.Game`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import planetwars_env as pw
from planetwars_env.bots.bot_codes import COMPILED_BOTS
from planetwars_env.bots.entry_points import make_scratch, play_bot
from planetwars_env.codec.limits import FRACTIONS
from planetwars_env.engine.columns import LIMIT
from planetwars_env.engine.random import seeded
from planetwars_env.sim.external_opponents import PolicyRunner


class Onlooker(pw.Policy):
    """A policy that keeps what it is shown and waits."""

    name = "onlooker"
    compete = False
    fractions: Sequence[float] = FRACTIONS

    def __init__(self, limits: Any, max_orders: int) -> None:
        self.limits, self.max_orders = limits, max_orders
        self.shown: dict[str, Any] = {}

    def act(self, observation: dict[str, Any]) -> np.ndarray:
        self.shown = {key: value[0].copy() for key, value in observation.items()}
        return np.zeros(1 if self.max_orders else (1, self.limits.planets), np.int64)


def encode(game: pw.Game, player: int, max_orders: int = 0, limits: Any = pw.CLASSIC) -> dict[str, Any]:
    """The position as ``player`` (1, 2) sees it, whoever is to move; ``max_orders`` 0: with the mask of whole turns."""
    twin, onlooker = game.copy(), Onlooker(limits, max_orders)
    twin._state.status[0, LIMIT] = 500
    players = np.array([player - 1], np.int32)
    PolicyRunner(onlooker, 1, _scratch(twin), game.rules).play(twin._state, twin._board, np.array([0]), players)
    return onlooker.shown


def kernel_moves(game: pw.Game, bot: str, seed: int = 1) -> list[tuple[int, int, int]]:
    """Sorted moves of the compiled ``bot`` for the player to move in this position."""
    twin = game.copy()
    twin._state.random[:] = seeded(seed, 1)
    before = twin.shuttles()
    play_bot(twin._state, twin._board, 0, twin.player - 1, COMPILED_BOTS[bot], _scratch(twin))
    return launched(before, twin.shuttles())


def launched(before: Any, after: Any) -> list[tuple[int, int, int]]:
    """The moves that lie between two lists of shuttles of one turn."""
    flying = {(s.source, s.destination, s.player, s.turns): s.people for s in before}
    gains = [
        (s.source, s.destination, s.people - flying.get((s.source, s.destination, s.player, s.turns), 0)) for s in after
    ]
    return sorted(move for move in gains if move[2])


def _scratch(game: pw.Game) -> np.ndarray:
    return make_scratch(game._board, game._state.people.dtype)
