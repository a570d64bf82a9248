"""From padded observations to what exists: the planets and edges of a whole batch in a row, one compiled pass.

Boards of the training pool have 16 planets and 44 directed edges in the mean, where an observation has room for 21 and
72. The same pass plays the board on, with nothing but what already flies, and says who will have how many people where.
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
from planetwars_env.learn.action_spec import Choices

Observation = dict[str, Tensor]
"""The parts of observation="tensors", batched: planets [B, P, F], edges [B, E, G], edge_index [B, E, 2], clock [B, 2],
action_mask [B, A]."""

DETAILS = 6
"""Numbers that describe an edge: how straight it leads to the front and to free land (1 on a shortest way, -1 back), its
weight, the people of either side at its end when a shuttle launched now would land, and by how much all people at its source
exceed what takes the end."""
FORESEEN = 4
"""Numbers of a planet's future: the people of either side at last, the fewest of the viewer's, the most of the opponent's."""
GOALS = 2
"""What ways are measured to: the front (planets of the opponent; while none is seen, those unseen), and free land (neutral or
unseen planets)."""
_FAR = np.float32(3)
"""The longest way that a planet is told, in the unit of weights in observations; its edges are told what leads there at any."""
_NOWHERE = np.float32(1e9)
"""The way to what is not there."""
_AHEAD = 8
"""How far the future is followed: so many times the turns that an edge takes for each unit of its weight."""
_MANY = 1 << 28


class Packed(NamedTuple):
    """N planets, M directed edges, R slots with a choice, of B boards."""

    planets: Tensor
    """[N, `planet_numbers`] float32: features, people once more on a logarithmic scale, the clock, what is foreseen, ways"""
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
    return 2 * features - layout.MY_PEOPLE + layout.CLOCK_WIDTH + FORESEEN + GOALS


def pack(choices: Choices, observation: Observation) -> Packed:
    """``observation`` on the CPU, packed."""
    planets, edges, index, clock, mask = (
        np.ascontiguousarray(observation[name].numpy())
        for name in ("planets", "edges", "edge_index", "clock", "action_mask")
    )
    B = len(planets)
    N, M = int((planets[..., layout.EXISTS] > 0).sum()), int((edges[..., layout.EDGE_EXISTS] > 0).sum())
    out = Packed(
        torch.empty(N, planet_numbers(choices)),
        torch.empty(M, DETAILS),
        *(torch.empty(size, dtype=torch.int32) for size in (M, M, N + 1, B + 1)),
        *(torch.empty(size, dtype=torch.int64) for size in (M, B * choices.slots, B * choices.slots)),
    )
    arrays = [part.numpy() for part in out]
    future, ways = _future(choices, planets.shape[1]), np.zeros((GOALS, planets.shape[1]), np.float32)
    _check_shapes(choices, planets, edges, index, clock, mask)
    if (wrong := _find_fault(planets, edges, index, clock, choices.limits.degree)) >= 0:
        raise ValueError(
            f"observation {wrong} is none of these environments: its numbers must be finite and not negative, its planets and "
            f"edges come first, and its edges join them in the order of their source, {choices.limits.degree} of one at most"
        )
    R = _pack(
        planets, edges, index, clock, mask, choices.orders, choices.limits.degree, choices.fractions,
        choices.coexistence, choices.turns_per_weight, choices.masked, *future, ways, *arrays,
    )  # fmt: skip
    return out._replace(rows=out.rows[:R], sender=out.sender[:R])


def _check_shapes(choices: Choices, planets: Array, edges: Array, index: Array, clock: Array, mask: Array) -> None:
    """ValueError for arrays that `_pack`, which checks no bounds, would read beyond."""
    shapes = tuple(part.shape for part in (planets, edges, index, clock, mask))
    B, P, E = len(planets), planets.shape[1], edges.shape[1]
    width = planet_width(choices.limits.horizon)
    entries = choices.per_slot if choices.orders else P * choices.per_slot
    right = (B, P, width), (B, E, layout.EDGE_WIDTH), (B, E, 2), (B, layout.CLOCK_WIDTH), (B, entries)
    if shapes != right or (choices.orders and entries != 1 + E * choices.fractions):
        raise ValueError(
            f"planets, edges, edge_index, clock and action_mask must have the shapes {right}, not {shapes}"
        )


