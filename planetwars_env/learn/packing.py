"""Packed observations: collated once as they are seen, then joined over a rollout and drawn from for every minibatch.

What a network computes from is a `GraphBatch` for graph networks, and the observation itself for all others.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from planetwars_env.engine.kernel import kernel
from planetwars_env.learn.action_spec import ActionSpec
from planetwars_env.learn.graph_batch import GraphBatch, Observation, as_arrays

Packed = GraphBatch | Observation
"""B packed observations, on the CPU."""


def join(spec: ActionSpec, parts: Sequence[Packed]) -> Packed:
    """Return packed observations as one, in their order."""
    if len(parts) == 1:
        return parts[0]
    graphs = [part for part in parts if isinstance(part, GraphBatch)]
    if not graphs:
        return {name: torch.cat([part[name] for part in parts]) for name in parts[0]}  # type: ignore[call-overload,index]
    before = {"planets": 0, "edges": 0, "rows": 0, "graphs": 0}
    moved: list[GraphBatch] = []
    for part in graphs:
        logits = part.logit_offsets + before["rows"] * (spec.per_slot - 1)
        moved.append(
            part._replace(
                source=part.source + before["planets"],
                target=part.target + before["planets"],
                edge_offsets=part.edge_offsets[bool(before["graphs"]) :] + before["edges"],
                graph_offsets=part.graph_offsets[bool(before["graphs"]) :] + before["planets"],
                logit_offsets=torch.where(part.logit_offsets < 0, part.logit_offsets, logits),
                rows=part.rows + before["graphs"] * spec.slots,
                row_owners=part.row_owners + before["graphs" if spec.orders else "planets"],
                row_offsets=part.row_offsets[bool(before["graphs"]) :] + before["rows"],
            )
        )
        sizes = len(part.planets), len(part.edges), len(part.rows), len(part.graph_offsets) - 1
        for name, size in zip(("planets", "edges", "rows", "graphs"), sizes, strict=True):
            before[name] += size
    return GraphBatch(*(torch.cat(columns) for columns in zip(*moved, strict=True)))


def select(spec: ActionSpec, packed: Packed, chosen: Tensor) -> Packed:
    """Return the packed observations with the indices ``chosen`` [b] int64, in this order."""
    if not isinstance(packed, GraphBatch):
        return {name: part[chosen] for name, part in packed.items()}
    sizes = []
    for offsets in (packed.graph_offsets, packed.edge_offsets[packed.graph_offsets.long()], packed.row_offsets):
        sizes.append(int(offsets.diff()[chosen].sum()))
    N, M, R = sizes
    B = len(chosen)
    lengths = N, M, M, M, N + 1, B + 1, B + 1, M, R, R
    out = GraphBatch(*(part.new_empty(n, *part.shape[1:]) for n, part in zip(lengths, packed, strict=True)))
    _select(chosen.numpy(), spec.orders, spec.slots, spec.per_slot - 1, as_arrays(packed), as_arrays(out))
    return out


@kernel
def _select(chosen, orders, S, C, packed, out):
    n, m, r = 0, 0, 0
    F, G = packed.planets.shape[1], packed.edges.shape[1]
    for i in range(chosen.shape[0]):
        g = chosen[i]
        p0, p1 = packed.graph_offsets[g], packed.graph_offsets[g + 1]
        e0, e1 = packed.edge_offsets[p0], packed.edge_offsets[p1]
        r0, r1 = packed.row_offsets[g], packed.row_offsets[g + 1]
        out.graph_offsets[i], out.row_offsets[i] = n, r
        for p in range(p0, p1):
            out.edge_offsets[n + p - p0] = packed.edge_offsets[p] + m - e0
            for f in range(F):
                out.planets[n + p - p0, f] = packed.planets[p, f]
        for e in range(e0, e1):
            to = m + e - e0
            out.source[to], out.target[to] = packed.source[e] + n - p0, packed.target[e] + n - p0
            logit = packed.logit_offsets[e]
            out.logit_offsets[to] = logit + (r - r0) * C if logit >= 0 else logit
            for f in range(G):
                out.edges[to, f] = packed.edges[e, f]
        for row in range(r0, r1):
            out.rows[r + row - r0] = packed.rows[row] + (i - g) * S
            out.row_owners[r + row - r0] = packed.row_owners[row] + (i - g if orders else n - p0)
        n, m, r = n + p1 - p0, m + e1 - e0, r + r1 - r0
    out.edge_offsets[n], out.graph_offsets[chosen.shape[0]], out.row_offsets[chosen.shape[0]] = m, n, r
