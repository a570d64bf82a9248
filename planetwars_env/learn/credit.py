"""What every single choice of a turn is worth: the game played on with it and with another, by compiled bots.

A turn of the learner is a choice for each of its planets, and the game tells only what all of them together were worth. Here
each choice is exchanged, alone, for another that the policy might have drawn, and both games are played on, the advisor in
the learner's place against ai3: the difference is the credit of that choice. Its mean over what the policy draws is 0, as an
advantage's is (counterfactual baselines: Foerster et al. 2018; the model of the game is the engine itself).
"""

import numpy as np

from planetwars_env.bots.calls import make_scratch
from planetwars_env.bots.search import AFTERWARDS, NOW, PLAN_ROWS, PLANS, ROWS, try_out
from planetwars_env.codec.actions import carry_out_turn
from planetwars_env.engine.kernel import kernel, part
from planetwars_env.engine.state import BOARD, PLANETS, Array, allocate, copy_game
from planetwars_env.engine.turn import end_turn
from planetwars_env.graphs.board import longest_flight
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.desk import AGENT, CURRENT

HORIZON = 40
"""Turns that a game is played on for, times the turns that an edge takes for each unit of its weight."""


class Credit:
    """The credit of choices in the games of a batch; it sees what the fog hides, as a critic may and a policy may not."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._horizon = HORIZON * batch.setup.rules.turns_per_weight
        people = batch.state.people.dtype
        self._room = allocate(ROWS, batch.board, longest_flight(batch.board), people)
        self._scratch = make_scratch(batch.board, people)
        self._plans = np.zeros((PLANS, PLAN_ROWS, batch.board.planets.shape[2]), np.int32)

    def judge(self, actions: Array, others: Array) -> Array:
        """[N, P] float32: how much better ``actions`` [N, P] are than with the choice of ``others`` for that planet alone."""
        batch = self._batch
        out = np.zeros(actions.shape, np.float32)
        mask, seat = batch.desk.mask[CURRENT], batch.desk.seat
        trial = self._room, self._plans, self._horizon, self._scratch
        _judge(batch.state, batch.board, batch.codec, seat, mask, actions.copy(), others, *trial, out)
        return out


@kernel
def _judge(state, board, codec, seat, mask, actions, others, room, plans, horizon, scratch, out):
    for g in range(seat.shape[0]):
        known, worth = False, 0.0
        for p in range(board.info[state.clock[g, BOARD], PLANETS]):
            chosen = actions[g, p]
            if others[g, p] == chosen:
                continue
            if not known:
                worth = _worth(state, board, codec, g, seat[g, AGENT], mask, actions, room, plans, horizon, scratch)
                known = True
            actions[g, p] = others[g, p]
            other = _worth(state, board, codec, g, seat[g, AGENT], mask, actions, room, plans, horizon, scratch)
            actions[g, p] = chosen
            out[g, p] = (worth - other) / (horizon + AFTERWARDS)


@part
def _worth(state, board, codec, g, player, mask, actions, room, plans, horizon, scratch):
    copy_game(state, g, room, NOW)
    carry_out_turn(room, board, codec, NOW, player, actions, g, mask, g)
    end_turn(room, board, NOW)
    value, _ = try_out(room, board, player, plans, horizon, scratch)
    return value
