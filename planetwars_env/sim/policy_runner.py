"""Run a policy as opponent in a batch: observe, act, apply."""

import numpy as np

from planetwars_env.bots.policy import Policy, PolicyCaller, under
from planetwars_env.codec.derived import in_form
from planetwars_env.codec.entry_points import carry_out, write_observations
from planetwars_env.codec.layout import make_codec
from planetwars_env.engine import columns
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array, Board, State
from planetwars_env.sim.buffers import Observations, allocate_buffers


def allocate_observations(policy: Policy, games: int) -> Observations:
    """Room for what ``policy`` is shown of ``games`` games."""
    buffers = allocate_buffers(games, policy.limits, len(policy.fractions), policy.max_orders > 0)
    return Observations(buffers.observation[0], buffers.edge_index[0], buffers.mask[0])


class PolicyRunner:
    """A policy in a batch: its own shapes, one forward pass for all games that wait for it."""

    def __init__(self, policy: Policy, games: int, scratch: Array, rules: Rules) -> None:
        policy = under(policy, rules)
        self.policy, self._call, self._rules = policy, PolicyCaller(policy), rules
        self._codec = make_codec(policy.limits, policy.fractions, policy.max_orders)
        self._met = np.zeros(games, bool)
        self._arrays = allocate_observations(policy, games)
        self._scratch = scratch

    def set_scratch(self, scratch: Array) -> None:
        """Use another notepad, for boards of another size."""
        self._scratch = scratch

    def forget(self, g: int) -> None:
        """Let game ``g``, which was exchanged, start anew for a policy with memory."""
        self._met[g] = False

    def play(self, state: State, board: Board, games: Array, players: Array) -> None:
        """One whole turn of the policy as ``players`` [n] (0, 1) of ``games`` [n]."""
        for orders in range(max(1, self.policy.max_orders)):
            rows = [array[: len(games)] for array in self._arrays]
            write_observations(state, board, self._codec, games, players, orders, self._scratch, *rows)
            starts = ~self._met[games] | ((state.status[games, columns.TURN] <= 2) & (orders == 0))
            self._met[games] = True
            observation = in_form(self._call.form, self.policy.limits, self._rules, *rows)
            answer = self._call(observation, games, starts, rows[2])
            answer = np.ascontiguousarray(answer, np.int64).reshape(len(games), -1)
            carry_out(state, board, self._codec, games, players, answer, rows[2])
            if not self.policy.max_orders:
                return
            going_on = answer[:, 0] != 0
            games, players = games[going_on], players[going_on]
            if not len(games):
                return
