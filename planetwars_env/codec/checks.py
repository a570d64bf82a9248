"""Checks of arrays that callers, policies and files hand in, before a kernel, which checks no bounds, reads them."""

from typing import Any

import numpy as np

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


def policy_actions(policy: Any, observation: dict[str, Array], shape: tuple[int, ...], choices: int) -> Array:
    """The answer of a `BatchPolicy` to ``observation``, checked; ValueError naming the policy."""
    return checked_actions(policy.act(observation), shape, f"the actions of policy {policy.name!r}", choices)
