"""What an agent is shown, held against the position number by number: mask, planets, edges and clock.

The layout is that of codec/layout.py; the values are read here a second time, planet by planet and flight by flight.
"""

import numpy as np

from planetwars_env.codec.layout import (
    ARRIVALS,
    CLOCK_WIDTH,
    DEGREE,
    EDGE_EXISTS,
    EDGE_SLOTS,
    EDGE_WEIGHT,
    EDGE_WIDTH,
    EXISTS,
    FRACTIONS,
    GROWTH_FEATURE,
    GROWTH_SCALE,
    MAX_ORDERS,
    MINE,
    MY_BASE,
    MY_FLIGHT,
    MY_PEOPLE,
    NEUTRAL,
    PEOPLE_SCALE,
    PLANET_SLOTS,
    RIVAL,
    RIVAL_BASE,
    RIVAL_FLIGHT,
    RIVAL_PEOPLE,
    SIZE_FEATURE,
    VISIBLE,
    WEIGHT_SCALE,
    Codec,
)
from planetwars_env.engine.kernel import part
from planetwars_env.engine.state import (
    BASE_1,
    BASE_2,
    BOARD,
    EDGES,
    HABITABILITY,
    LIMIT,
    PLANETS,
    RUNNING,
    SIZE,
    SOURCE,
    STATUS,
    TARGET,
    TURN,
    TURNS,
    WEIGHT,
    Array,
    Board,
    State,
)
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
    b = state.clock[g, BOARD]
    _gather(state, board, g, b, me, seen, bins, aloft, horizon)
    _check_mask(state, board, codec, g, b, me, seen, mask, fault)
    _check_planets(state, board, codec, g, b, me, seen, bins, row, horizon, fault)
    slots, edge_slots = codec.sizes[PLANET_SLOTS], codec.sizes[EDGE_SLOTS]
    edges_at = slots * (ARRIVALS + 2 * horizon)
    clock_at = edges_at + edge_slots * EDGE_WIDTH
    _check_edges(board, codec, g, b, aloft, row[edges_at:clock_at], edge_index, edge_slots, fault)
    own_turns = (state.clock[g, TURN] + 1) // 2 if me == 0 else state.clock[g, TURN] // 2
    _check(fault, g, CLOCK_SHOWN, 0, own_turns * 2 / state.clock[g, LIMIT], row[clock_at])
    given = orders / codec.sizes[MAX_ORDERS] if codec.sizes[MAX_ORDERS] else 0.0
    _check(fault, g, CLOCK_SHOWN, 1, given, row[clock_at + CLOCK_WIDTH - 1])


@part
def _check(fault, g, code, where, expected, found):
    """A number as a float32 shows it."""
    if not abs(found - expected) <= _EXACT * abs(expected):
        fail(fault, g, code, where, int(1000 * expected), int(1000 * found))


@part
def _gather(state, board, g, b, me, seen, bins, aloft, horizon):
    """What flies to visible planets: by landing and planet, mine first, and by edge."""
    for p in range(bins.shape[1]):
        for i in range(2 * horizon):
            bins[i, p] = 0
    for e in range(aloft.shape[1]):
        aloft[0, e] = aloft[1, e] = 0
    slots, turn = state.flights.shape[1], state.clock[g, TURN]
    for slot in range(slots):
        to_go = (slot - turn - 1) % slots + 1
        bin = min(to_go, horizon) - 1
        for e in range(board.info[b, EDGES]):
            people, target = state.flights[g, slot, e], board.edges[b, TARGET, e]
            if people > 0 and seen[target]:
                side = 0 if flier(turn, slot, slots, board.edges[b, TURNS, e]) == me else 1
                bins[side * horizon + bin, target] += people
                aloft[side, e] += people


@part
def _check_mask(state, board, codec, g, b, me, seen, mask, fault):
    """Every entry: R8 allows the move and R9 shows its source; waiting is always allowed."""
    choices, orders = codec.sizes[FRACTIONS], codec.sizes[MAX_ORDERS]
    allowed = 0
    for p in range(board.info[b, PLANETS]):
        able = state.clock[g, STATUS] == RUNNING and seen[p] == 1 and state.people[g, me, p] > 0
        for e in range(board.first[b, p], board.first[b, p + 1]):
            slot = e - board.first[b, p]
            if board.edges[b, SOURCE, e] != p:
                fail(fault, g, MASK, e, p, board.edges[b, SOURCE, e])
            at = 1 + e * choices if orders else p * (1 + codec.sizes[DEGREE] * choices) + 1 + slot * choices
            for k in range(choices):
                if mask[at + k] != able:
                    fail(fault, g, MASK, at + k, able, mask[at + k])
            allowed += choices if able else 0
    waits = 1 if orders else codec.sizes[PLANET_SLOTS]
    for i in range(waits):
        at = i * (1 + codec.sizes[DEGREE] * choices)
        if mask[at] != 1:
            fail(fault, g, MASK, at, 1, mask[at])
    found = 0
    for i in range(mask.shape[0]):
        found += mask[i]
    if found != allowed + waits:
        fail(fault, g, MASK, -1, allowed + waits, found)


