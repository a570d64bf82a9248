"""Kickstarting: the advisor, the bot that planner starts from, as a teacher in the learner's place.

Source: Schmitt et al. (2018).
"""

import numpy as np

from planetwars_env.bots.bot_codes import ADVISOR
from planetwars_env.bots.compiled import play_bot
from planetwars_env.bots.entry_points import make_scratch
from planetwars_env.codec.layout import FRACTION_COUNT
from planetwars_env.engine.columns import BOARD, PLANETS
from planetwars_env.engine.flights import launched
from planetwars_env.engine.kernel import kernel, part
from planetwars_env.engine.state import Array, copy_game
from planetwars_env.sim.batch import Batch

_ENOUGH = 0.95
"""Part of the advisor's send that the teacher's fraction must reach."""


class Teacher:
    """Teacher for the games of a batch, with actions="turn"."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._workspace = batch.empty_games(1)
        self._scratch = make_scratch(batch.board, batch.state.people.dtype)

    def act(self) -> Array:
        """Return actions [N, P] int64: the advisor's orders, as nearly as one send per planet expresses them."""
        batch = self._batch
        out = np.zeros(batch.actions.shape, np.int64)
        _act(batch.state, batch.board, batch.codec, batch.players, self._workspace, self._scratch, out)
        return out


@kernel
def _act(state, board, codec, players, workspace, scratch, out):
    for g in range(players.shape[0]):
        copy_game(state, g, workspace, 0)
        play_bot(workspace, board, 0, players[g], ADVISOR, scratch)
        for p in range(board.info[state.status[g, BOARD], PLANETS]):
            out[g, p] = _choice(state, board, codec, g, p, state.people[g, players[g], p], workspace)


@part
def _choice(state, board, codec, g, p, people, workspace):
    """Return the largest send from planet p, with the smallest sufficient fraction; 0 where it sends nothing."""
    b, K = state.status[g, BOARD], codec.sizes[FRACTION_COUNT]
    most, choice = 0, 0
    for e in range(board.edge_offsets[b, p], board.edge_offsets[b, p + 1]):
        sent = launched(workspace, board, 0, e)
        if people > 0 and sent > most:
            most = sent
            k = 0
            while k < K - 1 and max(1, int(codec.fractions[k] * people)) < _ENOUGH * sent:
                k += 1
            choice = 1 + (e - board.edge_offsets[b, p]) * K + k
    return choice
