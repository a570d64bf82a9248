"""Bradley-Terry ratings of many players from wins, draws and losses, their intervals, and the games that would tell most.

The model is a logistic regression of results on differences of ratings. Newton's method finds its maximum likelihood, and the
inverse of Fisher's information at the maximum is the covariance of the ratings.
"""

from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

POINTS_PER_LOG_ODDS = 400 / log(10)
"""Points of Elo's scale per unit of log odds: 400 points are odds of ten to one."""
_STEPS, _CLOSE, _LONGEST_STEP = 200, 1e-9, 1.0
_Z = 1.959964
"""Quantile of the normal distribution for a 95 % interval."""

ScoreMatrix = NDArray[np.float64]
"""[n, n]: the points of player i against player j, half a point each for a draw."""


class Ratings(NamedTuple):
    """Ratings [n] in log odds with mean 0, and their covariance [n, n]."""

    log_odds: NDArray[np.float64]
    covariance: NDArray[np.float64]

    @property
    def points(self) -> NDArray[np.float64]:
        """Ratings on Elo's scale."""
        return POINTS_PER_LOG_ODDS * self.log_odds

    @property
    def half_widths(self) -> NDArray[np.float64]:
        """Half of the 95 % interval of each rating, on Elo's scale."""
        return POINTS_PER_LOG_ODDS * _Z * np.sqrt(np.maximum(np.diag(self.covariance), 0))


def bradley_terry(scores: ScoreMatrix, prior: float = 1.0) -> Ratings:
    """Return the ratings of maximum likelihood.

    ``prior``: drawn games that every player is given, spread over all others, so that somebody who never lost, or never
    played, is rated finitely too.
    """
    n = len(scores)
    if n < 2:
        return Ratings(np.zeros(n), np.zeros((n, n)))
    scores = scores + prior / (n - 1) / 2 * (1 - np.eye(n))
    games, won = scores + scores.T, scores.sum(axis=1)
    rating = np.zeros(n)
    for _ in range(_STEPS):
        inverse = _inverse_information(rating, games)
        step = inverse @ (won - (games * _expected(rating)).sum(axis=1))
        rating = rating + step * min(1.0, _LONGEST_STEP / max(np.abs(step).max(), _CLOSE))
        if np.abs(step).max() < _CLOSE:
            break
    return Ratings(rating - rating.mean(), _inverse_information(rating, games) - 1 / n)


def informative_pairs(ratings: Ratings, remaining: NDArray[np.int64], count: int) -> list[tuple[int, int]]:
    """Return ``count`` pairs, each for two games, chosen one by one for the greatest expected gain of information (D-optimal).

    A game of i and j adds w = p(1 - p) to the information on their difference, whose variance is v; the determinant of the
    information grows by 1 + wv. ``remaining`` [n, n], symmetric: how often each pair may still be chosen. Fewer pairs where
    these are used up.
    """
    covariance, left = ratings.covariance.copy(), remaining.copy()
    expected = _expected(ratings.log_odds)
    information = 2 * expected * (1 - expected)
    chosen = []
    for _ in range(count):
        own = np.diag(covariance)
        variance = np.add.outer(own, own) - 2 * covariance
        gain = np.where(left > 0, information * variance, -1)
        i, j = (int(place) for place in np.unravel_index(gain.argmax(), gain.shape))
        if gain[i, j] < 0:
            break
        chosen.append((min(i, j), max(i, j)))
        left[[i, j], [j, i]] -= 1
        # Sherman and Morrison: the covariance once these two games are played.
        change = covariance[i] - covariance[j]
        covariance -= np.outer(change, change) * (information[i, j] / (1 + gain[i, j]))
    return chosen


def scores_of(outcomes: NDArray[np.int64]) -> ScoreMatrix:
    """Return the points of each against each, as either player.

    ``outcomes`` [n, n, 3]: of the games of i (as player 1) against j, how many i won, were drawn, and j won.
    """
    first, second = outcomes[..., 0] + outcomes[..., 1] / 2, outcomes[..., 2] + outcomes[..., 1] / 2
    return first + second.T


def _expected(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return [n, n]: the points that i is expected to win in a game against j."""
    return 1 / (1 + np.exp(np.subtract.outer(log_odds, log_odds).T))


def _inverse_information(log_odds: NDArray[np.float64], games: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the inverse of Fisher's information, which has no say on the mean; 1/n in every place stands in for it."""
    expected = _expected(log_odds)
    weights = games * expected * (1 - expected)
    information = np.diag(weights.sum(axis=1)) - weights
    return np.asarray(np.linalg.inv(information + 1 / len(games)), np.float64)
