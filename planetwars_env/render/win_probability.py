"""Probability that player 1 wins from a true position: a logistic regression on who has more of what, and the turn.

`scripts/research/win_probability.py` finds the coefficients and measures them (docs/experiments/win-probability.md).
"""

import json
from functools import cache
from itertools import pairwise
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from planetwars_env.game import Game
from planetwars_env.render.templates import packaged
from planetwars_env.replay import Replay

COEFFICIENTS = "win_probability.json"
"""File beside this module with the coefficients by rule set, in the order of `features`."""
_LATE = 100
"""Turn on which the second half of the features counts as much as the first."""


def totals_of(game: Game) -> NDArray[np.int64]:
    """Return the totals [4, 2] of a position: people, planets, room for more people, and growth, of player 1 and of player 2.

    Where both players live on a planet, each has its part of the growth.
    """
    sizes = np.array([planet.size for planet in game.graph.planets])
    growth = np.array([planet.habitability for planet in game.graph.planets]) / 100
    people = np.array(game.people())
    total = people.sum(1)
    owned = people > people[:, ::-1]
    room = np.maximum(0, sizes - total)
    born = np.minimum(room, np.ceil(total * growth))
    part = people / np.maximum(1, total)[:, None]
    shuttles = game.shuttles()
    flying = [sum(shuttle.people for shuttle in shuttles if shuttle.player == player) for player in (1, 2)]
    rows = people.sum(0) + flying, owned.sum(0), (owned * room[:, None]).sum(0), (part * born[:, None]).sum(0)
    return np.array(rows).round().astype(np.int64)


def features(totals: NDArray[np.int64], turn: int) -> NDArray[np.float64]:
    """Return the features of a position: per total the difference by the sum, and the same times the turn's logarithm."""
    lead = (totals[:, 0] - totals[:, 1]) / np.maximum(1, totals.sum(1))
    return np.concatenate([lead, lead * log(turn) / log(_LATE)])


def win_probability(totals: NDArray[np.int64], turn: int, rules: str) -> float | None:
    """Return the probability of a win of player 1; None for rules without coefficients."""
    weights = _coefficients().get(rules)
    return None if weights is None else 1 / (1 + exp(-float(features(totals, turn) @ np.array(weights))))


def win_curve(replay: Replay) -> list[int]:
    """Return the probability of a win of player 1 as each turn begins and at the end, in thousandths.

    A position looks better for whoever has just moved, so that each value is the mean with that of the turn before, except
    at the ends. A game that is over has its result. The list is empty for rules without coefficients.
    """
    if replay.rules.name not in _coefficients():
        return []
    chances = [win_probability(totals_of(game), game.turn, replay.rules.name) or 0.0 for game in replay.games()]
    if replay.winner:
        chances[-1] = float(replay.winner == 1)
    parts = [round(1000 * chance) for chance in chances]
    # Halves go up, as in web/story.mjs.
    means = [(before + now + 1) // 2 for before, now in pairwise(parts[:-1])]
    return [parts[0], *means, *parts[1:][-1:]]


@cache
def _coefficients() -> dict[str, list[float]]:
    return json.loads(packaged(COEFFICIENTS))