@kernel
def _find_fault(planets, edges, index, clock, degree):
    """The first board that is none, or -1: `_pack` takes the numbers of all others for places in its arrays."""
    for b in range(planets.shape[0]):
        if _is_faulty(planets[b], edges[b], index[b], clock[b], degree):
            return b
    return -1


@part
def _is_faulty(planets, edges, index, clock, degree):
    count, last, leaving, ended = 0, 0, 0, False
    wrong = _is_wild(planets.reshape(-1)) | _is_wild(edges.reshape(-1)) | _is_wild(clock)
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
        leaving = leaving + 1 if source == last else 1
        wrong |= leaving > degree
        last = source
    return wrong


@part
def _is_wild(numbers):
    """Whether one is below 0, infinite or not a number; without a branch, so that the compiler takes several at once."""
    tame = 0
    for i in range(numbers.shape[0]):
        tame += (numbers[i] >= 0) & (numbers[i] < np.float32(np.inf))
    return tame < numbers.shape[0]


def _future(choices: Choices, P: int) -> tuple[State, Board, Array]:
    """Room to play one board on: a position, the board, and people [turn, side, planet] on the turns to come."""
    none, H = np.zeros((1, 1), np.int32), choices.limits.horizon
    people, arrivals = np.zeros((1, 2, P), np.int32), np.zeros((1, H + 1, 2, P), np.int32)
    state = State(people, arrivals, none[None], none, none, np.zeros(1, np.uint64))
    board = Board(none, np.zeros((1, 2, P), np.int32), np.zeros((1, P)), none[None], none)
    return state, board, np.zeros((_AHEAD * choices.turns_per_weight, 2, P), np.int32)


@kernel
def _pack(
    planets, edges, index, clock, mask, orders, degree, K, coexistence, pace, masked, state, board, ahead, ways,
    o_planets, o_details, o_source, o_target, o_first, o_first_planet, o_place, o_rows, o_sender,
):  # fmt: skip
    """Fill the arrays of `Packed`; how many slots have a choice."""
    B, P = planets.shape[:2]
    E, C = edges.shape[1], 1 + degree * K
    n, m, r = 0, 0, 0
    for b in range(B):
        begin, e = n, 0
        _foresee(planets[b], coexistence, state, board, ahead)
        _measure(planets[b], edges[b], index[b], ways)
        o_first_planet[b] = n
        for p in range(P):
            if planets[b, p, layout.EXISTS] == 0:
                continue
            _planet(planets[b, p], clock[b], o_planets[n])
            _prospects(ahead, ways, p, o_planets[n])
            o_first[n] = m
            able = not orders and (mask[b, p * C + 1] > 0 or not masked)
            if able:
                o_rows[r] = b * P + p
                o_sender[r] = n
            slot = 0
            while e < E and edges[b, e, layout.EDGE_EXISTS] > 0 and index[b, e, 0] == p:
                _edge(edges[b, e], planets[b, p, layout.MY_PEOPLE], ahead, ways, pace, p, index[b, e, 1], o_details[m])
                o_source[m] = n
                o_target[m] = begin + index[b, e, 1]
                o_place[m] = -1
                if orders and (mask[b, 1 + e * K] > 0 or not masked):
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
    F, people = features.shape[0], features.shape[0] - layout.MY_PEOPLE
    for f in range(F):
        out[f] = features[f]
    for f in range(people):
        out[F + f] = _fine(features[layout.MY_PEOPLE + f])
    for f in range(layout.CLOCK_WIDTH):
        out[F + people + f] = clock[f]


