"""Agent that looks ahead: each turn it changes its own probabilities a little towards what simulations find better.

From the position that its player supposes behind the fog, it samples turns from its policy and plays each of them on, both
sides by the agent. A choice's advantage is the mean value of the samples with that choice minus the mean value of all. The new
policy is proportional to ``policy * exp(advantage / temperature)``, one step of mirror descent, and its mode is played.
Taking the best sample instead gains nothing (docs/experiments/search-on-top.md).

Source: update equivalence, Sokota et al. (2023), arXiv 2304.13138.
"""

import numpy as np

from planetwars_env.bots.bot_codes import AI3
from planetwars_env.bots.search import AFTERWARDS, BIRTHS_TURNS
from planetwars_env.bots.strategy import Strategy
from planetwars_env.bots.supposed_game import SupposedGames
from planetwars_env.codec.entry_points import carry_out
from planetwars_env.codec.layout import arrange
from planetwars_env.codec.one_game import OneGameCodec
from planetwars_env.engine import columns
from planetwars_env.engine.entry_points import copy_to_rows, end_turns
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array
from planetwars_env.learn.agent import Agent
from planetwars_env.sim.external_opponents import PolicyRunner
from planetwars_env.view import KnownMap, Move, View

SIMULATIONS = 48
"""Simulations of a turn: about 35 ms on one core with `SEARCH_TURNS`, on graphs of the classic size."""
SEARCH_TURNS = 20
"""Length of a simulation in turns, for rules in which an edge of weight 1 takes one turn."""
TEMPERATURE = 0.001
"""Of the update, in shares of all people in the game: the lower, the more the simulations change."""
CERTAIN = 0.98
"""Probability from which on a choice is not questioned."""
PRIOR_SAMPLES = 3.0
"""Samples without an advantage that every choice is supposed to have had, so that one lucky sample changes little."""


class SearchingAgent(Strategy):
    """``agent`` with a search on every turn, by what its player sees."""

    def __init__(self, agent: Agent) -> None:
        self.name = f"{agent.name}+search"
        self._agent = agent

    def __repr__(self) -> str:
        return f"SearchingAgent({self._agent.name})"

    def reset(self, graph: KnownMap, player: int, rules: Rules, seed: int) -> None:
        """A game begins; ``seed`` chooses the turns that are simulated."""
        self._me, self._rng = player - 1, np.random.default_rng(seed)
        self._supposed = SupposedGames(graph, player, rules, [AI3], spare=SIMULATIONS)
        self._codec = OneGameCodec(self._agent.limits, self._agent.fractions, 0, self._agent.sends)
        self._here = self._agent.under(rules)
        self._runner = PolicyRunner(self._here, 1 + SIMULATIONS, rules, ())
        self._horizon = SEARCH_TURNS * rules.turns_per_weight

    def take_turn(self, view: View) -> list[Move]:
        """Return the moves of the likeliest turn after the update of the policy."""
        supposed, agent = self._supposed, self._here
        supposed.update(view)
        state, board, row, mover = supposed.state, supposed.board, np.zeros(1, np.int64), np.array([self._me])
        seen = [part[None] for part in self._codec.observe(state, board, self._me)]
        log_probs = agent.log_probabilities(arrange(agent.limits, *seen))[0]
        unsure = np.flatnonzero(log_probs.max(1) < np.log(CERTAIN))
        if len(unsure):
            samples = np.repeat(log_probs.argmax(1)[None], SIMULATIONS, 0)  # the first is the mode
            noise = self._rng.gumbel(size=(SIMULATIONS - 1, len(unsure), log_probs.shape[1]))
            samples[1:, unsure] = (log_probs[unsure] + noise).argmax(-1)
            log_probs = updated(log_probs, unsure, samples, self._values(samples, seen[0]))
        carry_out(state, board, self._codec.arrays, row, mover, log_probs.argmax(1)[None], seen[0])
        return supposed.launched(0)

    def _values(self, samples: Array, observation: Array) -> Array:
        """Return the value [simulations] of each sample: the player's lead in people, from -1 to 1, on average over the turns.

        As in the planner's trials, the last position counts for several turns, and a planet for some turns of its births.
        """
        supposed, me = self._supposed, self._me
        state, board, games = supposed.state, supposed.board, 1 + np.arange(len(samples))
        copy_to_rows(state, 0, games)
        seen = np.repeat(observation, len(samples), 0)
        carry_out(state, board, self._codec.arrays, games, np.full(len(samples), me), samples, seen)
        end_turns(state, board, games)
        total = _lead(state.totals[games], me)
        for turn in range(1, self._horizon):
            running = games[state.status[games, columns.PHASE] == columns.RUNNING]
            if len(running):
                self._runner.play(state, board, running, np.full(len(running), me if turn % 2 == 0 else 1 - me))
                end_turns(state, board, running)
            total += _lead(state.totals[games], me)
        births = 0.01 * BIRTHS_TURNS * board.planets[0, columns.SIZE] * board.planets[0, columns.HABITABILITY]
        more = np.sign(state.people[games, me] - state.people[games, 1 - me])
        totals = state.totals[games].astype(float)
        totals[:, columns.PEOPLE_1 + me] += (births * (more > 0)).sum(1)
        totals[:, columns.PEOPLE_1 + 1 - me] += (births * (more < 0)).sum(1)
        return (total + AFTERWARDS * _lead(totals, me)) / (self._horizon + AFTERWARDS)


def updated(log_probs: Array, unsure: Array, samples: Array, values: Array) -> Array:
    """Return ``log_probs`` [S, C] plus each choice's advantage by ``values`` [n] of ``samples`` [n, S], over `TEMPERATURE`.

    Only the slots ``unsure`` change. The result is not normalised.
    """
    new, advantages = log_probs.copy(), values - values.mean()
    for slot in unsure:
        sums = np.bincount(samples[:, slot], advantages, log_probs.shape[1])
        counts = np.bincount(samples[:, slot], minlength=log_probs.shape[1])
        new[slot] += sums / (counts + PRIOR_SAMPLES) / TEMPERATURE
    return new


def _lead(totals: Array, me: int) -> Array:
    """Return the lead [n] of player ``me`` (0, 1) in people on planets and in flight, as a share of all."""
    mine, theirs = (
        totals[:, columns.PEOPLE_1 + player].astype(float) + totals[:, columns.FLYING_1 + player]
        for player in (me, 1 - me)
    )
    return (mine - theirs) / (mine + theirs + 1)
