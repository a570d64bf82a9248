"""From padded observations to what exists: the planets and edges of a whole batch in a row, one compiled pass.

Boards of the training pool have 16 planets and 44 directed edges in the mean, where an observation has room for 21 and
72. The kernel stands alone in this file, whose changes Numba's cache notices by itself.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from planetwars_env.codec.layout import CLOCK_WIDTH, EDGE_EXISTS, EDGE_WIDTH, EXISTS, MY_FLIGHT, MY_PEOPLE, planet_width
from planetwars_env.engine.kernel import kernel, part
from planetwars_env.learn.choices import Choices

Observation = dict[str, Tensor]
"""The parts of observation="tensors", batched: planets [B, P, F], edges [B, E, G], edge_index [B, E, 2], clock [B, 2],
action_mask [B, A]."""

DETAILS = 2 * EDGE_WIDTH - MY_FLIGHT
"""Numbers that describe an edge: its features, and flights once more on a logarithmic scale."""


class Packed(NamedTuple):
    """N planets, M directed edges, R slots with a choice, of B boards."""

    planets: Tensor
    """[N, `planet_numbers`] float32: features, people once more on a logarithmic scale, the clock"""
    details: Tensor
    """[M, 6] float32"""
    source: Tensor
    """[M] int32 rows of planets, ascending"""
    target: Tensor
    """[M] int32"""
    first: Tensor
    """[N + 1] int32: the edges that leave planet p are first[p] .. first[p + 1] - 1"""
    first_planet: Tensor
    """[B + 1] int32: the planets of board b, likewise"""
    place: Tensor
    """[M] int64: where among the R * (C - 1) scores the edge's first fraction stands, -1 where it is not legal"""
    rows: Tensor
    """[R] int64: which of the B * S slots has a choice"""
    sender: Tensor
    """[R] int64: the planet of that slot; the board with actions="order" """


def planet_numbers(choices: Choices) -> int:
    """Numbers that describe a planet."""
    features = planet_width(choices.limits.horizon)
    return 2 * features - MY_PEOPLE + CLOCK_WIDTH


def pack(choices: Choices, observation: Observation) -> Packed:
    """``observation`` on the CPU, packed."""
    planets, edges, index, clock, mask = (
        np.ascontiguousarray(observation[name].numpy())
        for name in ("planets", "edges", "edge_index", "clock", "action_mask")
    )
    B, F = len(planets), planets.shape[2]
    N, M = int((planets[..., EXISTS] > 0).sum()), int((edges[..., EDGE_EXISTS] > 0).sum())
    out = Packed(
        torch.empty(N, 2 * F - MY_PEOPLE + CLOCK_WIDTH),
        torch.empty(M, DETAILS),
        *(torch.empty(size, dtype=torch.int32) for size in (M, M, N + 1, B + 1)),
        *(torch.empty(size, dtype=torch.int64) for size in (M, B * choices.slots, B * choices.slots)),
    )
    arrays = [part.numpy() for part in out]
    R = _pack(planets, edges, index, clock, mask, choices.orders, choices.limits.degree, choices.fractions, *arrays)
    return out._replace(rows=out.rows[:R], sender=out.sender[:R])


@kernel
def _pack(
    planets, edges, index, clock, mask, orders, degree, K,
    o_planets, o_details, o_source, o_target, o_first, o_first_planet, o_place, o_rows, o_sender,
):  # fmt: skip
    """Fill the arrays of `Packed`; how many slots have a choice."""
    B, P = planets.shape[:2]
    E, C = edges.shape[1], 1 + degree * K
    n, m, r = 0, 0, 0
    for b in range(B):
        begin, e = n, 0
        o_first_planet[b] = n
        for p in range(P):
            if planets[b, p, EXISTS] == 0:
                continue
            _planet(planets[b, p], clock[b], o_planets[n])
            o_first[n] = m
            able = not orders and mask[b, p * C + 1] > 0
            if able:
                o_rows[r] = b * P + p
                o_sender[r] = n
            slot = 0
            while e < E and edges[b, e, EDGE_EXISTS] > 0 and index[b, e, 0] == p:
                _edge(edges[b, e], o_details[m])
                o_source[m] = n
                o_target[m] = begin + index[b, e, 1]
                o_place[m] = -1
                if orders and mask[b, 1 + e * K] > 0:
                    o_place[m] = (b * E + e) * K
                elif able:
                    o_place[m] = (r * degree + slot) * K
                slot += 1
                e += 1
                m += 1
            r += able
            n += 1
        if orders:
            o_rows[r] = b
            o_sender[r] = b
            r += 1
    o_first[n] = m
    o_first_planet[B] = n
    return r


@part
def _planet(features, clock, out):
    F, people = features.shape[0], features.shape[0] - MY_PEOPLE
    for f in range(F):
        out[f] = features[f]
    for f in range(people):
        out[F + f] = _fine(features[MY_PEOPLE + f])
    for f in range(CLOCK_WIDTH):
        out[F + people + f] = clock[f]


@part
def _edge(features, out):
    for f in range(EDGE_WIDTH):
        out[f] = features[f]
    for f in range(MY_FLIGHT, EDGE_WIDTH):
        out[EDGE_WIDTH + f - MY_FLIGHT] = _fine(features[f])


@part
def _fine(people):
    """Hundreds of people on a logarithmic scale, where 5 and 10 differ as much as 500 and 1000 do."""
    return np.float32(0.2) * np.float32(np.log1p(np.float32(100) * people)) if people > 0 else np.float32(0)
