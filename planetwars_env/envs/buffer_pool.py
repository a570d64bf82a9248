"""BufferPool for the caller whose memory is used again once the caller has let go of it."""

from collections.abc import Iterator
from sys import getrefcount

import numpy as np

from planetwars_env.engine.state import Array


class BufferPool:
    """BufferPool of one array. A fresh block of megabytes a step costs more in page faults than the copying.

    Views count as references to their array, so what anybody still looks at is never written to.
    """

    def __init__(self, source: Array, keep: int = 3) -> None:
        self._source = source
        self._keep = keep
        self._given: list[Array] = [np.empty(0, source.dtype)]
        self._unused = next(
            self._references()
        )  # of an array that nobody else holds; the number differs between Pythons
        self._given.clear()

    def take(self) -> Array:
        """A copy that shares memory with no array that is still in use."""
        for place, references in enumerate(self._references()):
            if references == self._unused:
                np.copyto(self._given[place], self._source)
                return self._given[place]
        fresh = self._source.copy()
        if len(self._given) < self._keep:
            self._given.append(fresh)
        return fresh

    def _references(self) -> Iterator[int]:
        """The number of references to each array that was given away."""
        for array in self._given:
            yield getrefcount(array)
