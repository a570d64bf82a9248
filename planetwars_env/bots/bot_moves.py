"""Moves of ai1, ai2 and ai3: attacks and defence first, then surplus."""

import numpy as np

from planetwars_env.bots.bot_codes import AI1, AI3
from planetwars_env.bots.estimates import FORCE, GROWTH, MANY, NEED, OWN, ROOM, SPARE, SURPLUS, VALUE, VIA
from planetwars_env.bots.paths import BIRTHS
from planetwars_env.engine import columns
from planetwars_env.engine.kernel import part
from planetwars_env.engine.turn import send

ATTACKS = 4
"""Targets of one planet in one turn."""
RESTLESS = 50
"""By how much VALUE must be higher elsewhere for all that can be spared to go there, not only the surplus."""
WORTH_WAITING = 40
"""VALUE from which surplus waits on its planet instead of going round."""


@part
def give_orders(state, board, g, b, player, own, level, scratch):
    """Planet by planet: the best attacks that it can bear, then what is left over."""
    last = MANY
    if state.status[g, columns.COEXISTENCE] and state.status[g, columns.LIMIT] != columns.NO_LIMIT:
        # R10: whoever still flies when the game ends does not count.
        last = int(state.status[g, columns.LIMIT] - state.status[g, columns.TURN])
    for i in range(own):
        p = np.uintp(scratch[OWN, i])
        spare = int(scratch[SPARE, p])
        for attack in range(ATTACKS + 1):
            if spare <= 0:
                break
            e, people = -1, 0
            if attack < ATTACKS:
                e, people = _target(board, b, p, spare, last, level, scratch)
            done = e < 0
            if done:
                e, people = _outlet(state, board, g, b, p, spare, last, level, scratch)
            if e >= 0:
                send(state, board, g, player, int(e), people)
                scratch[NEED, board.edges[b, columns.TARGET, e]] -= people
                spare -= people
            if done:
                break


@part
def _target(board, b, p, spare, last, level, scratch):
    """The edge of p to the planet that gives most for the people and turns it takes, and how many go; -1: there is none."""
    best, best_need, best_value, best_cost = -1, 0, 0, 1
    for e in range(np.uintp(board.edge_offsets[b, p]), np.uintp(board.edge_offsets[b, p + np.uintp(1)])):
        t = np.uintp(board.edges[b, columns.TARGET, e])
        turns = int(board.edges[b, columns.TURNS, e])
        if scratch[NEED, t] <= 0 or turns > last:
            continue
        need = int(scratch[NEED, t]) + min(int(scratch[ROOM, t]), int(scratch[GROWTH, t]) * turns * 10 >> 10)
        reach = max(spare, int(scratch[FORCE, t])) if level >= AI3 else spare
        if need * 7 >> 3 > reach:
            continue
        value = 1
        if level != AI1:
            value = 256 + (int(board.planets[b, columns.SIZE, t]) * int(board.planets[b, columns.HABITABILITY, t]) >> 2)
        cost = need + turns
        if value * best_cost > best_value * cost:
            best, best_need, best_value, best_cost = np.int64(e), need, value, cost
    return best, spare if level == AI1 else min(spare, best_need * 7 >> 2)


@part
def _outlet(state, board, g, b, p, spare, last, level, scratch):
    """The edge of p for people without a target, and how many go; -1 where they stay."""
    first, end = int(board.edge_offsets[b, p]), int(board.edge_offsets[b, p + np.uintp(1)])
    people = min(spare, int(scratch[SURPLUS, p]))
    if level >= AI3 and scratch[VALUE, p] > BIRTHS * board.planets[b, columns.HABITABILITY, p] + RESTLESS:
        people = spare
    if people <= 0 or first == end:
        return -1, 0
    best = -1 if level == AI1 else int(scratch[VIA, p])
    if best < 0:
        roams = (
            level == AI1 or scratch[VALUE, p] < WORTH_WAITING or (level >= AI3 and state.status[g, columns.COEXISTENCE])
        )
        if not roams:
            return -1, 0
        # Round and round: whoever flies takes no room on a planet, and sooner or later somebody meets the opponent.
        best = first + (int(state.status[g, columns.TURN]) >> 1) % (end - first)
    if board.edges[b, columns.TURNS, best] > last:
        return -1, 0
    return best, people
