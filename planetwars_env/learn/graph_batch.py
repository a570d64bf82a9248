"""Collation of padded observations into a graph batch without padding, with a forecast of every planet.

Graphs of the training pool have 16 planets and 44 directed edges in the mean; a padded observation has 21 and 72. The same
compiled pass plays each graph on with the shuttles in flight and no new orders, and adds this forecast to the features.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from planetwars_env.codec import layout
from planetwars_env.codec.layout import planet_width
from planetwars_env.engine.coexistence import coexist
from planetwars_env.engine.columns import SIZE
from planetwars_env.engine.conquest import battle
from planetwars_env.engine.kernel import kernel, part
from planetwars_env.engine.rules import DEFENCE
from planetwars_env.engine.state import Array, Board, State
from planetwars_env.learn.action_spec import ActionSpec

Observation = dict[str, Tensor]
"""The parts of observation="tensors", batched: planets [B, P, F], edges [B, E, G], edge_index [B, E, 2], clock [B, 2],
action_mask [B, A]."""

BATCH_EDGE_WIDTH = 6
"""Features of an edge: how straight it leads to the front and to free land (1 on a shortest path, -1 back), its weight, the
forecast people of either side at its target when a shuttle launched now would land, and by how much all people at its source
exceed what takes the target."""
FORECAST_FEATURES = 4
"""Forecast of a planet: the people of either side at the end, the viewer's fewest and the opponent's most until then."""
DISTANCE_FEATURES = 2
"""Distances to the front (the opponent's planets; while none is visible, hidden planets) and to free land (neutral or hidden
planets)."""
_MAX_DISTANCE = np.float32(3)
"""Bound of a planet's distance features, in the unit of weights in observations; edges use distances without a bound."""
_UNREACHABLE = np.float32(1e9)
_FORECAST_TURNS = 8
"""Length of the forecast in units of edge weight."""
_MAX_PEOPLE = 1 << 28


class GraphBatch(NamedTuple):
    """N planets, M directed edges and R slots with a choice, of B graphs."""

    planets: Tensor
    """[N, `planet_features`] float32: observation, people on a logarithmic scale, clock, forecast, distances"""
    edges: Tensor
    """[M, 6] float32"""
    source: Tensor
    """[M] int32 rows of planets, ascending"""
    target: Tensor
    """[M] int32"""
    edge_offsets: Tensor
    """[N + 1] int32: planet p has the edges edge_offsets[p] .. edge_offsets[p + 1] - 1"""
    graph_offsets: Tensor
    """[B + 1] int32: graph b has the planets graph_offsets[b] .. graph_offsets[b + 1] - 1"""
    logit_offsets: Tensor
    """[M] int64: index of the edge's first fraction among the R * (C - 1) logits, -1 where the edge is illegal"""
    rows: Tensor
    """[R] int64: indices among the B * S slots of those that have a choice"""
    row_owners: Tensor
    """[R] int64: the planet of each of these slots; with actions="order" the graph"""


def planet_features(spec: ActionSpec) -> int:
    """Return the number of features of a planet."""
    features = planet_width(spec.limits.horizon)
    return 2 * features - layout.MY_PEOPLE + layout.CLOCK_WIDTH + FORECAST_FEATURES + DISTANCE_FEATURES


def collate(spec: ActionSpec, observation: Observation) -> GraphBatch:
    """Return the graphs of a padded ``observation`` on the CPU.

    ValueError for shapes and numbers that no environment with this ``spec`` gives.
    """
    planets, edges, index, clock, mask = (
        np.ascontiguousarray(observation[name].numpy())
        for name in ("planets", "edges", "edge_index", "clock", "action_mask")
    )
    B = len(planets)
    N, M = int((planets[..., layout.EXISTS] > 0).sum()), int((edges[..., layout.EDGE_EXISTS] > 0).sum())
    out = GraphBatch(
        torch.empty(N, planet_features(spec)),
        torch.empty(M, BATCH_EDGE_WIDTH),
        *(torch.empty(size, dtype=torch.int32) for size in (M, M, N + 1, B + 1)),
        *(torch.empty(size, dtype=torch.int64) for size in (M, B * spec.slots, B * spec.slots)),
    )
    arrays = [part.numpy() for part in out]
    workspace = _make_workspace(spec, planets.shape[1])
    _check_shapes(spec, planets, edges, index, clock, mask)
    if (wrong := _find_invalid(planets, edges, index, clock, spec.limits.degree)) >= 0:
        raise ValueError(
            f"observation {wrong} does not come from this environment: its numbers must be finite and not negative, its "
            f"planets and edges must come first, and its edges must be sorted by source, at most {spec.limits.degree} each"
        )
    R = _collate(
        planets, edges, index, clock, mask, spec.orders, spec.limits.degree, spec.fractions,
        spec.coexistence, spec.turns_per_weight, spec.masked, *workspace, *arrays,
    )  # fmt: skip
    return out._replace(rows=out.rows[:R], row_owners=out.row_owners[:R])


