"""The built-in bots as kernels. They read what the view shows and nothing else: hidden details never reach a decision."""

import numpy as np

from planetwars_env.bots.bot_codes import AI1, AI2, AI3, RANDOM
from planetwars_env.engine import columns
from planetwars_env.engine.columns import BOARD, HABITABILITY, PLANETS, TARGET, TURN, TURNS
from planetwars_env.engine.kernel import part
from planetwars_env.engine.random import below
from planetwars_env.engine.state import Array, Board, State
from planetwars_env.engine.turn import send
from planetwars_env.engine.visibility import look, owns

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


PATIENCE = 300
"""Turns, twice as many in half-step, after which ai1 plays as ai2. Alone, its planets cannot take a large one together."""


@part
def play_bot(state: State, board: Board, g: int, player: int, bot: int, scratch: Array) -> None:
    """One turn of a built-in bot for ``player`` (0, 1) in game g; ``scratch`` [rows, P or E] int32 is its notepad."""
    if bot == RANDOM:
        play_random(state, board, g, player, scratch)
    elif bot >= AI1:
        per_weight = 2 if has_slow_flights(board, state.status[g, BOARD]) else 1
        late = bot == AI1 and state.status[g, TURN] > PATIENCE * per_weight
        _play_ai(state, board, g, player, AI2 if late else bot, scratch)


@part
def _play_ai(state, board, g, player, level, scratch):
    """ai1, ai2 and ai3 differ in what they reckon with, not in the way they go about it (docs/bots.md)."""
    b = state.status[g, BOARD]
    planets = board.info[b, PLANETS]
    if level == AI1:
        for p in range(planets):
            scratch[FRIENDS, p] = 0
            scratch[FOES, p] = 0
    else:
        count_arrivals(state, g, player, planets, scratch)
    own = assess(state, board, g, b, player, planets, level, scratch)
    if level != AI1:
        survey(state, board, g, b, player, own, level, scratch)
    give_orders(state, board, g, b, player, own, level, scratch)


@part
def play_random(state: State, board: Board, g: int, player: int, scratch: Array) -> None:
    """One move of random: an own planet, fewer people than live there, a visible planet that is not its own.

    Nothing checks that an edge joins the two or that anybody is sent, so many turns pass without a move.
    """
    visible, sources, targets = scratch[0], scratch[1], scratch[2]
    look(state, board, g, player, visible)
    b = state.status[g, BOARD]
    own = others = 0
    for p in range(board.info[b, PLANETS]):
        # Listed without a branch: which planets these are, no processor foresees.
        mine = owns(state, g, player, p)
        sources[own] = p
        own += mine
        targets[others] = p
        others += visible[p] & (not mine)
    if own == 0 or others == 0:
        return
    source, target = sources[below(state.random, g, own)], targets[below(state.random, g, others)]
    people = below(state.random, g, min(state.people[g, player, source], MANY))
    for e in range(board.edge_offsets[b, source], board.edge_offsets[b, source + 1]):
        if board.edges[b, TARGET, e] == target:
            send(state, board, g, player, e, people)
