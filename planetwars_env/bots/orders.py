"""What ai1, ai2 and ai3 send: attacks and defence first, then surplus."""

import numpy as np

from planetwars_env.bots.codes import AI1, AI3
from planetwars_env.bots.estimates import FORCE, GROWTH, MANY, NEED, OWN, ROOM, SPARE, SURPLUS, VALUE, VIA
from planetwars_env.bots.paths import YIELD
from planetwars_env.engine.kernel import part
from planetwars_env.engine.state import COEXISTENCE, HABITABILITY, LIMIT, SIZE, TARGET, TURN, TURNS
from planetwars_env.engine.turn import send

ATTACKS = 4
RESTLESS = 50


@part
def give_orders(state, board, g, b, player, own, level, scratch):
    """Planet by planet: the best attacks that it can bear, then what is left over."""
    last = MANY
    if state.clock[g, COEXISTENCE]:
        last = state.clock[g, LIMIT] - state.clock[g, TURN]
    for i in range(own):
        p = np.uintp(scratch[OWN, i])
        spare = int(scratch[SPARE, p])
        full = state.people[g, player, p] >= board.planets[b, SIZE, p]
        for _ in range(ATTACKS):
            if spare <= 0:
                break
            e, need = _target(state, board, g, b, p, spare, full, last, level, scratch)
            if e < 0:
                break
            sent = spare if level == AI1 else min(spare, need * 7 >> 2)
            send(state, board, g, player, e, sent)
            scratch[NEED, board.edges[b, TARGET, e]] -= sent
            spare -= sent
        if spare > 0:
            e, people = _outlet(state, board, g, b, p, spare, last, level, scratch)
            if e >= 0:
                send(state, board, g, player, e, people)


@part
def _target(state, board, g, b, p, spare, full, last, level, scratch):
    """The edge of p to the planet that gives most for the people and turns it costs, and the people; -1 where none can be had."""
    best, best_need, best_value, best_cost = -1, 0, 0, 1
    for e in range(np.uintp(board.first[b, p]), np.uintp(board.first[b, p + np.uintp(1)])):
        t = np.uintp(board.edges[b, TARGET, e])
        turns = board.edges[b, TURNS, e]
        if scratch[NEED, t] <= 0 or turns > last:
            continue
        need = scratch[NEED, t] + min(int(scratch[ROOM, t]), int(scratch[GROWTH, t]) * turns * 10 >> 10)
        reach = spare
        if level == AI3:
            reach = max(spare, int(scratch[FORCE, t]))
        if need * 7 >> 3 > reach and not (full and level == AI1):
            continue
        value = 1
        if level != AI1:
            value = 256 + (int(board.planets[b, SIZE, t]) * board.planets[b, HABITABILITY, t] >> 2)
        cost = need + turns
        if value * best_cost > best_value * cost:
            best, best_need, best_value, best_cost = int(e), need, value, cost
    return best, best_need


@part
def _outlet(state, board, g, b, p, spare, last, level, scratch):
    """The edge of p for people without a target, and how many go; -1 where they stay."""
    first, end = board.first[b, p], board.first[b, p + np.uintp(1)]
    people = min(spare, int(scratch[SURPLUS, p]))
    if level == AI3 and scratch[VALUE, p] > YIELD * board.planets[b, HABITABILITY, p] + RESTLESS:
        people = spare
    if people <= 0 or first == end:
        return -1, 0
    best = scratch[VIA, p] if level != AI1 else -1
    if best < 0:
        if level != AI1 and scratch[VALUE, p] >= 40 and not (level == AI3 and state.clock[g, COEXISTENCE]):
            return -1, 0
        best = first + (state.clock[g, TURN] >> 1) % (end - first)
    if board.edges[b, TURNS, best] > last:
        return -1, 0
    return best, people
