"""Reading of a game by an agent: turn by turn its estimate, its likely orders, and what its choices depend on."""

from collections import defaultdict

import numpy as np
import torch

from planetwars_env.engine.state import Array
from planetwars_env.game import Game
from planetwars_env.learn.agent import Agent
from planetwars_env.learn.occlusion import influence, probabilities
from planetwars_env.render.readings import GameReading, TurnReading
from planetwars_env.replay import Replay
from planetwars_env.view import Move

_MOST = 6
"""Orders, and planets, of a turn."""
_LEAST = 0.05
"""Least probability of an order, and least influence of a planet."""


def read_game(agent: Agent, replay: Replay) -> GameReading:
    """Return what an agent would do on the turns of both players, or of those who have its name. `pw.watch` shows it.

    ValueError where the graph exceeds the agent's limits. Each turn takes one network pass per visible planet.
    """
    agent = agent.under(replay.rules)
    named = [player for player in (1, 2) if replay.players[player - 1] == agent.name]
    found = []
    for game in replay.games():
        if game.over or game.player not in (named or (1, 2)):
            continue
        found.append(_read(agent, game, agent.observe(game)))
    return GameReading(agent.name, found)


def _read(agent: Agent, game: Game, observation: dict[str, Array]) -> TurnReading:
    tensors = {name: torch.from_numpy(np.ascontiguousarray(part)) for name, part in observation.items()}
    with torch.inference_mode():
        value = float(agent.network(tensors)[1][0])
    likely = probabilities(agent, observation)[0]
    # Several choices of a planet with few people may stand for one move.
    chances: defaultdict[Move, float] = defaultdict(float)
    for slot, choice in np.argwhere(likely >= _LEAST / 5):
        for move in _moves(agent, game, slot, choice):
            chances[move] += float(likely[slot, choice])
    orders = sorted(((move, chance) for move, chance in chances.items() if chance >= _LEAST), key=lambda one: -one[1])
    return TurnReading(
        game.turn, game.player, value, orders[:_MOST], _influences(game, influence(agent, observation), likely)
    )


def _moves(agent: Agent, game: Game, slot: int, choice: int) -> list[Move]:
    """Return the move of a choice of a slot alone; none for a choice that sends nobody."""
    if agent.max_orders:
        return game.decode(int(choice), limits=agent.limits, fractions=agent.fractions, actions="order")
    action = np.zeros(agent.limits.planets, np.int64)
    action[slot] = choice
    return game.decode(action, limits=agent.limits, fractions=agent.fractions)


def _influences(game: Game, table: Array, likely: Array) -> list[tuple[int, float]]:
    """Return the planets with the most influence on the choices of the other slots that have any."""
    able = (likely > 0).sum(1) > 1
    found = []
    for p, planet in enumerate(game.graph.planets):
        others = able & (np.arange(len(able)) != p) if len(able) > 1 else able
        if others.any() and (mean := float(table[p, others].mean())) >= _LEAST:
            found.append((planet.id, mean))
    return sorted(found, key=lambda one: -one[1])[:_MOST]
