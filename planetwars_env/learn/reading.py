"""Reading of a game by an agent: turn by turn its estimate, its likely orders, and what its choices depend on.

A planet's influence on the choices is measured by occlusion: the planet is hidden.

Axes: P planet slots, E directed edges, S slots of an action (one a planet; one in all with actions="order"), C choices of a
slot. Planet slot p holds ``game.graph.planets[p]``.
"""

from collections import defaultdict
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
from planetwars_env.render.readings import GameReading, TurnReading
from planetwars_env.replay import Replay
from planetwars_env.sim.external_opponents import allocate_observations
from planetwars_env.view import Move

if TYPE_CHECKING:
    from planetwars_env.learn.agent import Agent

_MOST = 6
"""Orders, and planets, of a turn."""
_LEAST = 0.05
"""Least probability of an order, and least influence of a planet."""


def read_game(agent: "Agent", replay: Replay) -> GameReading:
    """Return what an agent would do on the turns of both players, or of those who have its name. `pw.watch` shows it.

    ValueError where the graph exceeds the agent's limits. Each turn takes one network pass per visible planet.
    """
    agent = agent.under(replay.rules)
    named = [player for player in (1, 2) if replay.players[player - 1] == agent.name]
    turns = [_read(agent, game) for game in replay.games() if not game.over and game.player in (named or (1, 2))]
    return GameReading(agent.name, turns)


def _read(agent: "Agent", game: Game) -> TurnReading:
    observation = agent.observe(game)
    with torch.inference_mode():
        value = float(agent.network({name: torch.from_numpy(part) for name, part in observation.items()})[1][0])
    likely = probabilities(agent, observation)[0]
    # Several choices of a planet with few people may stand for one move; a choice that sends nobody stands for none.
    chances: defaultdict[Move, float] = defaultdict(float)
    for slot, choice in np.argwhere(likely >= _LEAST / 5):
        if agent.max_orders:
            moves = game.decode(int(choice), limits=agent.limits, fractions=agent.fractions, actions="order")
        else:
            action = np.zeros(len(likely), np.int64)
            action[slot] = choice
            moves = game.decode(action, limits=agent.limits, fractions=agent.fractions, sends=agent.sends)
        for move in moves:
            chances[move] += float(likely[slot, choice])
    orders = [(move, chance) for move, chance in chances.items() if chance >= _LEAST]
    # The influence of a planet is its mean on the choices of the other slots that have any.
    table, able = influence(agent, observation), (likely > 0).sum(1) > 1
    influences = []
    for p, planet in enumerate(game.graph.planets):
        others = able & (np.arange(len(able)) % agent.limits.planets != p) if len(able) > 1 else able
        if others.any() and (mean := float(table[p, others].mean())) >= _LEAST:
            influences.append((planet.id, mean))
    orders.sort(key=lambda row: -row[1])
    influences.sort(key=lambda row: -row[1])
    return TurnReading(game.turn, game.player, value, orders[:_MOST], influences[:_MOST])


def observe(agent: "Agent", game: Game, player: int | None = None, fog: bool = True) -> dict[str, Array]:
    """Return the observation of a game; see `Agent.observe`."""
    side = game.player if player is None else player
    if side not in (1, 2):
        raise ValueError(f"player must be 1 or 2, not {player!r}")
    agent.limits.check([game.graph])
    codec = make_codec(agent.limits, agent.fractions, agent.max_orders, agent.sends)
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
    planets = range(observation["planets"].shape[1])
    occluded = {p: hidden(observation, p) for p in planets}
    # A planet with nothing to hide has no influence: the last digits of a network differ between rows of a batch.
    changed = {p: row for p, row in occluded.items() if any((row[name] != observation[name]).any() for name in row)}
    rows = [observation, *changed.values()]
    before, *after = probabilities(agent, {name: np.concatenate([row[name] for row in rows]) for name in observation})
    table = np.zeros((len(planets), len(before)), np.float32)
    for p, chances in zip(changed, after, strict=True):
        table[p] = np.abs(chances - before).sum(-1) / 2
    return table
