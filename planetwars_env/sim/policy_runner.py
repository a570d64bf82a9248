"""A batch of games shown to an agent that is no part of it, and its answers carried out: policies as opponents."""

import numpy as np

from planetwars_env.bots.strategy import Policy, policy_actions
from planetwars_env.codec.actions import carry_out_order, carry_out_turn
from planetwars_env.codec.layout import MAX_ORDERS, Codec, arrange, choices_of_slot, make_codec
from planetwars_env.codec.observation import write_mask, write_observation, write_static
from planetwars_env.engine.columns import BOARD
from planetwars_env.engine.kernel import kernel
from planetwars_env.engine.state import Array, Board, State
from planetwars_env.engine.visibility import look
from planetwars_env.sim.buffers import Observations, allocate_buffers


@kernel
def write_observations(
    state: State, board: Board, codec: Codec, games, players, orders, scratch, observation, edge_index, mask
):
    """Row i becomes what player ``players[i]`` sees of game ``games[i]`` after ``orders`` orders of this turn."""
    for i in range(games.shape[0]):
        g, player = games[i], players[i]
        write_static(board, codec, state.status[g, BOARD], i, observation, edge_index, mask)
        look(state, board, g, player, scratch[0])
        write_observation(state, board, codec, g, player, orders, i, scratch, observation)
        write_mask(state, board, codec, g, player, i, scratch[0], mask)


@kernel
def carry_out(state: State, board: Board, codec: Codec, games, players, actions, mask):
    """The action of row i in game ``games[i]``, as far as row i of the mask allows it."""
    for i in range(games.shape[0]):
        if codec.sizes[MAX_ORDERS]:
            carry_out_order(state, board, codec, games[i], players[i], actions[i, 0], mask, i)
        else:
            carry_out_turn(state, board, codec, games[i], players[i], actions, i, mask, i)


def allocate_observations(policy: Policy, games: int) -> Observations:
    """Room for what ``policy`` is shown of ``games`` games."""
    buffers = allocate_buffers(games, policy.limits, len(policy.fractions), policy.max_orders > 0)
    return Observations(buffers.observation[0], buffers.edge_index[0], buffers.mask[0])


class PolicyRunner:
    """One policy's eyes and hands in a batch: its own shapes, one forward pass for all games that wait for it."""

    def __init__(self, policy: Policy, games: int, scratch: Array) -> None:
        self.policy = policy
        self._codec = make_codec(policy.limits, policy.fractions, policy.max_orders)
        self._choices = choices_of_slot(policy.limits, len(policy.fractions), policy.max_orders > 0)
        self._arrays = allocate_observations(policy, games)
        self._scratch = scratch

    def play(self, state: State, board: Board, games: Array, players: Array) -> None:
        """One whole turn of the policy as ``players`` [n] (0, 1) of ``games`` [n]."""
        for orders in range(max(1, self.policy.max_orders)):
            answer = self._ask(state, board, games, players, orders)
            if not self.policy.max_orders:
                return
            going_on = answer[:, 0] != 0
            games, players = games[going_on], players[going_on]
            if not len(games):
                return

    def _ask(self, state: State, board: Board, games: Array, players: Array, orders: int) -> Array:
        rows = [array[: len(games)] for array in self._arrays]
        write_observations(state, board, self._codec, games, players, orders, self._scratch, *rows)
        shape = (len(games),) if self.policy.max_orders else (len(games), self.policy.limits.planets)
        answer = policy_actions(self.policy, arrange(self.policy.limits, *rows), shape, self._choices)
        answer = np.ascontiguousarray(answer, np.int64).reshape(len(games), -1)
        carry_out(state, board, self._codec, games, players, answer, rows[2])
        return answer
