"""Copies for the caller whose memory is used again once the caller has let go of it."""

from sys import getrefcount

import numpy as np

from planetwars_env.engine.state import Array

_UNUSED = 3
"""References to an array that only a `Copies` holds: its list, the loop over it, and the question itself."""


class Copies:
    """Copies of one array. A fresh block of megabytes a step costs more in page faults than the copying (docs/decisions.md).

    Views count as references to their array, so what anybody still looks at is never written to.
    """

    def __init__(self, source: Array, keep: int = 3) -> None:
        self._source = source
        self._keep = keep
        self._given: list[Array] = []

    def take(self) -> Array:
        """A copy that shares memory with no array that is still in use."""
        for array in self._given:
            if getrefcount(array) == _UNUSED:
                np.copyto(array, self._source)
                return array
        fresh = self._source.copy()
        if len(self._given) < self._keep:
            self._given.append(fresh)
        return fresh
