"""Table from the edge slots of planets, which actions="turn" chooses among, to directed edges."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from planetwars_env.codec.layout import EDGE_EXISTS
from planetwars_env.codec.limits import CLASSIC, Limits
from planetwars_env.engine.state import Array


def edge_slots(observation: Mapping[str, Any], limits: Limits = CLASSIC) -> Array:
    """Return the directed edge [..., P, D] int64 of every edge slot of every planet; -1 where there is none.

    ``observation``: the "tensors" of one game or of many, with or without a batch axis. ValueError for edges that do not
    fit ``limits``.

    >>> import planetwars_env as pw
    >>> env = pw.make("PlanetWars-v0", graphs="rings")
    >>> observation, info = env.reset(seed=0)
    >>> edge = pw.edge_slots(observation)[2, 0]  # the first edge that leaves planet slot 2
    >>> int(observation["edge_index"][edge][0])
    2
    """
    edges, edge_index = np.asarray(observation["edges"]), np.asarray(observation["edge_index"])
    if edge_index.shape[-2:] != (2 * limits.edges, 2) or edges.shape[:-1] != edge_index.shape[:-1]:
        raise ValueError(
            f"edges and edge_index must have {2 * limits.edges} rows, as the limits say, not the shapes {edges.shape} "
            f"and {edge_index.shape}"
        )
    lead = edge_index.shape[:-2]
    games, edge = np.nonzero(edges[..., EDGE_EXISTS].reshape(-1, 2 * limits.edges))
    source = edge_index.reshape(-1, 2 * limits.edges, 2)[games, edge, 0]
    if source.size and not (source.min() >= 0 and source.max() < limits.planets):
        raise ValueError(f"the sources in edge_index must lie between 0 and {limits.planets - 1}")
    first = np.full((int(np.prod(lead)), limits.planets), 2 * limits.edges)
    np.minimum.at(first, (games, source), edge)
    slot = edge - first[games, source]
    if slot.size and slot.max() >= limits.degree:
        raise ValueError(f"edges must be sorted by source, at most {limits.degree} of one planet, as the limits say")
    table = np.full((len(first), limits.planets, limits.degree), -1)
    table[games, source, slot] = edge
    return table.reshape(*lead, limits.planets, limits.degree)
