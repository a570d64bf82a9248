"""Opponents and graphs of the next games of a batch: chosen and added while the present games go on."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from planetwars_env.bots.catalogue import Player, listed, parse_player, resolve_player
from planetwars_env.bots.policy import FunctionPolicy
from planetwars_env.engine.state import Array
from planetwars_env.graphs.catalogue import resolve_graphs
from planetwars_env.graphs.graph import Graph
from planetwars_env.names import known_name, suggestion
from planetwars_env.sim.batch import Batch

Weights = Sequence[float] | Array | None


def set_opponents(batch: Batch, opponents: Any, weights: Weights, rows: Any) -> None:
    """Let the next games of ``rows`` draw ``opponents`` (None: all) with ``weights``; new ones come last in the list."""
    known, chosen = list(batch.setup.opponents), []
    for given in range(len(known)) if opponents is None else listed(opponents):
        place = _place(known, given, batch.setup.opponent_names)
        if place == len(known):
            known.append(resolve_player(given))
        chosen.append(place)
    added = len(known) - len(batch.setup.opponents)
    batch.opponent_weights.set(_checked_rows(batch, rows), chosen, weights, added)
    batch.rebuild(replace(batch.setup, opponents=known))


def set_graphs(batch: Batch, graphs: Any, weights: Weights, rows: Any) -> None:
    """Let the next games of ``rows`` draw ``graphs`` (None: all) with ``weights``; new ones come last in the pool."""
    pool, added, chosen = batch.setup.graphs, [], []
    places = {name: place for place, name in reversed(list(enumerate(batch.graph_names)))}
    several = isinstance(graphs, Sequence | np.ndarray) and not isinstance(graphs, str | Graph)
    wanted: Any = range(len(pool)) if graphs is None else graphs if several else [graphs]
    for given in wanted:
        if (index := _index("graph", given, len(pool))) is not None:
            chosen.append(index)
        elif isinstance(given, str) and given in places:
            chosen.append(places[given])
        else:
            for graph in resolve_graphs(given):
                place = places.get(graph.name, -1)
                if place < 0 or (pool[place] if place < len(pool) else added[place - len(pool)]) != graph:
                    place = places[graph.name] = len(pool) + len(added)
                    added.append(graph)
                chosen.append(place)
    batch.setup.limits.check(added)
    batch.graph_weights.set(_checked_rows(batch, rows), chosen, weights, len(added))
    batch.rebuild(replace(batch.setup, graphs=(*pool, *added) if added else pool))


def _place(known: Sequence[Player], given: Any, names: Sequence[str]) -> int:
    """The place of an opponent in the list: by index, by name, or as the same object; the end of the list for a new one."""
    if (index := _index("opponent", given, len(known))) is not None:
        return index
    if isinstance(given, str):
        name = given if given in names else parse_player(given).name
        return names.index(name) if name in names else len(known)
    for place, player in enumerate(known):
        made = player.make.args[0] if isinstance(player.make, partial) and player.make.args else player.make
        origins = (player, made, made.act) if isinstance(made, FunctionPolicy) else (player, made)
        if any(given is origin for origin in origins):
            return place
    return len(known)


def _index(what: str, given: Any, count: int) -> int | None:
    """An index, where one is given."""
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        return None
    if not 0 <= given < count:
        raise ValueError(f"the index of {what} must lie between 0 and {count - 1}, not {given}")
    return int(given)


def _checked_rows(batch: Batch, rows: Any) -> Array:
    """``rows`` as indices: None means all, booleans [N] or indices the rows that they name; ValueError for others."""
    if rows is None:
        return np.arange(batch.games)
    array = np.atleast_1d(np.asarray(rows))
    if array.dtype == bool and array.shape == (batch.games,):
        return np.flatnonzero(array)
    if (
        array.ndim != 1
        or array.dtype.kind not in "iu"
        or (array.size and not 0 <= array.min() <= array.max() < batch.games)
    ):
        raise ValueError(
            f"rows must be {batch.games} booleans or indices from 0 to {batch.games - 1}, not {rows!r:.200}"
        )
    return array


def read_options(options: dict[str, Any] | None, batch: Batch) -> dict[str, Array]:
    """The arguments of `Batch.reset` that ``options`` stand for: one value for all games, or an array of one each.

    "graph" and "opponent" are names or indices, "player" is 1 or 2. ValueError for other options and other values.
    """
    chosen, read = dict(options or {}), {}
    listed_names: dict[str, Sequence[str]] = {"graph": batch.graph_names, "opponent": batch.setup.opponent_names}
    for option in ("graph", "opponent", "player"):
        if (value := chosen.pop(option, None)) is None:
            continue
        array, names = np.asarray(value), listed_names.get(option, ())
        if names and array.dtype.kind == "U":
            places = []
            for name in array.flat:
                known = known_name(str(name), names)
                if known is None:
                    first = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
                    raise ValueError(
                        f"options: there is no {option} {str(name)!r} here: choose from {first}{suggestion(str(name), names)}"
                    )
                places.append(names.index(known))
            array = value = np.array(places).reshape(array.shape)
        least, most = (0, len(names) - 1) if names else (1, 2)
        if array.shape not in ((), (batch.games,)):
            raise ValueError(
                f"options: {option} must be one value or {batch.games} of them, not an array of shape {array.shape}"
            )
        if array.dtype.kind not in "iu" or array.min() < least or array.max() > most:
            raise ValueError(f"options: {option} must be whole numbers from {least} to {most}, not {value!r}")
        read[option] = array
    if chosen:
        raise ValueError(f"unknown options {sorted(chosen)}: choose from graph, opponent, player")
    return read
