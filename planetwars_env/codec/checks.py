"""Checks of arrays that callers, policies and files hand in, before a kernel, which checks no bounds, reads them."""

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from planetwars_env.codec.layout import CLOCK_WIDTH, EDGE_WIDTH, planet_width
from planetwars_env.codec.limits import Limits
from planetwars_env.engine.state import Array


def checked_actions(actions: Any, shape: tuple[int, ...], name: str, choices: int | None = None) -> Array:
    """``actions`` as an array of integers of any width; ValueError for another shape or kind of numbers.

    ``choices``: each entry must be 0 or more and below it. None: any number passes, since environments ignore an
    illegal choice. ``name`` says in the error whose actions they are.
    """
    array = np.asarray(actions)
    if array.shape != shape or array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be integers of shape {shape}, not {array.dtype} of shape {array.shape}")
    if choices is not None and array.size and not (array.min() >= 0 and array.max() < choices):
        wrong = np.flatnonzero((array < 0) | (array >= choices))[0]
        place = [int(i) for i in np.unravel_index(wrong, shape)]
        raise ValueError(f"{name} must lie between 0 and {choices - 1}, but {array.flat[wrong]} stands at {place}")
    return array


def checked_observation(limits: Limits, mask: int, observation: Mapping[str, Any]) -> dict[str, Array]:
    """The "tensors" of n games as arrays, their shapes those of ``limits`` and of ``mask`` entries; ValueError where not.

    What the numbers say is checked where they are read (learn/graph_batch.py).
    """
    P, E = limits.planets, 2 * limits.edges
    shapes = {
        "planets": ("f4", (P, planet_width(limits.horizon))),
        "edges": ("f4", (E, EDGE_WIDTH)),
        "edge_index": ("i4", (E, 2)),
        "clock": ("f4", (CLOCK_WIDTH,)),
        "action_mask": ("i1", (mask,)),
    }
    if missing := [name for name in shapes if name not in observation]:
        raise ValueError(f"the observation lacks {', '.join(missing)}: it needs {', '.join(shapes)}")
    parts = {name: np.asarray(observation[name]) for name in shapes}
    games = len(parts["clock"]) if parts["clock"].ndim else 0
    for name, (kind, shape) in shapes.items():
        if parts[name].dtype != kind or parts[name].shape != (games, *shape):
            right, part = f"{np.dtype(kind)} of shape {(games, *shape)}", parts[name]
            raise ValueError(f"{name} of the observation must be {right}, not {part.dtype} of shape {part.shape}")
    return parts


def checked_row(row: Any, rows: int, name: str) -> int:
    """``row`` as a number from 0 to ``rows`` - 1; IndexError where it is none."""
    number = operator.index(row)
    if not 0 <= number < rows:
        raise IndexError(f"{name} must lie between 0 and {rows - 1}, not {number}")
    return number
