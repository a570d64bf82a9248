"""Arrays within nested dictionaries and tuples: found, and compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


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


def assert_same(ours: Any, theirs: Any, where: Any = "") -> None:
    """Equal in value, type and structure: dictionaries, tuples and object arrays through and through."""
    assert type(ours) is type(theirs), where
    if isinstance(ours, dict):
        assert set(ours) == set(theirs), where
        for key in ours:
            assert_same(ours[key], theirs[key], (where, key))
    elif isinstance(ours, tuple) or (isinstance(ours, np.ndarray) and ours.dtype == object):
        for one, two in zip(ours, theirs, strict=True):
            assert_same(one, two, where)
    elif isinstance(ours, np.ndarray):
        assert ours.dtype == theirs.dtype and np.array_equal(ours, theirs), where
    else:
        assert ours == theirs, where
