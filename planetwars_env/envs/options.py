"""Options of ``reset``: the graph, the opponent and the player of the games that begin."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from planetwars_env.engine.state import Array
from planetwars_env.names import known_name, suggestion
from planetwars_env.sim.batch import Batch


def read_options(options: dict[str, Any] | None, batch: Batch) -> dict[str, Array]:
    """The arguments of `Batch.reset` that ``options`` stand for: one value for all games, or an array of one each.

    "graph" and "opponent" are names or indices, "player" is 1 or 2. ValueError for other options and other values.
    """
    chosen = dict(options or {})
    found = {}
    for option, names in (("graph", batch.graph_names), ("opponent", batch.setup.opponent_names)):
        if (value := chosen.pop(option, None)) is not None:
            found[option] = _places(option, value, names, batch.games)
    if (value := chosen.pop("player", None)) is not None:
        found["player"] = _numbers("player", value, 1, 2, batch.games)
    if chosen:
        raise ValueError(f"unknown options {sorted(chosen)}: choose from graph, opponent, player")
    return found


def _places(option: str, value: Any, names: Sequence[str], games: int) -> Array:
    """Indices of names or indices; ValueError, naming ``option``, for those that are not there."""
    array = np.asarray(value)
    if array.dtype.kind == "U":
        array = np.array([_place(option, str(name), names) for name in array.flat], np.int64).reshape(array.shape)
    return _numbers(option, array, 0, len(names) - 1, games)


def _place(option: str, name: str, names: Sequence[str]) -> int:
    known = known_name(name, names)
    if known is None:
        shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        raise ValueError(f"options: there is no {option} {name!r} here: choose from {shown}{suggestion(name, names)}")
    return names.index(known)


def _numbers(option: str, value: Any, least: int, most: int, games: int) -> Array:
    array = np.asarray(value)
    if array.shape not in ((), (games,)):
        raise ValueError(f"options: {option} must be one value or {games} of them, not an array of shape {array.shape}")
    if array.dtype.kind not in "iu" or array.min() < least or array.max() > most:
        raise ValueError(f"options: {option} must be whole numbers from {least} to {most}, not {value!r}")
    return array
