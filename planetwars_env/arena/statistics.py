"""Interquartile means of several training runs, with stratified bootstrap intervals (Agarwal et al. 2021)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray


def interquartile_mean(scores: ArrayLike) -> float:
    """Return the mean of the middle half of all ``scores``: a quarter is cut at either end, rounded down.

    >>> interquartile_mean([[0, 10, 20, 30], [40, 50, 60, 1000]])
    35.0
    """
    ordered = np.sort(np.asarray(scores, float), axis=None)
    cut = len(ordered) // 4
    return float(ordered[cut : len(ordered) - cut].mean())


def bootstrap_interval(scores: Sequence[Sequence[float]], resamples: int = 2000) -> tuple[float, float] | None:
    """Return the 95 % interval of the interquartile mean of ``scores`` [runs, tasks]; None for a single run.

    Runs are drawn anew for each task by itself (stratified), and the 2.5th and 97.5th percentile are taken. It covers the
    variance between runs, not that of other tasks. The same scores give the same interval.
    """
    table: NDArray[np.float64] = np.asarray(scores, float)
    runs, tasks = table.shape
    if runs < 2:
        return None
    drawn = np.random.default_rng(0).integers(runs, size=(resamples, runs, tasks))
    means = [interquartile_mean(table[rows, np.arange(tasks)]) for rows in drawn]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)
