"""Two ways in which the compiled bot advisor helps a learner: as its teacher, and in simulations that credit single choices.

Kickstarting: the learner imitates the teacher's orders at first (Schmitt et al. 2018).

Counterfactual baselines: a turn of the learner is one choice for each of its planets, and the game rewards them only together.
Each choice is replaced, alone, by another sample of the policy. Both games are played on by compiled bots: the advisor for the
learner, against the same bot (against itself where the opponent is none). The difference is the advantage of that choice. Like
other advantages it has mean 0 under the policy. Source: Foerster et al. (2018), with the engine itself as model of the game.
"""

import numpy as np

from planetwars_env.bots.bot_codes import ADVISOR, EXTERNAL
from planetwars_env.bots.compiled import play_bot
from planetwars_env.bots.entry_points import make_scratch
from planetwars_env.bots.search import AFTERWARDS, PLAN_ROWS, PLANS, ROOT, ROWS, try_out
from planetwars_env.codec.actions import carry_out_turn, number_sent, sends_the_same
from planetwars_env.codec.layout import FRACTION_COUNT, PLANET_SLOTS
from planetwars_env.engine.columns import BOARD, PLANETS
from planetwars_env.engine.flights import launched
from planetwars_env.engine.kernel import kernel, part
from planetwars_env.engine.random import seeded
from planetwars_env.engine.state import Array, State, copy_game
from planetwars_env.engine.turn import end_turn
from planetwars_env.sim.batch import Batch

SIMULATED_TURNS = 20
"""Length of a simulation in turns, for rules in which an edge of weight 1 takes one turn."""
NO_BONUS = 0.0
"""Worth of winning beyond holding everything: with one, the games that end just within a simulation outweigh all others
(docs/experiments/credit.md)."""
_ENOUGH = 0.95  # Part of the advisor's send that the teacher's fraction must reach


class Teacher:
    """Teacher for the games of a batch, with actions="turn"; ``code``: of the compiled bot that teaches."""

    def __init__(self, batch: Batch, code: int = ADVISOR) -> None:
        self._batch, self._code = batch, code
        self._random = seeded(0, batch.games)  # its own: the games draw the same numbers with it and without
        self._workspace = batch.empty_games(batch.games)
        self._scratch = make_scratch(batch.board, batch.state.people.dtype)

    def act(self) -> Array:
        """Return actions [N, S] int64: the bot's orders, as nearly as a planet's last send expresses them."""
        games = self._batch.state, self._batch.board, self._batch.players
        _play(*games, self._code, self._random, self._workspace, self._scratch)
        return actions_of(self._batch, self._workspace)


def actions_of(batch: Batch, played: State) -> Array:
    """Return actions [N, S] int64: the orders that were given in ``played``, copies of the batch's games, as nearly."""
    out = np.zeros(batch.actions.shape, np.int64)
    _read(batch.state, batch.board, batch.codec, batch.players, played, out)
    return out


@kernel
def _play(state, board, players, code, random, played, scratch):
    for g in range(players.shape[0]):
        copy_game(state, g, played, g)
        played.random[g] = random[g]
        play_bot(played, board, g, players[g], code, scratch)
        random[g] = played.random[g]


@kernel
def _read(state, board, codec, players, played, out):
    last = out.shape[1] - codec.sizes[PLANET_SLOTS]
    for g in range(players.shape[0]):
        for p in range(board.info[state.status[g, BOARD], PLANETS]):
            out[g, last + p] = _choice(state, board, codec, g, p, state.people[g, players[g], p], played)


@part
def _choice(state, board, codec, g, p, people, played):
    """Return the largest send from planet p, with the smallest sufficient fraction; 0 where it sends nothing."""
    b, K = state.status[g, BOARD], codec.sizes[FRACTION_COUNT]
    most, choice = 0, 0
    for e in range(board.edge_offsets[b, p], board.edge_offsets[b, p + 1]):
        sent = launched(played, board, g, e)
        if people > 0 and sent > most:
            most = sent
            k = 0
            while k < K - 1 and max(1, int(codec.fractions[k] * people)) < _ENOUGH * sent:
                k += 1
            choice = 1 + (e - board.edge_offsets[b, p]) * K + k
    return choice


class CounterfactualBaseline:
    """Counterfactual baseline for the games of a batch; it reads the true state, as a critic may and a policy may not."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._horizon = SIMULATED_TURNS * batch.setup.rules.turns_per_weight
        codes = [opponent.code for opponent in batch.setup.opponents]
        self._opponents = np.array([ADVISOR if code == EXTERNAL else code for code in codes])
        plans = np.zeros((PLANS, PLAN_ROWS, batch.board.planets.shape[2]), np.int32)  # of a plan that changes nothing
        self._workspace = batch.empty_games(ROWS), plans, make_scratch(batch.board, batch.state.people.dtype)

    def compare(self, actions: Array, alternatives: Array) -> Array:
        """Return [N, S] float32: the value of ``actions`` minus their value with one slot's choice replaced.

        ``actions`` and ``alternatives`` [N, S]: legal choices of actions="turn".
        """
        batch = self._batch
        out, actions = np.zeros(actions.shape, np.float32), actions.copy()
        game = batch.state, batch.board, batch.codec, batch.players, self._opponents[batch.opponents]
        turn = batch.observation(), actions, alternatives
        _compare(*game, *turn, *self._workspace, self._horizon, out)
        return out


@kernel
def _compare(
    state, board, codec, players, opponents, seen, actions, alternatives,
    space, plans, scratch, horizon, out,
):  # fmt: skip
    for g in range(len(players)):
        known, base, me, opponent = False, 0.0, players[g], opponents[g]
        for p in range(board.info[state.status[g, BOARD], PLANETS]):
            people = state.people[g, me, p]
            for slot in range(p, actions.shape[1], codec.sizes[PLANET_SLOTS]):
                chosen, before = actions[g, slot], people
                if chosen > 0 and before > 0:
                    people -= number_sent(codec, (chosen - 1) % codec.sizes[FRACTION_COUNT], before)
                other = alternatives[g, slot]
                if before == 0 or other == chosen or sends_the_same(codec, chosen, other, before):
                    continue
                if not known:
                    base = _simulate(
                        state, board, codec, g, me, opponent, seen, actions, space, plans, scratch, horizon
                    )
                    known = True
                actions[g, slot] = other
                value = _simulate(state, board, codec, g, me, opponent, seen, actions, space, plans, scratch, horizon)
                actions[g, slot] = chosen
                out[g, slot] = (base - value) / (horizon + AFTERWARDS)


@part
def _simulate(state, board, codec, g, player, opponent, seen, actions, space, plans, scratch, horizon):
    """Return the value of game g after this turn's ``actions``, for ``player``."""
    copy_game(state, g, space, ROOT)
    carry_out_turn(space, board, codec, ROOT, player, actions, g, seen, g)
    end_turn(space, board, ROOT)
    value, _ = try_out(space, board, player, opponent, plans, horizon, NO_BONUS, scratch)
    return value
