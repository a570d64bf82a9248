"""Bradley-Terry ratings of players from wins, draws and losses, with intervals, and the games that tell most about a ranking.

The model is a logistic regression of results on differences of ratings, with a normal prior whose variance follows from the
games (empirical Bayes, by expectation-maximisation). Without the prior, adaptively chosen games would overstate differences:
they are chosen by estimates, and the likelihood takes the luck in these for strength.

The games of a round follow from the results of the rounds before, so a tournament that was killed and started again finds the
same rounds, and ends with the same table.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import log
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from planetwars_env.arena.game_store import FinishedGame, GameKey, GameStore, distinct_of
from planetwars_env.arena.plan import TournamentPlan
from planetwars_env.arena.results import NORMAL_95

POINTS_PER_LOG_ODDS = 400 / log(10)
"""Points of Elo's scale per unit of log odds: 400 points are odds of ten to one."""
_STEPS, _CLOSE, _LONGEST_STEP = 500, 1e-6, 1.0
_SPREAD = 2.0
"""Standard deviation of ratings in log odds (350 points) that is supposed beforehand, with the weight of one player."""
_LEAST_IN_A_ROUND = 8
"""Pairs of games, enough to keep the processors of one machine busy."""

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
        return POINTS_PER_LOG_ODDS * NORMAL_95 * np.sqrt(np.maximum(np.diag(self.covariance), 0))


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


def ratings_of(games: Iterable[FinishedGame], labels: Iterable[str]) -> Ratings:
    """Return the ratings of the ``labels`` by these games, in their order."""
    index = {label: i for i, label in enumerate(labels)}
    scores = np.zeros((len(index), len(index)))
    for game in games:
        one, other, points = index[game.key.first], index[game.key.second], (0.5, 1.0, 0.0)[game.winner]
        scores[one, other] += points
        scores[other, one] += 1 - points
    return bradley_terry(scores)


def rounds(plan: TournamentPlan, store: GameStore) -> Iterator[list[GameKey]]:
    """Yield all games of a prepared plan; with a budget in rounds, of which the store holds one when the next is asked for.

    Each pair of contestants begins on a graph of its own, so that few games cover many graphs.
    """
    if plan.budget is None:
        yield list(plan.schedule())
        return
    chosen: list[GameKey] = []
    played: dict[GameKey, FinishedGame] = {}
    while pairs := min((plan.budget - len(chosen)) // 2, max(_LEAST_IN_A_ROUND, len(plan.contestants) // 2)):
        keys = next_games(plan, [played[key] for key in chosen], pairs)
        if not keys:
            return
        yield keys
        chosen += keys
        if not played.keys() >= {*keys}:
            played = {game.key: game for game in store.games()}


def next_games(
    plan: TournamentPlan, played: Sequence[FinishedGame], pairs: int, due: Sequence[bool] | None = None
) -> list[GameKey]:
    """Return the next games after those ``played``, each in both orders, by expected information.

    ``due``: by contestant, of whom each game must have one (None: all).
    """
    taken: defaultdict[frozenset[str], set[tuple[str, int]]] = defaultdict(set)
    for game in played:
        taken[frozenset(game.key[:2])].add(game.key[2:])
    remaining: NDArray[np.int64] = np.zeros([len(plan.contestants)] * 2, np.int64)
    for (i, one), (j, other) in combinations(enumerate(plan.contestants), 2):
        if plan.meet(one, other) and (due is None or due[i] or due[j]):
            there = taken[frozenset((one.name, other.name))]
            remaining[i, j] = remaining[j, i] = plan.games // 2 - len(there)
    ratings = ratings_of(distinct_of(played), [one.name for one in plan.contestants])
    keys: list[GameKey] = []
    for i, j in informative_pairs(ratings, remaining, pairs):
        one, other = plan.contestants[i].name, plan.contestants[j].name
        games = plan.pair_games(one, other)
        shift = crc32(f"{one}\0{other}".encode()) % len(games)
        there = taken[frozenset((one, other))]
        both = next(both for both in games[shift:] + games[:shift] if both[0][2:] not in there)
        there.add(both[0][2:])
        keys += both
    return keys
