"""Bradley-Terry ratings of many players from wins, draws and losses, with bootstrap intervals."""

from math import log

import numpy as np
from numpy.typing import NDArray

POINTS_PER_LOG_ODDS = 400 / log(10)
"""Points of Elo's scale per unit of log odds: 400 points are odds of ten to one."""
_ROUNDS, _CLOSE = 10_000, 1e-10

ScoreMatrix = NDArray[np.float64]
"""[n, n]: the points of player i against player j, half a point each for a draw."""


def bradley_terry(scores: ScoreMatrix, prior: float = 0.5) -> NDArray[np.float64]:
    """Return ratings [n] on Elo's scale with mean 0, by maximum likelihood (minorisation-maximisation, Hunter 2004).

    ``prior``: that many games are added to every pair that met, drawn, so that somebody who never lost is rated finitely too.
    """
    met = (scores + scores.T) > 0
    scores = scores + prior / 2 * met
    games, won = scores + scores.T, scores.sum(axis=1)
    strength = np.ones(len(scores))
    for _ in range(_ROUNDS):
        before = strength
        weight = (games / np.add.outer(before, before)).sum(axis=1)
        strength = np.divide(won, weight, out=np.ones_like(won), where=weight > 0)
        strength = np.maximum(strength, 1e-12)
        strength = strength / np.exp(np.log(strength).mean())
        if np.abs(np.log(strength / before)).max() < _CLOSE:
            break
    return POINTS_PER_LOG_ODDS * np.log(strength)


def bootstrap(
    outcomes: NDArray[np.int64], prior: float = 0.5, samples: int = 200, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return 95 % intervals (low [n], high [n]) of the ratings by bootstrap within every pair.

    ``outcomes`` [n, n, 3]: of the games of i (as player 1) against j, how many i won, were drawn, and j won.
    """
    generator = np.random.default_rng(seed)
    counts = outcomes.sum(axis=2)
    shares = outcomes / np.maximum(counts, 1)[..., None]
    shares[counts == 0] = 1 / 3
    ratings = [bradley_terry(scores_of(generator.multinomial(counts, shares)), prior) for _ in range(samples)]
    low, high = np.percentile(ratings, [2.5, 97.5], axis=0)
    return low, high


def scores_of(outcomes: NDArray[np.int64]) -> ScoreMatrix:
    """Return the points of each against each, as either player."""
    first, second = outcomes[..., 0] + outcomes[..., 1] / 2, outcomes[..., 2] + outcomes[..., 1] / 2
    return first + second.T
