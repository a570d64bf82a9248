"""Audit of observations: mask, planets, edges and clock are compared with the position number by number.

The layout is that of codec/layout.py; the values are read here a second time, planet by planet and flight by flight.
"""

import numpy as np

from planetwars_env.codec import layout
from planetwars_env.codec.layout import Codec
from planetwars_env.engine import columns
from planetwars_env.engine.kernel import part
from planetwars_env.engine.state import Array, Board, State
from scripts.verification.fault_codes import CLOCK_SHOWN, EDGE_SHOWN, MASK, PLANET_SHOWN, fail
from scripts.verification.reference_rules import flier

_EXACT = 2e-6
"""Of its value: how far a float32 may lie from the number that it shows."""


@part
def check_shown(
    state: State,
    board: Board,
    codec: Codec,
    g: int,
    me: int,
    orders: int,
    seen: Array,
    bins: Array,
    aloft: Array,
    fault: Array,
    row: Array,
    edge_index: Array,
    mask: Array,
    horizon: int,
) -> None:
    """``row`` [L], ``edge_index`` [E, 2] and ``mask`` [A] of player ``me`` (0, 1), who sees ``seen`` [P] of the position.

    ``bins`` [2 * H, P] and ``aloft`` [2, E] are room to reckon in; the first difference goes into ``fault``.
    """
    b = state.status[g, columns.BOARD]
    _gather(state, board, g, b, me, seen, bins, aloft, horizon)
    _check_mask(state, board, codec, g, b, me, seen, mask, fault)
    _check_planets(state, board, codec, g, b, me, seen, bins, row, horizon, fault)
    slots, edge_slots = codec.sizes[layout.PLANET_SLOTS], codec.sizes[layout.EDGE_SLOTS]
    edges_at = slots * (layout.ARRIVALS + 2 * horizon)
    clock_at = edges_at + edge_slots * layout.EDGE_WIDTH
    _check_edges(board, codec, g, b, aloft, row[edges_at:clock_at], edge_index, edge_slots, fault)
    own_turns = (state.status[g, columns.TURN] + 1) // 2 if me == 0 else state.status[g, columns.TURN] // 2
    _check(fault, g, CLOCK_SHOWN, row, clock_at, own_turns * 2 / state.status[g, columns.LIMIT])
    given = orders / codec.sizes[layout.MAX_ORDERS] if codec.sizes[layout.MAX_ORDERS] else 0.0
    _check(fault, g, CLOCK_SHOWN, row, clock_at + layout.CLOCK_WIDTH - 1, given)


@part
def _check(fault, g, code, numbers, where, expected):
    """Number ``where``, as a float32 shows it."""
    found = numbers[where]
    if not abs(found - expected) <= _EXACT * abs(expected):
        fail(fault, g, code, where, int(1000 * expected), int(1000 * found))


@part
def _gather(state, board, g, b, me, seen, bins, aloft, horizon):
    """People in flight to visible planets: by landing and planet, the agent's own first, and by edge."""
    for p in range(bins.shape[1]):
        for i in range(2 * horizon):
            bins[i, p] = 0
    for e in range(aloft.shape[1]):
        aloft[0, e] = aloft[1, e] = 0
    slots, turn = state.flights.shape[1], state.status[g, columns.TURN]
    for slot in range(slots):
        to_go = (slot - turn - 1) % slots + 1
        bin = min(to_go, horizon) - 1
        for e in range(board.info[b, columns.EDGES]):
            people, target = state.flights[g, slot, e], board.edges[b, columns.TARGET, e]
            if people > 0 and seen[target]:
                side = 0 if flier(turn, slot, slots, board.edges[b, columns.TURNS, e]) == me else 1
                bins[side * horizon + bin, target] += people
                aloft[side, e] += people


@part
def _check_mask(state, board, codec, g, b, me, seen, mask, fault):
    """Every entry: R8 allows the move and R9 shows its source; waiting is always allowed."""
    choices, orders = codec.sizes[layout.FRACTION_COUNT], codec.sizes[layout.MAX_ORDERS]
    allowed = 0
    for p in range(board.info[b, columns.PLANETS]):
        able = state.status[g, columns.PHASE] == columns.RUNNING and seen[p] == 1 and state.people[g, me, p] > 0
        for e in range(board.edge_offsets[b, p], board.edge_offsets[b, p + 1]):
            slot = e - board.edge_offsets[b, p]
            if board.edges[b, columns.SOURCE, e] != p:
                fail(fault, g, MASK, e, p, board.edges[b, columns.SOURCE, e])
            at = 1 + e * choices if orders else p * (1 + codec.sizes[layout.DEGREE] * choices) + 1 + slot * choices
            for k in range(choices):
                if mask[at + k] != able:
                    fail(fault, g, MASK, at + k, able, mask[at + k])
            allowed += choices if able else 0
    waits = 1 if orders else codec.sizes[layout.PLANET_SLOTS]
    for i in range(waits):
        at = i * (1 + codec.sizes[layout.DEGREE] * choices)
        if mask[at] != 1:
            fail(fault, g, MASK, at, 1, mask[at])
    found = 0
    for i in range(mask.shape[0]):
        found += mask[i]
    if found != allowed + waits:
        fail(fault, g, MASK, -1, allowed + waits, found)