@part
def _foresee(planets, coexistence, state, board, ahead):
    """R3 to R7 on all planets with nothing but what already flies, as far as it is seen; slots without a planet come last."""
    H = state.arrivals.shape[1] - 1
    count = 0
    for p in range(planets.shape[0]):
        if planets[p, layout.EXISTS] == 0:
            continue
        count = p + 1
        board.planets[0, SIZE, p] = _whole(planets[p, layout.SIZE_FEATURE], layout.PEOPLE_SCALE)
        board.growth[0, p] = 1 + _whole(planets[p, layout.HABITABILITY_FEATURE], layout.HABITABILITY_SCALE) / 100
        state.people[0, 0, p] = _whole(planets[p, layout.MY_PEOPLE], layout.PEOPLE_SCALE)
        state.people[0, 1, p] = _whole(planets[p, layout.OPPONENT_PEOPLE], layout.PEOPLE_SCALE)
        for h in range(H):
            state.arrivals[0, h, 0, p] = _whole(planets[p, layout.ARRIVALS + h], layout.PEOPLE_SCALE)
            state.arrivals[0, h, 1, p] = _whole(planets[p, layout.ARRIVALS + H + h], layout.PEOPLE_SCALE)
    for t in range(ahead.shape[0]):
        slot = t if t < H else H
        if coexistence:
            coexist(state, board, 0, 0, slot, count)
        else:
            battle(state, board, 0, 0, slot, count)
        for side in range(2):
            for p in range(count):
                ahead[t, side, p] = state.people[0, side, p]


@part
def _whole(value, scale):
    return int(min(np.float32(_MANY), value / np.float32(scale) + np.float32(0.5)))


@part
def _measure(planets, edges, index, ways):
    """The shortest way from every planet to every goal, by going over the edges until nothing gets shorter."""
    opponent_seen = False
    for p in range(planets.shape[0]):
        opponent_seen |= planets[p, layout.OPPONENT] > 0
    for p in range(planets.shape[0]):
        hidden = planets[p, layout.EXISTS] > 0 and planets[p, layout.VISIBLE] == 0
        ways[0, p] = 0 if planets[p, layout.OPPONENT] > 0 or (hidden and not opponent_seen) else _NOWHERE
        ways[1, p] = 0 if planets[p, layout.NEUTRAL] > 0 or hidden else _NOWHERE
    for goal in range(GOALS):
        shorter = True
        while shorter:
            shorter = False
            for e in range(edges.shape[0]):
                if edges[e, layout.EDGE_EXISTS] == 0:
                    break
                way = ways[goal, index[e, 1]] + edges[e, layout.EDGE_WEIGHT]
                if way < ways[goal, index[e, 0]]:
                    ways[goal, index[e, 0]] = way
                    shorter = True


@part
def _prospects(ahead, ways, p, out):
    last, at = ahead.shape[0] - 1, out.shape[0] - FORESEEN - GOALS
    fewest, most = ahead[0, 0, p], ahead[0, 1, p]
    for t in range(1, last + 1):
        fewest, most = min(fewest, ahead[t, 0, p]), max(most, ahead[t, 1, p])
    out[at] = _logarithm(ahead[last, 0, p])
    out[at + 1] = _logarithm(ahead[last, 1, p])
    out[at + 2] = _logarithm(fewest)
    out[at + 3] = _logarithm(most)
    for goal in range(GOALS):
        out[at + FORESEEN + goal] = min(_FAR, ways[goal, p]) / _FAR


@part
def _edge(features, at_source, ahead, ways, pace, source, target, out):
    turns = min(ahead.shape[0], pace * _whole(features[layout.EDGE_WEIGHT], layout.WEIGHT_SCALE))
    mine, opponents = ahead[turns - 1, 0, target], ahead[turns - 1, 1, target]
    for goal in range(GOALS):
        out[goal] = (ways[goal, source] - ways[goal, target]) / features[layout.EDGE_WEIGHT]
    out[2] = features[layout.EDGE_WEIGHT]
    out[3] = _logarithm(mine)
    out[4] = _logarithm(opponents)
    out[5] = _fine(at_source) - _logarithm(DEFENCE * opponents)


@part
def _logarithm(people):
    """On a logarithmic scale, where 5 and 10 people differ as much as 500 and 1000 do."""
    return np.float32(0.2) * np.float32(np.log1p(np.float32(people))) if people > 0 else np.float32(0)


@part
def _fine(hundreds):
    """The same of people as observations have them."""
    return _logarithm(np.float32(100) * hundreds)
