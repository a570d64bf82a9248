"""What an agent's choice rests on: a position is shown to it again and again, each time with one planet hidden.

Axes: P planet slots, E directed edges, S slots of an action (one a planet; a single one with actions="order"), C choices of a
slot. Planet slot p holds ``game.graph.planets[p]``.
"""

from typing import TYPE_CHECKING

import numpy as np
import torch

from planetwars_env.bots.entry_points import make_scratch
from planetwars_env.codec.layout import EXISTS, MY_FLIGHT, OPPONENT_FLIGHT, Codec, arrange, make_codec
from planetwars_env.codec.observation import write_mask, write_observation, write_static
from planetwars_env.engine.columns import BOARD
from planetwars_env.engine.kernel import kernel
from planetwars_env.engine.state import Array, Board, State
from planetwars_env.engine.visibility import look
from planetwars_env.game import Game
from planetwars_env.learn.network import normalised, spread
from planetwars_env.sim.policy_runner import allocate_observations

if TYPE_CHECKING:
    from planetwars_env.learn.agent import Agent


def observe(agent: "Agent", game: Game, player: int | None = None, fog: bool = True) -> dict[str, Array]:
    """What ``agent`` is shown of a game as it stands: the "tensors" of one game, as `Agent.act` takes them.

    ``player``: 1 or 2, None for the one to move. ``fog``: False shows every planet, as no player ever sees it; the legal
    choices stay those of the player. ValueError for another player, and for a board beyond the agent's limits.
    """
    side = game.player if player is None else player
    if side not in (1, 2):
        raise ValueError(f"player must be 1 or 2, not {player!r}")
    agent.limits.check([game.graph])
    codec = make_codec(agent.limits, agent.fractions, agent.max_orders)
    rows = allocate_observations(agent, 1)
    board, state = game.arrays
    _show(state, board, codec, side - 1, fog, make_scratch(board, state.people.dtype), *rows)
    return arrange(agent.limits, *rows)


@kernel
def _show(state: State, board: Board, codec: Codec, player, fog, scratch, observation, edge_index, mask):
    write_static(board, codec, state.status[0, BOARD], 0, observation, edge_index, mask)
    look(state, board, 0, player, scratch[0])
    write_mask(state, board, codec, 0, player, 0, scratch[0], mask)
    if not fog:
        for p in range(scratch.shape[1]):
            scratch[0, p] = 1
    write_observation(state, board, codec, 0, player, 0, 0, scratch, observation)


def probabilities(agent: "Agent", observation: dict[str, Array]) -> Array:
    """[n, S, C]: how likely the agent takes each choice of each slot, for the "tensors" of n games. Choice 0 is to wait."""
    tensors = {name: torch.from_numpy(np.ascontiguousarray(part)) for name, part in observation.items()}
    with torch.inference_mode():
        scores, _ = agent.network(tensors)
        return spread(normalised(scores)).exp().numpy()


def hidden(observation: dict[str, Array], planet: int) -> dict[str, Array]:
    """``observation`` with planet slot ``planet`` hidden as the fog hides one: no details of it, nothing that flies to it.

    What may be chosen stays the same, so that choices can be compared.
    """
    planets, edges = observation["planets"].copy(), observation["edges"].copy()
    planets[:, planet, EXISTS + 1 :] = 0
    coming = observation["edge_index"][:, :, 1] == planet
    for flight in (MY_FLIGHT, OPPONENT_FLIGHT):
        edges[:, :, flight][coming] = 0
    return {**observation, "planets": planets, "edges": edges}


def influence(agent: "Agent", observation: dict[str, Array]) -> Array:
    """[P, S]: by how much the choice of each slot changes when a planet is hidden from the agent; for one game.

    The total variation distance between the probabilities before and after: 0 where nothing changes, 1 where nothing is
    left as it was.
    """
    without = {p: hidden(observation, p) for p in range(observation["planets"].shape[1])}
    # Where there is nothing to hide nothing changes; a network's last digits do, from one row of a batch to another.
    told = {p: one for p, one in without.items() if any((one[name] != observation[name]).any() for name in one)}
    together = {
        name: np.concatenate([part, *(one[name] for one in told.values())]) for name, part in observation.items()
    }
    before, *after = probabilities(agent, together)
    table = np.zeros((len(without), len(before)), np.float32)
    for p, likely in zip(told, after, strict=True):
        table[p] = np.abs(likely - before).sum(-1) / 2
    return table
