"""Graph batches: the planets and edges that exist in padded observations, of many graphs one after the other.

A batch has no padding, and the derived features (codec/derived.py). Graphs of the training pool have 16 planets and 44 directed
edges in the mean; a padded observation has 21 and 72.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from planetwars_env.codec import layout
from planetwars_env.codec.derived import edge_prospects, look_ahead, make_workspace, write_logarithms, write_prospects
from planetwars_env.codec.layout import planet_width
from planetwars_env.engine.kernel import kernel, part
from planetwars_env.envs.memory import MEMORY_FEATURES

if TYPE_CHECKING:
    from planetwars_env.learn.config import ActionSpec

Observation = dict[str, Tensor]
"""The parts of observation="tensors", batched: planets [B, P, F], edges [B, E, G], edge_index [B, E, 2], clock [B, 2],
action_mask [B, A]; with a memory also memory [B, P, 11]."""

BATCH_EDGE_WIDTH = 1 + layout.DERIVED_EDGE_WIDTH
"""Features of an edge: two of its derived ones, its weight, the other derived ones."""


class GraphBatch(NamedTuple):
    """N planets, M directed edges and R slots with a choice, of B graphs."""

    planets: Tensor  # [N, `planet_features`] float32: observation, logarithms, clock, forecast, distances; memory
    edges: Tensor  # [M, 6] float32
    source: Tensor  # [M] int32 rows of planets, ascending
    target: Tensor  # [M] int32
    edge_offsets: Tensor  # [N + 1] int32: planet p has the edges edge_offsets[p] .. edge_offsets[p + 1] - 1
    graph_offsets: Tensor  # [B + 1] int32: graph b has the planets graph_offsets[b] .. graph_offsets[b + 1] - 1
    logit_offsets: Tensor  # [M] int64: the edge's first fraction among the R * (C - 1) logits, -1 where it is illegal;
    # those of further sends follow C - 1 later each
    rows: Tensor  # [R] int64: indices among the B * S slots of those with a choice; all sends of a planet follow each other
    row_owners: Tensor  # [R] int64: the planet of each of these slots


def as_arrays(graphs: GraphBatch) -> Any:
    """Return the graphs with NumPy arrays, which compiled code takes, over the same memory."""
    return GraphBatch._make(part.numpy() for part in graphs)


def planet_features(spec: "ActionSpec") -> int:
    """Return the number of features of a planet."""
    horizon = spec.limits.horizon
    memory = len(MEMORY_FEATURES) if spec.memory else 0
    return planet_width(horizon) + layout.CLOCK_WIDTH + layout.derived_planet_width(horizon) + memory


def collate(spec: "ActionSpec", observation: Observation) -> GraphBatch:
    """Return the graphs of a padded ``observation`` on the CPU.

    ValueError for shapes and numbers that no environment with this ``spec`` gives.
    """
    planets, edges, index, clock, mask = (
        np.ascontiguousarray(observation[name].numpy())
        for name in ("planets", "edges", "edge_index", "clock", "action_mask")
    )
    B, P, E, width = len(planets), planets.shape[1], edges.shape[1], planet_width(spec.limits.horizon)
    N, M = int((planets[..., layout.EXISTS] > 0).sum()), int((edges[..., layout.EDGE_EXISTS] > 0).sum())
    out = GraphBatch(
        torch.empty(N, planet_features(spec)),
        torch.empty(M, BATCH_EDGE_WIDTH),
        *(torch.empty(size, dtype=torch.int32) for size in (M, M, N + 1, B + 1)),
        *(torch.empty(size, dtype=torch.int64) for size in (M, B * spec.slots, B * spec.slots)),
    )
    arrays = [part.numpy() for part in out]
    workspace = make_workspace(P, planets.shape[2], spec.rules.turns_per_weight)
    shapes = tuple(part.shape for part in (planets, edges, index, clock, mask))
    entries = P * spec.per_slot * spec.sends
    right = (B, P, width), (B, E, layout.EDGE_WIDTH), (B, E, 2), (B, layout.CLOCK_WIDTH), (B, entries)
    if shapes != right:  # the kernels check no bounds
        raise ValueError(
            f"planets, edges, edge_index, clock and action_mask must have the shapes {right}, not {shapes}"
        )
    if (wrong := _find_invalid(planets, edges, index, clock, spec.limits.degree)) >= 0:
        raise ValueError(
            f"observation {wrong} does not come from this environment: its numbers must be finite and not negative, its "
            f"planets and edges must come first, and its edges must be sorted by source, at most {spec.limits.degree} each"
        )
    if spec.memory:
        memory = observation["memory"].numpy()
        if memory.shape != (B, P, len(MEMORY_FEATURES)):
            raise ValueError(f"memory must have the shape {(B, P, len(MEMORY_FEATURES))}, not {memory.shape}")
        known = memory[planets[..., layout.EXISTS] > 0]
        numbers = [i for i, feature in enumerate(MEMORY_FEATURES) if feature.unit != "0 or 1"]
        known[:, numbers] = 0.2 * np.log1p(100 * known[:, numbers])  # the scale of the logarithms
        arrays[0][:, -len(MEMORY_FEATURES) :] = known
    R = _collate(
        planets, edges, index, clock, mask, spec.sends, spec.limits.degree, spec.fraction_count,
        spec.rules.coexistence, spec.rules.turns_per_weight, *workspace, *arrays,
    )  # fmt: skip
    return out._replace(rows=out.rows[:R], row_owners=out.row_owners[:R])


@kernel
def _find_invalid(all_planets, all_edges, all_index, clock, degree):
    """Return the index of the first invalid observation, or -1; `_collate` uses the numbers of all others as indices."""
    for b in range(len(clock)):
        planets, edges, index = all_planets[b], all_edges[b], all_index[b]
        count, last, degree_so_far, ended = 0, 0, 0, False
        wrong = _has_invalid_number(planets.reshape(-1)) | _has_invalid_number(edges.reshape(-1))
        wrong |= _has_invalid_number(clock[b])
        for p in range(planets.shape[0]):
            exists = planets[p, layout.EXISTS]
            wrong |= (exists != 0 and exists != 1) or (exists == 1 and count < p)
            count += exists == 1
        for e in range(edges.shape[0]):
            exists, source, target = edges[e, layout.EDGE_EXISTS], index[e, 0], index[e, 1]
            wrong |= exists != 0 and exists != 1
            ended |= exists == 0
            if exists == 0:
                continue
            wrong |= ended or source < last or source >= count or target < 0 or target >= count
            wrong |= edges[e, layout.EDGE_WEIGHT] <= 0
            degree_so_far = degree_so_far + 1 if source == last else 1
            wrong |= degree_so_far > degree
            last = source
        if wrong:
            return b
    return -1


@part
def _has_invalid_number(numbers):
    """Return whether a number is negative, infinite or NaN; without a branch, so that the loop is vectorised."""
    valid = 0
    for i in range(numbers.shape[0]):
        valid += (numbers[i] >= 0) & (numbers[i] < np.float32(np.inf))
    return valid < numbers.shape[0]


@kernel
def _collate(
    planets, edges, index, clock, mask, sends, degree, K, coexistence, turns_per_weight, state, board, forecast,
    distances, o_planets, o_edges, o_source, o_target, o_edge_offsets, o_graph_offsets, o_logit_offsets, o_rows,
    o_row_owners,
):  # fmt: skip
    """Fill the arrays of `GraphBatch` and return R, the number of slots with a choice."""
    B, P, F = planets.shape
    E, C, clock_at = edges.shape[1], 1 + degree * K, 2 * F - layout.MY_PEOPLE
    n, m, r = 0, 0, 0
    for b in range(B):
        begin, e = n, 0
        look_ahead(planets[b], edges[b], index[b], coexistence, state, board, forecast, distances)
        o_graph_offsets[b] = n
        for p in range(P):
            if planets[b, p, layout.EXISTS] == 0:
                continue
            for f in range(F):
                o_planets[n, f] = planets[b, p, f]
            write_logarithms(planets[b, p], o_planets[n], F)
            for f in range(layout.CLOCK_WIDTH):
                o_planets[n, clock_at + f] = clock[b, f]
            write_prospects(forecast, distances, p, o_planets[n], clock_at + layout.CLOCK_WIDTH)
            o_edge_offsets[n] = m
            able = mask[b, p * C + 1] > 0
            for send in range(able * sends):
                o_rows[r + send] = (b * sends + send) * P + p
                o_row_owners[r + send] = n
            slot = 0
            while e < E and edges[b, e, layout.EDGE_EXISTS] > 0 and index[b, e, 0] == p:
                people, q = planets[b, p, layout.MY_PEOPLE], index[b, e, 1]
                derived = edge_prospects(edges[b, e], people, forecast, distances, turns_per_weight, p, q)
                o_edges[m, 0], o_edges[m, 1], o_edges[m, 2] = derived[0], derived[1], edges[b, e, layout.EDGE_WEIGHT]
                o_edges[m, 3], o_edges[m, 4], o_edges[m, 5] = derived[2], derived[3], derived[4]
                o_source[m] = n
                o_target[m] = begin + q
                o_logit_offsets[m] = (r * degree + slot) * K if able else -1
                slot += 1
                e += 1
                m += 1
            r += able * sends
            n += 1
    o_edge_offsets[n] = m
    o_graph_offsets[B] = n
    return r
