"""Estimates of a bot for every planet before it moves: landings, people to spare, and the cost of a capture.

The numbers of planets that the player neither owns nor borders are made along with the rest, since a loop that asks
nothing is the fastest; no decision ever reads them (R9, tests/package/test_fog.py).
"""

from planetwars_env.bots.bot_codes import AI1, AI3
from planetwars_env.engine import columns
from planetwars_env.engine.kernel import part

# rows of the notepad, one number a planet (OWN: a list of planets)
OWN, FRIENDS, FOES, SPARE, SURPLUS, NEED, GROWTH, ROOM, FORCE, VALUE, VIA = range(11)

MANY = 1 << 28
"""Larger numbers of people are taken for this one, so that no sum leaves 32 bits."""
FOREIGN = -MANY
"""VALUE of a planet that is not the player's own."""

GARRISONS = (17, 50, 7), (7, 26, 4), (5, 9, 2), (1, 1, 1)
"""People that ai1, ai2, ai3 and the advisor leave on a planet: where there are battles, where flights take longer than the
weights say besides, and where both players live together. The more timid, the slower a bot spreads: this grades them."""


@part
def count_arrivals(state, g, player, planets, scratch):
    """Everybody flying to each planet: FRIENDS and FOES."""
    friends, foes = scratch[FRIENDS], scratch[FOES]
    for p in range(planets):
        friends[p] = 0
        foes[p] = 0
    for slot in range(state.arrivals.shape[1]):
        mine, theirs = state.arrivals[g, slot, player], state.arrivals[g, slot, 1 - player]
        for p in range(planets):
            friends[p] += mine[p]
        for p in range(planets):
            foes[p] += theirs[p]


@part
def assess(state, board, g, b, player, planets, level, scratch):
    """SPARE and SURPLUS of own planets, NEED, GROWTH and ROOM of all; OWN lists the own ones, whose number is returned."""
    coexistence = state.status[g, columns.COEXISTENCE]
    garrison = _garrison(board, b, level, coexistence)
    own = 0
    for p in range(planets):
        mine = int(min(state.people[g, player, p], MANY))
        theirs = int(min(state.people[g, 1 - player, p], MANY))
        friends, foes = int(min(scratch[FRIENDS, p], MANY)), int(min(scratch[FOES, p], MANY))
        size, rate = int(board.planets[b, columns.SIZE, p]), int(board.planets[b, columns.HABITABILITY, p])
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
        keep = theirs + min(foes, max(0, size - mine)) - friends + 1 if coexistence else foes - friends - (foes >> 4)
        spare = _spare(mine, keep, garrison, level)
        scratch[OWN, own] = p
        scratch[NEED, p] = keep - mine
        scratch[SPARE, p] = spare
        scratch[SURPLUS, p] = min(spare, _surplus(spare, mine + theirs, friends, size, rate, level))
        scratch[VALUE, p] = 0
        own += 1
    return own


@part
def _conquest(theirs, foes, friends, rate, level):
    """R5: people that take an opponent's planet now, and by how many hundredths that rises with every turn of flight."""
    need = theirs + foes + (theirs + foes >> 3) + 1
    if level == AI1:
        return need, 0
    growth = min(theirs * rate + 100, MANY)
    # Friends who come too few will die, so they count half until they are enough.
    return need - (friends if need + (growth >> 6) < friends else friends >> 1), growth


@part
def _garrison(board, b, level, coexistence):
    """The number of people that stay on every planet of the bot's own."""
    return GARRISONS[level - AI1][2 if coexistence else 1 if has_slow_flights(board, b) else 0]


@part
def has_slow_flights(board, b):
    """Whether flights take longer than the weights say, as in half-step."""
    return board.info[b, columns.EDGES] > 0 and board.edges[b, columns.TURNS, 0] > board.edges[b, columns.WEIGHT, 0]


@part
def _spare(mine, keep, garrison, level):
    """The number of a planet's people that may go, if ``keep`` people withstand the landings."""
    if level == AI1:
        return max(0, mine - garrison) * 3 >> 2
    return mine - max(keep, garrison)


@part
def _surplus(spare, people, friends, size, rate, level):
    """The number of a planet's people that are of no more use there.

    ai3 leaves just room for the births of the two turns until it moves again (5 / 256 is about 2 per cent); the others
    wait until the planet is full.
    """
    if level >= AI3:
        return people + friends - size + (5 * size * rate >> 8)
    if people < size:
        return 0
    return spare >> 2 if level == AI1 else spare - (spare >> 3)