@part
def _check_planets(state, board, codec, g, b, me, seen, bins, row, horizon, fault):
    slots = codec.sizes[PLANET_SLOTS]
    my_base, rival_base = board.info[b, BASE_1 if me == 0 else BASE_2], board.info[b, BASE_2 if me == 0 else BASE_1]
    for p in range(slots):
        there = p < board.info[b, PLANETS]
        known = there and seen[p] == 1
        _check(fault, g, PLANET_SHOWN, EXISTS * slots + p, 1.0 if there else 0.0, row[EXISTS * slots + p])
        _check(fault, g, PLANET_SHOWN, VISIBLE * slots + p, 1.0 if known else 0.0, row[VISIBLE * slots + p])
        if not known:
            for i in range(MINE, ARRIVALS + 2 * horizon):
                _check(fault, g, PLANET_SHOWN, i * slots + p, 0.0, row[i * slots + p])
            continue
        mine, rivals = np.int64(state.people[g, me, p]), np.int64(state.people[g, 1 - me, p])
        size, habitability = board.planets[b, SIZE, p], board.planets[b, HABITABILITY, p]
        _check(fault, g, PLANET_SHOWN, MINE * slots + p, 1.0 if mine > rivals else 0.0, row[MINE * slots + p])
        _check(fault, g, PLANET_SHOWN, RIVAL * slots + p, 1.0 if mine < rivals else 0.0, row[RIVAL * slots + p])
        _check(fault, g, PLANET_SHOWN, NEUTRAL * slots + p, 1.0 if mine == rivals else 0.0, row[NEUTRAL * slots + p])
        _check(fault, g, PLANET_SHOWN, MY_BASE * slots + p, 1.0 if p == my_base else 0.0, row[MY_BASE * slots + p])
        _check(
            fault, g, PLANET_SHOWN, RIVAL_BASE * slots + p, 1.0 if p == rival_base else 0.0, row[RIVAL_BASE * slots + p]
        )
        _check(fault, g, PLANET_SHOWN, MY_PEOPLE * slots + p, mine * PEOPLE_SCALE, row[MY_PEOPLE * slots + p])
        _check(fault, g, PLANET_SHOWN, RIVAL_PEOPLE * slots + p, rivals * PEOPLE_SCALE, row[RIVAL_PEOPLE * slots + p])
        _check(fault, g, PLANET_SHOWN, SIZE_FEATURE * slots + p, size * PEOPLE_SCALE, row[SIZE_FEATURE * slots + p])
        _check(
            fault,
            g,
            PLANET_SHOWN,
            GROWTH_FEATURE * slots + p,
            habitability * GROWTH_SCALE,
            row[GROWTH_FEATURE * slots + p],
        )
        for i in range(2 * horizon):
            _check(
                fault,
                g,
                PLANET_SHOWN,
                (ARRIVALS + i) * slots + p,
                bins[i, p] * PEOPLE_SCALE,
                row[(ARRIVALS + i) * slots + p],
            )


@part
def _check_edges(board, codec, g, b, aloft, numbers, edge_index, slots, fault):
    for e in range(slots):
        there = e < board.info[b, EDGES]
        weight = board.edges[b, WEIGHT, e] * WEIGHT_SCALE if there else 0.0
        source, target = (board.edges[b, SOURCE, e], board.edges[b, TARGET, e]) if there else (0, 0)
        _check(fault, g, EDGE_SHOWN, EDGE_EXISTS * slots + e, 1.0 if there else 0.0, numbers[EDGE_EXISTS * slots + e])
        _check(fault, g, EDGE_SHOWN, EDGE_WEIGHT * slots + e, weight, numbers[EDGE_WEIGHT * slots + e])
        mine, rivals = (aloft[0, e] * PEOPLE_SCALE, aloft[1, e] * PEOPLE_SCALE) if there else (0.0, 0.0)
        _check(fault, g, EDGE_SHOWN, MY_FLIGHT * slots + e, mine, numbers[MY_FLIGHT * slots + e])
        _check(fault, g, EDGE_SHOWN, RIVAL_FLIGHT * slots + e, rivals, numbers[RIVAL_FLIGHT * slots + e])
        if edge_index[e, 0] != source or edge_index[e, 1] != target:
            fail(fault, g, EDGE_SHOWN, e, source, edge_index[e, 0])