def _check_shapes(spec: ActionSpec, planets: Array, edges: Array, index: Array, clock: Array, mask: Array) -> None:
    """Raise ValueError for arrays that `_collate`, which checks no bounds, would read beyond."""
    shapes = tuple(part.shape for part in (planets, edges, index, clock, mask))
    B, P, E = len(planets), planets.shape[1], edges.shape[1]
    width = planet_width(spec.limits.horizon)
    entries = spec.per_slot if spec.orders else P * spec.per_slot
    right = (B, P, width), (B, E, layout.EDGE_WIDTH), (B, E, 2), (B, layout.CLOCK_WIDTH), (B, entries)
    if shapes != right or (spec.orders and entries != 1 + E * spec.fractions):
        raise ValueError(
            f"planets, edges, edge_index, clock and action_mask must have the shapes {right}, not {shapes}"
        )


@kernel
def _find_invalid(planets, edges, index, clock, degree):
    """Return the index of the first invalid observation, or -1; `_collate` uses the numbers of all others as indices."""
    for b in range(planets.shape[0]):
        if _is_invalid(planets[b], edges[b], index[b], clock[b], degree):
            return b
    return -1


@part
def _is_invalid(planets, edges, index, clock, degree):
    count, last, degree_so_far, ended = 0, 0, 0, False
    wrong = (
        _has_invalid_number(planets.reshape(-1)) | _has_invalid_number(edges.reshape(-1)) | _has_invalid_number(clock)
    )
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
    return wrong


@part
def _has_invalid_number(numbers):
    """Return whether a number is negative, infinite or NaN; without a branch, so that the loop is vectorised."""
    valid = 0
    for i in range(numbers.shape[0]):
        valid += (numbers[i] >= 0) & (numbers[i] < np.float32(np.inf))
    return valid < numbers.shape[0]


def _make_workspace(spec: ActionSpec, P: int) -> tuple[State, Board, Array, Array]:
    """Allocate arrays for one graph: state and board to play on, people [turn, side, planet], distances [target, planet]."""
    none, H = np.zeros((1, 1), np.int32), spec.limits.horizon
    people, arrivals = np.zeros((1, 2, P), np.int32), np.zeros((1, H + 1, 2, P), np.int32)
    state = State(people, arrivals, none[None], none, none, np.zeros(1, np.uint64))
    board = Board(none, np.zeros((1, 2, P), np.int32), np.zeros((1, P)), none[None], none)
    forecast = np.zeros((_FORECAST_TURNS * spec.turns_per_weight, 2, P), np.int32)
    return state, board, forecast, np.zeros((DISTANCE_FEATURES, P), np.float32)


@kernel
def _collate(
    planets, edges, index, clock, mask, orders, degree, K, coexistence, turns_per_weight, masked, state, board, forecast,
    distances, o_planets, o_edges, o_source, o_target, o_edge_offsets, o_graph_offsets, o_logit_offsets, o_rows, o_row_owners,
):  # fmt: skip
    """Fill the arrays of `GraphBatch` and return R, the number of slots with a choice."""
    B, P = planets.shape[:2]
    E, C = edges.shape[1], 1 + degree * K
    n, m, r = 0, 0, 0
    for b in range(B):
        begin, e = n, 0
        _forecast(planets[b], coexistence, state, board, forecast)
        _measure_distances(planets[b], edges[b], index[b], distances)
        o_graph_offsets[b] = n
        for p in range(P):
            if planets[b, p, layout.EXISTS] == 0:
                continue
            _planet_features(planets[b, p], clock[b], o_planets[n])
            _forecast_features(forecast, distances, p, o_planets[n])
            o_edge_offsets[n] = m
            able = not orders and (mask[b, p * C + 1] > 0 or not masked)
            if able:
                o_rows[r] = b * P + p
                o_row_owners[r] = n
            slot = 0
            while e < E and edges[b, e, layout.EDGE_EXISTS] > 0 and index[b, e, 0] == p:
                people, q = planets[b, p, layout.MY_PEOPLE], index[b, e, 1]
                _edge_features(edges[b, e], people, forecast, distances, turns_per_weight, p, q, o_edges[m])
                o_source[m] = n
                o_target[m] = begin + q
                o_logit_offsets[m] = -1
                if orders and (mask[b, 1 + e * K] > 0 or not masked):
                    o_logit_offsets[m] = (b * E + e) * K
                elif able:
                    o_logit_offsets[m] = (r * degree + slot) * K
                slot += 1
                e += 1
                m += 1
            r += able
            n += 1
        if orders:
            o_rows[r] = b
            o_row_owners[r] = b
            r += 1
    o_edge_offsets[n] = m
    o_graph_offsets[B] = n
    return r


@part
def _planet_features(features, clock, out):
    F, people = features.shape[0], features.shape[0] - layout.MY_PEOPLE
    for f in range(F):
        out[f] = features[f]
    for f in range(people):
        out[F + f] = _log_observed_people(features[layout.MY_PEOPLE + f])
    for f in range(layout.CLOCK_WIDTH):
        out[F + people + f] = clock[f]