@part
def _check_planets(state, board, codec, g, b, me, seen, bins, row, horizon, fault):
    slots = codec.sizes[layout.PLANET_SLOTS]
    my_base, opponent_base = (
        board.info[b, columns.BASE_1 if me == 0 else columns.BASE_2],
        board.info[b, columns.BASE_2 if me == 0 else columns.BASE_1],
    )
    for p in range(slots):
        there = p < board.info[b, columns.PLANETS]
        known = there and seen[p] == 1
        _check(fault, g, PLANET_SHOWN, row, layout.EXISTS * slots + p, 1.0 if there else 0.0)
        _check(fault, g, PLANET_SHOWN, row, layout.VISIBLE * slots + p, 1.0 if known else 0.0)
        if not known:
            for i in range(layout.MINE, layout.ARRIVALS + 2 * horizon):
                _check(fault, g, PLANET_SHOWN, row, i * slots + p, 0.0)
            continue
        mine, opponents = np.int64(state.people[g, me, p]), np.int64(state.people[g, 1 - me, p])
        size, habitability = board.planets[b, columns.SIZE, p], board.planets[b, columns.HABITABILITY, p]
        _check(fault, g, PLANET_SHOWN, row, layout.MINE * slots + p, 1.0 if mine > opponents else 0.0)
        _check(fault, g, PLANET_SHOWN, row, layout.OPPONENT * slots + p, 1.0 if mine < opponents else 0.0)
        _check(fault, g, PLANET_SHOWN, row, layout.NEUTRAL * slots + p, 1.0 if mine == opponents else 0.0)
        _check(fault, g, PLANET_SHOWN, row, layout.MY_BASE * slots + p, 1.0 if p == my_base else 0.0)
        _check(fault, g, PLANET_SHOWN, row, layout.OPPONENT_BASE * slots + p, 1.0 if p == opponent_base else 0.0)
        _check(fault, g, PLANET_SHOWN, row, layout.MY_PEOPLE * slots + p, mine * layout.PEOPLE_SCALE)
        _check(fault, g, PLANET_SHOWN, row, layout.OPPONENT_PEOPLE * slots + p, opponents * layout.PEOPLE_SCALE)
        _check(fault, g, PLANET_SHOWN, row, layout.SIZE_FEATURE * slots + p, size * layout.PEOPLE_SCALE)
        _check(
            fault,
            g,
            PLANET_SHOWN,
            row,
            layout.HABITABILITY_FEATURE * slots + p,
            habitability * layout.HABITABILITY_SCALE,
        )
        for i in range(2 * horizon):
            _check(fault, g, PLANET_SHOWN, row, (layout.ARRIVALS + i) * slots + p, bins[i, p] * layout.PEOPLE_SCALE)


@part
def _check_edges(board, codec, g, b, aloft, numbers, edge_index, slots, fault):
    for e in range(slots):
        there = e < board.info[b, columns.EDGES]
        weight = board.edges[b, columns.WEIGHT, e] * layout.WEIGHT_SCALE if there else 0.0
        source, target = (board.edges[b, columns.SOURCE, e], board.edges[b, columns.TARGET, e]) if there else (0, 0)
        _check(fault, g, EDGE_SHOWN, numbers, layout.EDGE_EXISTS * slots + e, 1.0 if there else 0.0)
        _check(fault, g, EDGE_SHOWN, numbers, layout.EDGE_WEIGHT * slots + e, weight)
        mine, opponents = (
            (aloft[0, e] * layout.PEOPLE_SCALE, aloft[1, e] * layout.PEOPLE_SCALE) if there else (0.0, 0.0)
        )
        _check(fault, g, EDGE_SHOWN, numbers, layout.MY_FLIGHT * slots + e, mine)
        _check(fault, g, EDGE_SHOWN, numbers, layout.OPPONENT_FLIGHT * slots + e, opponents)
        if edge_index[e, 0] != source or edge_index[e, 1] != target:
            fail(fault, g, EDGE_SHOWN, e, source, edge_index[e, 0])
