"""Arrays within nested dictionaries and tuples: found, and compared."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from gymnasium.utils.env_checker import data_equivalence


def arrays_in(value: Any) -> Iterator[np.ndarray]:
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            for item in value:
                yield from arrays_in(item)
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from arrays_in(item)
    elif isinstance(value, tuple):
        for item in value:
            yield from arrays_in(item)


def assert_same(ours: Any, theirs: Any) -> None:
    """Equal in value, type and structure: dictionaries, tuples and object arrays through and through."""
    assert data_equivalence(ours, theirs, exact=True)
