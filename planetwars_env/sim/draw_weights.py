"""Weights by which the games of a batch draw their opponents and graphs, and the tables that the kernel reads."""

from collections.abc import Sequence

import numpy as np

from planetwars_env.engine.state import Array

SCALE = 2**30
"""Thresholds are whole numbers up to this one."""


class DrawWeights:
    """Weights [N, K] of K places in N games; all alike until they are set, which leaves a seed its games."""

    def __init__(self, games: int, places: int) -> None:
        self._shape = games, places
        self._weights: Array | None = None

    def set(self, rows: Array, places: Sequence[int], weights: Sequence[float] | Array | None, added: int = 0) -> None:
        """Draw ``places`` only in the games of ``rows``, with ``weights`` (None: all alike). ValueError for wrong weights.

        ``added``: places that are new, which other games do not draw.
        """
        given = np.ones(len(places)) if weights is None else np.asarray(weights, np.float64)
        if given.shape != (len(places),) or not np.isfinite(given).all() or (given < 0).any() or not given.sum() > 0:
            raise ValueError(
                f"weights must be {len(places)} numbers of 0 or more, one of them above 0, not {weights!r:.200}"
            )
        games, known = self._shape
        self._shape = games, known + added
        before = np.ones((games, known)) if self._weights is None else self._weights
        self._weights = np.concatenate([before, np.zeros((games, added))], 1)
        row = np.zeros(known + added)
        np.add.at(row, np.asarray(places, np.int64), given)
        self._weights[rows] = row

    def tables(self) -> tuple[Array, Array]:
        """Return each game's table [N], from 1 on and 0 without one, and the thresholds of all tables, one after another."""
        if self._weights is None:
            return np.zeros(self._shape[0], np.int32), np.zeros(0, np.int64)
        rows, table = np.unique(self._weights, axis=0, return_inverse=True)
        sums = rows.cumsum(1)
        thresholds = np.round(sums / sums[:, -1:] * SCALE).astype(np.int64)
        return table.reshape(-1).astype(np.int32) + 1, thresholds.reshape(-1)
