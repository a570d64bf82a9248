"""Value of more people on each planet, and its spread to the planets behind along shortest paths."""

import numpy as np

from planetwars_env.bots.bot_codes import AI3
from planetwars_env.bots.estimates import FORCE, FOREIGN, MANY, NEED, OWN, SPARE, SURPLUS, VALUE, VIA
from planetwars_env.engine.columns import HABITABILITY, TARGET, TURNS
from planetwars_env.engine.kernel import part

FRONT = 160
"""VALUE at a planet that there is reason to attack."""
BIRTHS = 16
"""VALUE of a planet with room for births, for each per cent of its habitability."""
TOLL = 4
"""Decay of VALUE along a path: ai3 counts the turns of a flight, ai2 the edges."""
SWEEPS = 3
"""Sweeps over all edges, there and back: enough to reach nearly every planet of a classic graph, and linear on any."""


@part
def survey(state, board, g, b, player, own, level, scratch):
    """VALUE of own planets for people from elsewhere, VIA which edge it lies (-1: here); FORCE that could meet on a planet."""
    for i in range(own):
        p = np.uintp(scratch[OWN, i])
        spare = max(0, scratch[SPARE, p])
        value = 0
        for e in range(np.uintp(board.edge_offsets[b, p]), np.uintp(board.edge_offsets[b, p + np.uintp(1)])):
            t = np.uintp(board.edges[b, TARGET, e])
            scratch[FORCE, t] = min(scratch[FORCE, t] + spare, MANY)
            if scratch[VALUE, t] == FOREIGN:
                if level >= AI3 and scratch[NEED, t] > 0:
                    value = max(value, FRONT - TOLL * board.edges[b, TURNS, e])
                elif level < AI3 and state.people[g, 1 - player, t] > 0:
                    value = FRONT
        if level >= AI3 and scratch[SURPLUS, p] <= 0:
            value = max(value, BIRTHS * board.planets[b, HABITABILITY, p])
        scratch[VALUE, p] = value
        scratch[VIA, p] = -1
    per_turn, per_edge = (TOLL, 0) if level >= AI3 else (0, TOLL)
    for sweep in range(SWEEPS):
        if not _relax(board, b, own, per_turn, per_edge, sweep & 1, scratch):
            break


@part
def _relax(board, b, own, per_turn, per_edge, backwards, scratch):
    """One sweep of Bellman and Ford over the own planets, there or back; whether anything rose."""
    values, target, turns, first = scratch[VALUE], board.edges[b, TARGET], board.edges[b, TURNS], board.edge_offsets[b]
    risen = False
    for i in range(own):
        p = np.uintp(scratch[OWN, own - 1 - i if backwards else i])
        best, via = values[p], -1
        for e in range(np.uintp(first[p]), np.uintp(first[p + np.uintp(1)])):
            value = values[np.uintp(target[e])] - per_turn * turns[e] - per_edge
            via = np.int64(e) if value > best else via
            best = max(value, best)
        if via >= 0:
            values[p] = best
            scratch[VIA, p] = via
            risen = True
    return risen
