"""What every single choice of a turn is worth: the game played on with it and with another, by compiled bots.

A turn of the learner is a choice for each of its planets, and the game tells only what all of them together were worth. Here
each choice is exchanged, alone, for another that the policy might have drawn, and both games are played on, the advisor in
the learner's place against the same bot (against itself where the opponent is none): the difference is the credit of that
choice. Its mean over what the policy draws is 0, as an advantage's is (counterfactual baselines: Foerster et al. 2018; the
model of the game is the engine itself).
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from planetwars_env.bots.bot_codes import ADVISOR, EXTERNAL
from planetwars_env.bots.entry_points import make_scratch
from planetwars_env.bots.search import AFTERWARDS, PLAN_ROWS, PLANS, ROOT, ROWS, try_out
from planetwars_env.codec.actions import carry_out_turn
from planetwars_env.engine.columns import BOARD, PLANETS
from planetwars_env.engine.kernel import kernel, part
from planetwars_env.engine.state import Array, State, allocate, copy_game
from planetwars_env.engine.turn import end_turn
from planetwars_env.graphs.board import longest_flight
from planetwars_env.sim.batch import Batch

HORIZON = 40
"""Turns that a game is played on for, times the turns that an edge takes for each unit of its weight."""


class Credit:
    """The credit of choices in the games of a batch; it sees what the fog hides, as a critic may and a policy may not."""

    def __init__(self, batch: Batch, threads: int = 1) -> None:
        self._batch = batch
        self._horizon = HORIZON * batch.setup.rules.turns_per_weight
        self._bounds = np.linspace(0, batch.games, threads + 1).astype(int).tolist()
        codes = [opponent.code for opponent in batch.setup.opponents]
        self._opponents = np.array([ADVISOR if code == EXTERNAL else code for code in codes])
        self._rooms = [_make_room(batch) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads, "credit")

    def judge(self, actions: Array, others: Array) -> Array:
        """[N, P] float32: how much better ``actions`` [N, P] are than with the choice of ``others`` for that planet alone."""
        batch = self._batch
        out, actions = np.zeros(actions.shape, np.float32), actions.copy()
        game = (
            batch.state,
            batch.board,
            batch.codec,
            batch.players,
            self._opponents[batch.opponents],
            batch.current.mask,
            actions,
            others,
        )
        parts = zip(pairwise(self._bounds), self._rooms, strict=True)
        jobs = [self._pool.submit(_judge, *game, *room, self._horizon, *bounds, out) for bounds, room in parts]
        for job in jobs:
            job.result()
        return out


def _make_room(batch: Batch) -> tuple[State, Array, Array]:
    """Where one thread plays games on: positions, a plan that changes nothing, and a notepad."""
    people = batch.state.people.dtype
    plans = np.zeros((PLANS, PLAN_ROWS, batch.board.planets.shape[2]), np.int32)
    return allocate(ROWS, batch.board, longest_flight(batch.board), people), plans, make_scratch(batch.board, people)


@kernel
def _judge(
    state, board, codec, players, opponents, mask, actions, others, room, plans, scratch, horizon, begin, end, out
):
    for g in range(begin, end):
        known, worth = False, 0.0
        for p in range(board.info[state.status[g, BOARD], PLANETS]):
            chosen = actions[g, p]
            if others[g, p] == chosen:
                continue
            if not known:
                worth = _worth(
                    state, board, codec, g, players[g], opponents[g], mask, actions, room, plans, scratch, horizon
                )
                known = True
            actions[g, p] = others[g, p]
            other = _worth(
                state, board, codec, g, players[g], opponents[g], mask, actions, room, plans, scratch, horizon
            )
            actions[g, p] = chosen
            out[g, p] = (worth - other) / (horizon + AFTERWARDS)


@part
def _worth(state, board, codec, g, player, opponent, mask, actions, room, plans, scratch, horizon):
    copy_game(state, g, room, ROOT)
    carry_out_turn(room, board, codec, ROOT, player, actions, g, mask, g)
    end_turn(room, board, ROOT)
    value, _ = try_out(room, board, player, opponent, plans, horizon, scratch)
    return value
