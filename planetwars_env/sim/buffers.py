"""The arrays between a batch of games and its agents: shapes are said here only, columns in sim/fields.py."""

from typing import NamedTuple

import numpy as np

from planetwars_env.codec.layout import observation_width
from planetwars_env.codec.limits import Limits
from planetwars_env.engine.state import Array
from planetwars_env.sim import fields


class StepBuffers(NamedTuple):
    """Buffers between N games and their agents (axes: engine/state.py; A actions in a mask, L numbers in an observation)."""

    control: Array
    """[N, 10] int32: the agent's player (0, 1), its opponent's place in the list, who is waited for, whether the agent has
    not yet acted in this game, orders of this turn; board, player and opponent of the next game or DRAWN; the tables
    that opponents and graphs are drawn by."""
    result: Array
    """[N, 33] int64 of the last step: won (+1, 0, -1), terminated, truncated; then three times the numbers of an info
    (`INFO` in sim/result.py): now, after the step, and before it. Now differs from after where a new game began within
    the step."""
    observation: Array
    """[2, N, L] float32: the current one, and the last one of a game that ended where a new one began in the same step.
    [4, N, L] where the setup is privileged: the same two times without fog."""
    edge_index: Array
    """[2, N, E, 2] int32: source and target planet of every directed edge, the same two times."""
    mask: Array
    """[2, N, A] int8, the same two times; A is 0, and no step writes masks, until somebody asks (`Batch.show_masks`)."""


def allocate_buffers(games: int, limits: Limits, privileged: bool = False) -> StepBuffers:
    """Return buffers for ``games`` agents; every game is due for a reset with everything drawn."""
    buffers = StepBuffers(
        control=np.zeros((games, fields.CONTROL_WIDTH), np.int32),
        result=np.zeros((games, fields.RESULT_WIDTH), np.int64),
        observation=np.zeros((4 if privileged else 2, games, observation_width(limits)), np.float32),
        edge_index=np.zeros((2, games, 2 * limits.edges, 2), np.int32),
        mask=np.zeros((2, games, 0), np.int8),
    )
    buffers.control[:, fields.STAGE] = fields.RESET_DUE
    buffers.control[:, fields.NEXT_BOARD : fields.OPPONENT_TABLE] = fields.DRAWN
    return buffers


class Observations(NamedTuple):
    """Observations of the agents of N games, as views of a `StepBuffers`."""

    observation: Array
    """[N, L] float32"""
    edge_index: Array
    """[N, E, 2] int32"""
    mask: Array
    """[N, A] int8"""
