"""The codec for one game, without an environment: its observation and mask, moves from an action, an action from moves."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from planetwars_env.codec.checks import checked_actions
from planetwars_env.codec.entry_points import carry_out, write_observations, write_states
from planetwars_env.codec.layout import (
    FRACTION_COUNT,
    choices_of_slot,
    make_codec,
    observation_width,
    slots_of_action,
)
from planetwars_env.codec.limits import Limits
from planetwars_env.engine.columns import BOARD, SOURCE, TURN
from planetwars_env.engine.entry_points import list_launched
from planetwars_env.engine.rules import player_on
from planetwars_env.engine.state import Array, Board, State

_SCRATCH_ROWS = 3
_FIRST = np.zeros(1, np.int64)


class OneGameCodec:
    """Observations and actions of games one game wide, in the form of an environment with the same arguments.

    ``max_orders``: 0 for actions="turn". ``arrays``: the codec as kernels read it. An action makes ``slots`` choices out of
    ``choices`` each. ValueError for fractions outside (0, 1], and for wrong ``sends``.
    """

    def __init__(self, limits: Limits, fractions: Sequence[float], max_orders: int, sends: int = 1) -> None:
        self.limits, self._max_orders, self._sends = limits, max_orders, sends
        self.arrays = make_codec(limits, fractions, max_orders, sends)
        self.choices = choices_of_slot(limits, len(fractions), max_orders > 0)
        self.slots = slots_of_action(limits, max_orders > 0, sends)
        self.mask_width = self.slots * self.choices

    def allocate(self, games: int) -> tuple[Array, Array, Array]:
        """Room for observations [n, L], edge_index [n, E, 2] and masks [n, A] of n games."""
        observation = np.zeros((games, observation_width(self.limits)), np.float32)
        edge_index = np.zeros((games, 2 * self.limits.edges, 2), np.int32)
        return observation, edge_index, np.zeros((games, self.mask_width), np.int8)

    def observe(
        self, state: State, board: Board, player: int, orders: int = 0, fog: bool = True
    ) -> tuple[Array, Array, Array]:
        """Observation [L], edge_index [E, 2] and mask [A] of ``player`` (0, 1), as if it were to move.

        ``fog``: False shows every planet; the mask stays that of the player.
        """
        observation, edge_index, mask = self.allocate(1)
        scratch = np.zeros((_SCRATCH_ROWS, max(board.planets.shape[2], board.edges.shape[2])), state.people.dtype)
        seen = state, board, self.arrays, _FIRST, np.array([player], np.int32), orders, scratch, observation, edge_index
        write_observations(*seen, mask)
        if not fog:
            write_states(*seen, mask.copy())
        return observation[0], edge_index[0], mask[0]

    def only_waiting(self) -> Array:
        """The mask [A] of a player who is not to move."""
        mask = np.zeros(self.mask_width, np.int8)
        mask[:: self.choices] = 1
        return mask

    def decode(self, state: State, board: Board, action: Any) -> Array:
        """People [E] that ``action`` of the player to move sends along every directed edge; an illegal choice sends none."""
        shape = () if self._max_orders else (self.slots,)
        row = np.ascontiguousarray(checked_actions(action, shape, "the action"), np.int64).reshape(1, -1)
        player = _to_move(state)
        seen = self.observe(state, board, player)[0][None]
        trial = State(*(array.copy() for array in state))
        before, after = np.zeros((2, board.edges.shape[2]), np.int64)
        list_launched(trial, board, 0, before)
        carry_out(trial, board, self.arrays, _FIRST, np.array([player], np.int32), row, seen)
        list_launched(trial, board, 0, after)
        return after - before

    def encode(self, state: State, board: Board, orders: Iterable[tuple[int, int, str]]) -> Any:
        """The action of ``orders``: directed edge, people, and the name of the move for errors. See `Game.encode`."""
        mask = self.observe(state, board, _to_move(state))[2]
        action, left = np.zeros(self.slots, np.int64), state.people[0, _to_move(state)].copy()
        for edge, people, name in orders:
            source = int(board.edges[state.status[0, BOARD], SOURCE, edge])
            slots = [0] if self._max_orders else range(source, self.slots, self.limits.planets)
            if (slot := next((slot for slot in slots if not action[slot]), None)) is None:
                room = f"it holds {self._sends} for each source (sends={self._sends})"
                room = 'with actions="order" it holds one' if self._max_orders else room
                raise ValueError(f"{name} is one move too many for an action: {room}")
            there = int(left[source])
            if not 1 <= people <= there:
                raise ValueError(f"{name} sends {people} people, but it can send 1 to {there}")
            # The choice whose number of people is the nearest; of two equally near ones the first fraction.
            sent = np.maximum(1, (self.arrays.fractions * there).astype(np.int64))
            first = 0 if self._max_orders else int(board.edge_offsets[state.status[0, BOARD], source])
            nearest = int(np.abs(sent - people).argmin())
            action[slot] = 1 + (edge - first) * int(self.arrays.sizes[FRACTION_COUNT]) + nearest
            left[source] -= sent[nearest]
            if not mask[slot * self.choices + action[slot]]:
                raise ValueError(
                    f"{name} is not legal: its source is not in sight of the player to move, or all is over"
                )
        return int(action[0]) if self._max_orders else action


@lru_cache(maxsize=64)
def one_game_codec(
    limits: Limits, fractions: tuple[float, ...], actions: str, max_orders: int, sends: int
) -> OneGameCodec:
    """The codec for these arguments of an environment, made once. ValueError for one that no environment takes."""
    if actions not in ("turn", "order"):
        raise ValueError(f'unknown actions {actions!r}: choose "turn" or "order"')
    if max_orders < 1:
        raise ValueError(f"max_orders must be at least 1, not {max_orders}")
    return OneGameCodec(limits, fractions, max_orders if actions == "order" else 0, sends)


def _to_move(state: State) -> int:
    return player_on(int(state.status[0, TURN]))