@part
def _forecast(planets, coexistence, state, board, forecast):
    """Apply R3 to R7 with the visible shuttles in flight and no new orders; slots without a planet come last."""
    H = state.arrivals.shape[1] - 1
    count = 0
    for p in range(planets.shape[0]):
        if planets[p, layout.EXISTS] == 0:
            continue
        count = p + 1
        board.planets[0, SIZE, p] = _round_to_int(planets[p, layout.SIZE_FEATURE], layout.PEOPLE_SCALE)
        board.growth[0, p] = 1 + _round_to_int(planets[p, layout.HABITABILITY_FEATURE], layout.HABITABILITY_SCALE) / 100
        state.people[0, 0, p] = _round_to_int(planets[p, layout.MY_PEOPLE], layout.PEOPLE_SCALE)
        state.people[0, 1, p] = _round_to_int(planets[p, layout.OPPONENT_PEOPLE], layout.PEOPLE_SCALE)
        for h in range(H):
            state.arrivals[0, h, 0, p] = _round_to_int(planets[p, layout.ARRIVALS + h], layout.PEOPLE_SCALE)
            state.arrivals[0, h, 1, p] = _round_to_int(planets[p, layout.ARRIVALS + H + h], layout.PEOPLE_SCALE)
    for t in range(forecast.shape[0]):
        slot = t if t < H else H
        if coexistence:
            coexist(state, board, 0, 0, slot, count)
        else:
            battle(state, board, 0, 0, slot, count)
        for side in range(2):
            for p in range(count):
                forecast[t, side, p] = state.people[0, side, p]


@part
def _round_to_int(value, scale):
    return int(min(np.float32(_MAX_PEOPLE), value / np.float32(scale) + np.float32(0.5)))


@part
def _measure_distances(planets, edges, index, distances):
    """Write the shortest distances from every planet to both targets: Bellman and Ford, until nothing gets shorter."""
    opponent_seen = False
    for p in range(planets.shape[0]):
        opponent_seen |= planets[p, layout.OPPONENT] > 0
    for p in range(planets.shape[0]):
        hidden = planets[p, layout.EXISTS] > 0 and planets[p, layout.VISIBLE] == 0
        distances[0, p] = 0 if planets[p, layout.OPPONENT] > 0 or (hidden and not opponent_seen) else _UNREACHABLE
        distances[1, p] = 0 if planets[p, layout.NEUTRAL] > 0 or hidden else _UNREACHABLE
    for kind in range(DISTANCE_FEATURES):
        shorter = True
        while shorter:
            shorter = False
            for e in range(edges.shape[0]):
                if edges[e, layout.EDGE_EXISTS] == 0:
                    break
                distance = distances[kind, index[e, 1]] + edges[e, layout.EDGE_WEIGHT]
                if distance < distances[kind, index[e, 0]]:
                    distances[kind, index[e, 0]] = distance
                    shorter = True


@part
def _forecast_features(forecast, distances, p, out):
    last, at = forecast.shape[0] - 1, out.shape[0] - FORECAST_FEATURES - DISTANCE_FEATURES
    fewest, most = forecast[0, 0, p], forecast[0, 1, p]
    for t in range(1, last + 1):
        fewest, most = min(fewest, forecast[t, 0, p]), max(most, forecast[t, 1, p])
    out[at] = _log_people(forecast[last, 0, p])
    out[at + 1] = _log_people(forecast[last, 1, p])
    out[at + 2] = _log_people(fewest)
    out[at + 3] = _log_people(most)
    for kind in range(DISTANCE_FEATURES):
        out[at + FORECAST_FEATURES + kind] = min(_MAX_DISTANCE, distances[kind, p]) / _MAX_DISTANCE


@part
def _edge_features(features, at_source, forecast, distances, turns_per_weight, source, target, out):
    turns = min(forecast.shape[0], turns_per_weight * _round_to_int(features[layout.EDGE_WEIGHT], layout.WEIGHT_SCALE))
    mine, theirs = forecast[turns - 1, 0, target], forecast[turns - 1, 1, target]
    for kind in range(DISTANCE_FEATURES):
        out[kind] = (distances[kind, source] - distances[kind, target]) / features[layout.EDGE_WEIGHT]
    out[2] = features[layout.EDGE_WEIGHT]
    out[3] = _log_people(mine)
    out[4] = _log_people(theirs)
    out[5] = _log_observed_people(at_source) - _log_people(DEFENCE * theirs)


@part
def _log_people(people):
    """Return people on a logarithmic scale: 5 and 10 differ as much as 500 and 1000."""
    return np.float32(0.2) * np.float32(np.log1p(np.float32(people))) if people > 0 else np.float32(0)


@part
def _log_observed_people(hundreds):
    """Return `_log_people` of people in the unit of observations, hundreds."""
    return _log_people(np.float32(100) * hundreds)
