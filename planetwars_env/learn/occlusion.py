"""Occlusion: a planet's influence on an agent's choices, measured by hiding the planet.

Axes: P planet slots, E directed edges, S slots of an action (one a planet; one in all with actions="order"), C choices of a
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
from planetwars_env.learn.tensors import to_host
from planetwars_env.sim.policy_runner import allocate_observations

if TYPE_CHECKING:
    from planetwars_env.learn.agent import Agent


def observe(agent: "Agent", game: Game, player: int | None = None, fog: bool = True) -> dict[str, Array]:
    """Return the observation of a game; see `Agent.observe`."""
    side = game.player if player is None else player
    if side not in (1, 2):
        raise ValueError(f"player must be 1 or 2, not {player!r}")
    agent.limits.check([game.graph])
    codec = make_codec(agent.limits, agent.fractions, agent.max_orders)
    rows = allocate_observations(agent, 1)
    board, state = game.arrays
    _observe(state, board, codec, side - 1, fog, make_scratch(board, state.people.dtype), *rows)
    return arrange(agent.limits, *rows)


@kernel
def _observe(state: State, board: Board, codec: Codec, player, fog, scratch, observation, edge_index, mask):
    write_static(board, codec, state.status[0, BOARD], 0, observation, edge_index, mask)
    look(state, board, 0, player, scratch[0])
    write_mask(state, board, codec, 0, player, 0, scratch[0], mask)
    if not fog:
        for p in range(scratch.shape[1]):
            scratch[0, p] = 1
    write_observation(state, board, codec, 0, player, 0, 0, scratch, observation)


def probabilities(agent: "Agent", observation: dict[str, Array]) -> Array:
    """Return the probability [n, S, C] of each choice; see `Agent.probabilities`."""
    return np.exp(log_probabilities(agent, observation))


def log_probabilities(agent: "Agent", observation: dict[str, Array]) -> Array:
    """Return the logarithms of the `probabilities`."""
    tensors = {name: torch.from_numpy(np.ascontiguousarray(part)) for name, part in observation.items()}
    with torch.inference_mode():
        policy, _ = agent.network(tensors)
        return to_host(policy.normalised().dense())


def hidden(observation: dict[str, Array], planet: int) -> dict[str, Array]:
    """Return ``observation`` with planet slot ``planet`` hidden as by the fog: its details and the shuttles flying to it.

    The action mask stays the same, so that choices can be compared.
    """
    planets, edges = observation["planets"].copy(), observation["edges"].copy()
    planets[:, planet, EXISTS + 1 :] = 0
    incoming = observation["edge_index"][:, :, 1] == planet
    for flight in (MY_FLIGHT, OPPONENT_FLIGHT):
        edges[:, :, flight][incoming] = 0
    return {**observation, "planets": planets, "edges": edges}


def influence(agent: "Agent", observation: dict[str, Array]) -> Array:
    """Return the influence [P, S] of each planet on each slot's choice; see `Agent.influence`."""
    occluded = {p: hidden(observation, p) for p in range(observation["planets"].shape[1])}
    # A planet with nothing to hide has no influence: the last digits of a network differ between rows of a batch.
    changed = {p: one for p, one in occluded.items() if any((one[name] != observation[name]).any() for name in one)}
    batch = {
        name: np.concatenate([part, *(one[name] for one in changed.values())]) for name, part in observation.items()
    }
    before, *after = probabilities(agent, batch)
    table = np.zeros((len(occluded), len(before)), np.float32)
    for p, chances in zip(changed, after, strict=True):
        table[p] = np.abs(chances - before).sum(-1) / 2
    return table
