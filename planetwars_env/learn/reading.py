"""Reading of a game by an agent: turn by turn its estimate, its likely orders, and what its choices depend on."""

from collections import defaultdict
from typing import Any

import numpy as np
import torch

from planetwars_env.game import Game
from planetwars_env.learn.agent import Agent
from planetwars_env.render.readings import GameReading, TurnReading
from planetwars_env.replay import Replay
from planetwars_env.view import Move

_MOST = 6
"""Orders, and planets, of a turn."""
_LEAST = 0.05
"""Least probability of an order, and least influence of a planet."""


def read_game(agent: Agent, replay: Replay) -> GameReading:
    """Return what an agent would do on the turns of both players, or of those who have its name. `pw.watch` shows it.

    A planet's influence on the choices is measured by occlusion: the planet is hidden. ValueError where the graph exceeds the
    agent's limits. Each turn takes one network pass per visible planet.
    """
    agent = agent.under(replay.rules)
    named = [player for player in (1, 2) if replay.players[player - 1] == agent.name]
    turns = [_read(agent, game) for game in replay.games() if not game.over and game.player in (named or (1, 2))]
    return GameReading(agent.name, turns)


def _read(agent: Agent, game: Game) -> TurnReading:
    observation = agent.observe(game)
    with torch.inference_mode():
        value = float(agent.network({name: torch.from_numpy(part) for name, part in observation.items()})[1][0])
    likely = agent.probabilities(observation)[0]
    # Several choices of a planet with few people may stand for one move; a choice that sends nobody stands for none.
    chances = defaultdict[Move, float](float)
    for slot, choice in np.argwhere(likely >= _LEAST / 5):
        if agent.max_orders:
            moves = game.decode(int(choice), limits=agent.limits, fractions=agent.fractions, actions="order")
        else:
            action = np.zeros(len(likely), np.int64)
            action[slot] = choice
            moves = game.decode(action, limits=agent.limits, fractions=agent.fractions, sends=agent.sends)
        for move in moves:
            chances[move] += float(likely[slot, choice])
    # The influence of a planet is its mean on the choices of the other slots that have any.
    table, able, influences = agent.influence(observation), (likely > 0).sum(1) > 1, {}
    for p, planet in enumerate(game.graph.planets):
        others = able & (np.arange(len(able)) % agent.limits.planets != p) if len(able) > 1 else able
        influences[planet.id] = float(table[p, others].mean()) if others.any() else 0.0
    return TurnReading(game.turn, game.player, value, _largest(chances), _largest(influences))


def _largest(values: dict[Any, float]) -> list[tuple[Any, float]]:
    kept = [(key, value) for key, value in values.items() if value >= _LEAST]
    return sorted(kept, key=lambda row: -row[1])[:_MOST]
