"""What a bot reckons about every planet before it moves: who will land, what it can spare, what a capture would take.

The numbers of planets that the player neither owns nor borders are made along with the rest, since a loop without
questions is the fastest; no decision ever reads them (R9, tests/test_bots.py).
"""

import numpy as np

from planetwars_env.bots.codes import AI1, AI2, AI3
from planetwars_env.engine.kernel import part
from planetwars_env.engine.state import COEXISTENCE, HABITABILITY, SIZE

# rows of the notepad, one number a planet
OWN, FRIENDS, FOES, SPARE, SURPLUS, NEED, GROWTH, ROOM, FORCE, VALUE, VIA = range(11)

MANY = 1 << 28
"""Larger numbers of people are taken for this one, so that no sum leaves 32 bits."""
FOREIGN = -MANY
"""VALUE of a planet that is not the player's own."""


@part
def count_arrivals(state, g, player, planets, scratch):
    """Everybody flying to each planet: FRIENDS and FOES."""
    for p in range(planets):
        scratch[FRIENDS, p] = 0
        scratch[FOES, p] = 0
    for slot in range(state.arrivals.shape[1]):
        for p in range(planets):
            friends = np.int32(min(state.arrivals[g, slot, player, p], MANY))
            foes = np.int32(min(state.arrivals[g, slot, 1 - player, p], MANY))
            scratch[FRIENDS, p] = min(scratch[FRIENDS, p] + friends, MANY)
            scratch[FOES, p] = min(scratch[FOES, p] + foes, MANY)


@part
def assess(state, board, g, b, player, planets, level, scratch):
    """SPARE and SURPLUS of own planets, NEED, GROWTH and ROOM of all; OWN lists the own ones, whose number is returned."""
    coexistence = state.clock[g, COEXISTENCE]
    own = 0
    for p in range(planets):
        mine = int(min(state.people[g, player, p], MANY))
        theirs = int(min(state.people[g, 1 - player, p], MANY))
        friends, foes = int(scratch[FRIENDS, p]), int(scratch[FOES, p])
        size, rate = int(board.planets[b, SIZE, p]), int(board.planets[b, HABITABILITY, p])
        scratch[FORCE, p] = 0
        scratch[GROWTH, p] = 0
        scratch[ROOM, p] = max(0, size - theirs)
        if mine <= theirs:
            need = theirs + foes - mine - friends + 1
            if coexistence:
                # R6: beyond the room that the owner leaves, newcomers are lost.
                need = need if need <= size - theirs and mine + theirs < size else 0
            elif theirs > 0:
                need, scratch[GROWTH, p] = _conquest(theirs, foes, friends, rate, level)
            scratch[NEED, p] = need
            scratch[VALUE, p] = FOREIGN
            continue
        scratch[OWN, own] = p
        own += 1
        if coexistence:
            keep = theirs + min(foes, max(0, size - mine)) - friends + 1
        else:
            keep = foes - friends - (foes >> 4)
        scratch[NEED, p] = keep - mine
        scratch[VALUE, p] = 0
        people = mine + theirs
        if level == AI3:
            spare = mine - max(keep, 1)
            surplus = people + friends - size + (size * rate >> 6)
            surplus = 2 * surplus if surplus > 0 else 0
        elif level == AI2:
            spare = mine - max(keep, 4)
            surplus = spare - (spare >> 3) if people >= size else 0
        else:
            spare = max(0, mine - 9) * 3 >> 2
            surplus = spare >> 2 if people >= size else 0
        scratch[SPARE, p] = spare
        scratch[SURPLUS, p] = min(spare, surplus)
    return own


@part
def _conquest(theirs, foes, friends, rate, level):
    """R5: people that take a rival's planet now, and by how many hundredths that rises with every turn of flight."""
    need = theirs + foes + (theirs + foes >> 3) + 1
    if level == AI1:
        return need, 0
    growth = min(theirs * rate + 100, MANY)
    # Friends who arrive too few will be dead, so they count half until they are enough.
    return need - (friends if need + (growth >> 6) < friends else friends >> 1), growth
