"""Bradley-Terry ratings of many players from wins, draws and losses, their intervals, and the games that would tell most.

The model is a logistic regression of results on differences of ratings, with a normal prior whose variance follows from the
games (empirical Bayes, by expectation-maximisation). Without the prior, adaptively chosen games would overstate differences:
they are chosen by estimates, and the likelihood takes the luck in these for strength.
"""

from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

POINTS_PER_LOG_ODDS = 400 / log(10)
"""Points of Elo's scale per unit of log odds: 400 points are odds of ten to one."""
_STEPS, _CLOSE, _LONGEST_STEP = 500, 1e-6, 1.0
_SPREAD = 2.0
"""Standard deviation of ratings in log odds (350 points) that is supposed beforehand, with the weight of one player."""
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


def bradley_terry(scores: ScoreMatrix) -> Ratings:
    """Return the most probable ratings by Newton's method; the covariance is the inverse of the information there.

    Somebody who never lost, or never played, is rated finitely too.
    """
    n = len(scores)
    games, won = scores + scores.T, scores.sum(axis=1)
    rating, variance, covariance = np.zeros(n), _SPREAD**2, np.zeros((n, n))
    for _ in range(_STEPS if n else 0):
        expected = _expected(rating)
        weights = games * expected * (1 - expected)
        covariance = np.linalg.inv(np.diag(weights.sum(axis=1) + 1 / variance) - weights)
        step = covariance @ (won - (games * expected).sum(axis=1) - rating / variance)
        rating = rating + step * min(1.0, _LONGEST_STEP / max(np.abs(step).max(), _CLOSE))
        before, variance = variance, (_SPREAD**2 + (rating**2 + np.diag(covariance)).sum()) / (1 + n)
        if max(np.abs(step).max(), abs(variance / before - 1)) < _CLOSE:
            break
    centred = np.eye(n) - 1 / max(1, n)
    return Ratings(rating - rating.sum() / max(1, n), centred @ covariance @ centred)


def informative_pairs(ratings: Ratings, remaining: NDArray[np.int64], count: int) -> list[tuple[int, int]]:
    """Return ``count`` pairs, each for two games, chosen one by one for the greatest expected gain of information (D-optimal).

    A game of i and j adds w = p(1 - p) to the information on their difference, whose variance is v; the determinant of the
    information grows by 1 + wv. ``remaining`` [n, n], symmetric: how often each pair may still be chosen. Fewer pairs where
    these are used up.
    """
    covariance, left = ratings.covariance.copy(), remaining.copy()
    # p is expected over what the rating may be, not taken at the estimate (MacKay's approximation).
    expected = _expected(ratings.log_odds, 1 / np.sqrt(1 + np.pi / 8 * _variances(covariance)))
    information = 2 * expected * (1 - expected)
    chosen = []
    for _ in range(count):
        gain = np.where(left > 0, information * _variances(covariance), -1)
        i, j = (int(place) for place in np.unravel_index(gain.argmax(), gain.shape))
        if gain[i, j] < 0:
            break
        chosen.append((min(i, j), max(i, j)))
        left[[i, j], [j, i]] -= 1
        # Sherman and Morrison: the covariance once these two games are played.
        change = covariance[i] - covariance[j]
        covariance -= np.outer(change, change) * (information[i, j] / (1 + gain[i, j]))
    return chosen


def _variances(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the variances [n, n] of the differences of two ratings."""
    own = np.diag(covariance)
    return np.add.outer(own, own) - 2 * covariance


def _expected(log_odds: NDArray[np.float64], factor: NDArray[np.float64] | float = 1.0) -> NDArray[np.float64]:
    """Return [n, n]: the points that i is expected to win in a game against j; ``factor``: of the differences."""
    return 1 / (1 + np.exp(-factor * np.subtract.outer(log_odds, log_odds)))
