"""A batch held to account while it plays: every game is played a second time beside it, by the rules of reference_rules.py.

After every step of the batch, `audit` makes the same turns in arrays of its own (the *shadow state*) from the same actions, and
then compares everything: positions, generators, ends, seats, masks, observations. The bots are the only code that both
share; what they launch is checked against what left their planets. The first difference of a game is kept as its fault.
"""

import numpy as np

from planetwars_env.bots.codes import SELF
from planetwars_env.bots.compiled import play_bot
from planetwars_env.codec.layout import DEGREE, FRACTIONS, HORIZON, MAX_ORDERS, Codec
from planetwars_env.engine.kernel import kernel, part
from planetwars_env.engine.state import (
    BOARD,
    COEXISTENCE,
    CUT_OFF,
    EDGES,
    ENDED,
    FLYING_1,
    LIMIT,
    OWNED_1,
    PEOPLE_1,
    PLANETS,
    RUNNING,
    SOURCE,
    STATUS,
    TARGET,
    TURN,
    TURNS,
    WINNER,
    Board,
    State,
)
from planetwars_env.sim import fields
from planetwars_env.sim.desk import Desk
from planetwars_env.sim.step import RESET, STEP
from scripts.verification.audit_observation import check_shown
from scripts.verification.fault_codes import (
    BOT_LAUNCHES,
    DRAW,
    ENDING,
    FLIGHTS,
    LOST_OR_MADE_UP,
    NEGATIVE,
    POSITION,
    SEAT,
    STANDING,
    TOO_MANY,
    fail,
)
from scripts.verification.reference_rules import (
    BORN,
    FALLEN,
    SHRUNK,
    draw_below,
    finish_turn,
    flier,
    launch,
    place_first,
    see,
)
from scripts.verification.shadow_state import (
    CUT,
    DRAWN,
    GAMES_BEGUN,
    LAUNCHES,
    PEOPLE_BORN,
    PEOPLE_FALLEN,
    PEOPLE_SHRUNK,
    TURNS_PLAYED,
    WON_BY_1,
    WON_BY_2,
    ShadowState,
)


@kernel
def audit(
    state: State, board: Board, codec: Codec, desk: Desk, shadow: ShadowState, setup, scratch, actions, rows, task: int
) -> None:
    """Follow and compare the games of ``rows`` [N] bool after a call of the batch with ``task`` (STEP or RESET)."""
    for g in range(state.clock.shape[0]):
        if rows[g] and shadow.fault[g, 0] == 0:
            _follow(state, board, codec, desk, shadow, setup, scratch, actions, g, task)
            _compare_position(state, board, shadow, g)
            _compare_desk(state, board, codec, desk, shadow, g)


# --- the same turns once more --------------------------------------------------------------------------------------


@part
def _follow(state, board, codec, desk, shadow, setup, scratch, actions, g, task):
    """What the batch did in this call. One loop, so that every rule is pasted into the kernel once (engine/kernel.py)."""
    twin, stage = shadow.twin, shadow.seat[g, fields.STAGE]
    if task == STEP:
        _open(shadow, g, stage == fields.OVER and setup[fields.AUTORESET] == fields.DISABLED)
        if stage == fields.OVER and setup[fields.AUTORESET] == fields.NEXT_STEP:
            stage = fields.RESET_DUE
    if stage == fields.OVER or (task == RESET and stage != fields.RESET_DUE):
        return
    while True:
        turn_over = True
        if stage == fields.RESET_DUE:
            _begin(state, board, shadow, setup, g)
        elif stage == fields.AGENT_MOVES:
            turn_over = _act(board, codec, shadow, actions, g)
        else:
            _bot_moves(board, shadow, setup[fields.OPPONENTS + shadow.seat[g, fields.OPPONENT]], scratch, g)
        if turn_over:
            before = twin.clock[g, TURN]
            finish_turn(twin, board, g, shadow.landed, shadow.flows)
            shadow.tally[TURNS_PLAYED] += twin.clock[g, TURN] - before
            _take_stock(shadow, g)
        stage = _next_stage(shadow, setup, g, turn_over)
        if stage == fields.OVER:
            _close(shadow, g)
            if setup[fields.AUTORESET] == fields.SAME_STEP:
                _compare_shown(board, codec, desk, shadow, g, fields.FINAL)
                stage = fields.RESET_DUE
        if stage in (fields.AGENT_MOVES, fields.OVER):
            break
    shadow.seat[g, fields.STAGE] = stage


@part
def _open(shadow, g, stays_over):
    shadow.outcome[g, fields.WON] = 0
    if not stays_over:
        shadow.outcome[g, fields.TERMINATED] = shadow.outcome[g, fields.TRUNCATED] = 0


@part
def _begin(state, board, shadow, setup, g):
    """R2, and the draws in their documented order: board, opponent, player."""
    b = draw_below(shadow.twin.random, g, board.info.shape[0])
    opponent = draw_below(shadow.twin.random, g, setup.shape[0] - fields.OPPONENTS)
    player = draw_below(shadow.twin.random, g, 2)
    if setup[fields.PLAYER] >= 0:
        player = setup[fields.PLAYER]
    if state.clock[g, BOARD] != b:
        fail(shadow.fault, g, DRAW, 0, b, state.clock[g, BOARD])
    place_first(shadow.twin, board, g, b, setup[fields.COEXISTENT], setup[fields.LAST], shadow.flows)
    shadow.seat[g, fields.AGENT], shadow.seat[g, fields.OPPONENT], shadow.seat[g, fields.ORDERS] = player, opponent, 0
    shadow.fresh[g] = 1
    shadow.tally[GAMES_BEGUN] += 1


@part
def _act(board, codec, shadow, actions, g):
    """The agent's action; whether its turn is over."""
    twin, player = shadow.twin, shadow.seat[g, fields.AGENT]
    shadow.fresh[g] = 0
    if twin.clock[g, STATUS] != RUNNING:
        return True
    see(twin, board, g, player, shadow.seen)
    if not codec.sizes[MAX_ORDERS]:
        for p in range(board.info[twin.clock[g, BOARD], PLANETS]):
            _plan(board, codec, shadow, g, player, p, actions[g, p])
        return True
    choice = actions[g, 0]
    _order(board, codec, shadow, g, player, choice)
    shadow.seat[g, fields.ORDERS] += 1
    if choice != 0 and shadow.seat[g, fields.ORDERS] < codec.sizes[MAX_ORDERS]:
        return False
    shadow.seat[g, fields.ORDERS] = 0
    return True


@part
def _next_stage(shadow, setup, g, turn_over):
    """Who is waited for; one agent that plays both sides changes its seat. A game that was over at once is shown first."""
    twin = shadow.twin
    if twin.clock[g, STATUS] != RUNNING:
        return fields.AGENT_MOVES if shadow.fresh[g] else fields.OVER
    mover = 1 - twin.clock[g, TURN] % 2
    if setup[fields.OPPONENTS + shadow.seat[g, fields.OPPONENT]] == SELF and shadow.seat[g, fields.AGENT] != mover:
        shadow.seat[g, fields.AGENT] = mover
        _take_stock(shadow, g)
    return fields.AGENT_MOVES if not turn_over or shadow.seat[g, fields.AGENT] == mover else fields.BOT_MOVES


@part
def _plan(board, codec, shadow, g, player, p, choice):
    """actions="turn": choice 1 + d * K + k sends fraction k along the d-th edge that leaves planet p."""
    if choice < 1 or choice > codec.sizes[DEGREE] * codec.sizes[FRACTIONS]:
        return
    wanted, b = (choice - 1) // codec.sizes[FRACTIONS], shadow.twin.clock[g, BOARD]
    for e in range(board.info[b, EDGES]):
        if board.edges[b, SOURCE, e] == p:
            if wanted == 0:
                _send(board, codec, shadow, g, player, e, (choice - 1) % codec.sizes[FRACTIONS])
                return
            wanted -= 1


@part
def _order(board, codec, shadow, g, player, choice):
    """actions="order": choice 1 + e * K + k sends fraction k along directed edge e."""
    edges = board.info[shadow.twin.clock[g, BOARD], EDGES]
    if 1 <= choice <= edges * codec.sizes[FRACTIONS]:
        wanted = choice - 1
        _send(board, codec, shadow, g, player, wanted // codec.sizes[FRACTIONS], wanted % codec.sizes[FRACTIONS])


@part
def _send(board, codec, shadow, g, player, e, k):
    """From visible planets only; a fraction of n people is at least one of them."""
    source = board.edges[shadow.twin.clock[g, BOARD], SOURCE, e]
    people = shadow.twin.people[g, player, source]
    if shadow.seen[source] and people > 0:
        sent = max(1, int(codec.fractions[k] * people))
        shadow.tally[LAUNCHES] += launch(shadow.twin, board, g, player, e, sent)


@part
def _bot_moves(board, shadow, bot, scratch, g):
    """What a bot launches has to have left its own planets, and nothing else may have changed."""
    twin, player = shadow.twin, 1 - shadow.seat[g, fields.AGENT]
    b, slots = twin.clock[g, BOARD], twin.flights.shape[1]
    for p in range(board.info[b, PLANETS]):
        shadow.sent[p] = twin.people[g, player, p]
        shadow.landed[1, p] = twin.people[g, 1 - player, p]
    play_bot(twin, board, g, player, bot, scratch)
    for e in range(board.info[b, EDGES]):
        people = twin.flights[g, (twin.clock[g, TURN] + board.edges[b, TURNS, e]) % slots, e]
        shadow.sent[board.edges[b, SOURCE, e]] -= people
        shadow.tally[LAUNCHES] += people > 0
    for p in range(board.info[b, PLANETS]):
        if twin.people[g, player, p] != shadow.sent[p]:
            fail(shadow.fault, g, BOT_LAUNCHES, p, shadow.sent[p], twin.people[g, player, p])
        if twin.people[g, 1 - player, p] != shadow.landed[1, p]:
            fail(shadow.fault, g, BOT_LAUNCHES, p, shadow.landed[1, p], twin.people[g, 1 - player, p])


@part
def _take_stock(shadow, g):
    """The agent's standing when time last passed."""
    twin, me = shadow.twin, shadow.seat[g, fields.AGENT]
    numbers = shadow.outcome[g, 3:]
    numbers[0] = twin.clock[g, TURN]
    numbers[1] = twin.clock[g, WINNER]
    for i in range(2):
        side = me if i == 0 else 1 - me
        numbers[2 + i] = twin.clock[g, OWNED_1 + side]
        numbers[4 + i] = np.int64(twin.totals[g, PEOPLE_1 + side]) + twin.totals[g, FLYING_1 + side]
    numbers[6] = me + 1
    numbers[7] = 0 if numbers[1] == 0 else 1 if numbers[1] == numbers[6] else -1


@part
def _close(shadow, g):
    """How the game ended, for the agent and for the tally."""
    winner = shadow.twin.clock[g, WINNER]
    shadow.outcome[g, fields.TERMINATED] = shadow.twin.clock[g, STATUS] == ENDED
    shadow.outcome[g, fields.TRUNCATED] = shadow.twin.clock[g, STATUS] == CUT_OFF
    shadow.outcome[g, fields.WON] = 0 if winner == 0 else 1 if winner == shadow.seat[g, fields.AGENT] + 1 else -1
    if shadow.twin.clock[g, STATUS] == CUT_OFF:
        shadow.tally[CUT] += 1
    else:
        shadow.tally[DRAWN if winner == 0 else WON_BY_1 if winner == 1 else WON_BY_2] += 1
    shadow.tally[PEOPLE_BORN] += shadow.flows[g, BORN]
    shadow.tally[PEOPLE_FALLEN] += shadow.flows[g, FALLEN]
    shadow.tally[PEOPLE_SHRUNK] += shadow.flows[g, SHRUNK]


# --- the comparison ------------------------------------------------------------------------------------------------


@part
def _compare_position(state, board, shadow, g):
    """Everybody is counted in the batch's own arrays, and every number is that of the second clock."""
    twin, b = shadow.twin, state.clock[g, BOARD]
    for i in range(8):
        if state.clock[g, i] != twin.clock[g, i]:
            fail(shadow.fault, g, POSITION, i, twin.clock[g, i], state.clock[g, i])
    if state.random[g] != twin.random[g]:
        fail(shadow.fault, g, DRAW, 1, 0, 0)
    alive = _settled(state, shadow, g) + _aloft(state, board, shadow, g, b)
    expected = 2 + shadow.flows[g, BORN] - shadow.flows[g, FALLEN] - shadow.flows[g, SHRUNK]
    if alive != expected:
        fail(shadow.fault, g, LOST_OR_MADE_UP, 0, expected, alive)
    if alive > shadow.most[b]:
        fail(shadow.fault, g, TOO_MANY, 0, shadow.most[b], alive)
    for i in range(4):
        if state.totals[g, i] != twin.totals[g, i]:
            fail(shadow.fault, g, POSITION, 10 + i, twin.totals[g, i], state.totals[g, i])


@part
def _settled(state, shadow, g):
    """How many people live on planets."""
    people = np.int64(0)
    for player in range(2):
        for p in range(state.people.shape[2]):
            here = state.people[g, player, p]
            people += here
            if here < 0:
                fail(shadow.fault, g, NEGATIVE, p, 0, here)
            if here != shadow.twin.people[g, player, p]:
                fail(shadow.fault, g, POSITION, 100 + p, shadow.twin.people[g, player, p], here)
            if not state.clock[g, COEXISTENCE] and here > 0 and state.people[g, 1 - player, p] > 0:
                fail(shadow.fault, g, POSITION, 100 + p, 0, here)
    return people


@part
def _aloft(state, board, shadow, g, b):
    """How many people fly; the arrivals kept beside the flights must be the same people."""
    slots, turn, people = state.flights.shape[1], state.clock[g, TURN], np.int64(0)
    flying = shadow.landed
    flying[0, 0] = flying[1, 0] = 0
    for slot in range(slots):
        for p in range(shadow.arrivals.shape[2]):
            shadow.arrivals[slot, 0, p] = shadow.arrivals[slot, 1, p] = 0
        for e in range(state.flights.shape[2]):
            here = state.flights[g, slot, e]
            if here != shadow.twin.flights[g, slot, e]:
                fail(shadow.fault, g, FLIGHTS, e, shadow.twin.flights[g, slot, e], here)
            if here != 0:
                player = flier(turn, slot, slots, board.edges[b, TURNS, e])
                if here < 0 or player < 0 or e >= board.info[b, EDGES]:
                    fail(shadow.fault, g, FLIGHTS, e, 0, here)
                else:
                    shadow.arrivals[slot, player, board.edges[b, TARGET, e]] += here
                    flying[player, 0] += here
                    people += here
        for player in range(2):
            for p in range(shadow.arrivals.shape[2]):
                if state.arrivals[g, slot, player, p] != shadow.arrivals[slot, player, p]:
                    fail(
                        shadow.fault,
                        g,
                        FLIGHTS,
                        p,
                        shadow.arrivals[slot, player, p],
                        state.arrivals[g, slot, player, p],
                    )
    for player in range(2):
        if state.totals[g, FLYING_1 + player] != flying[player, 0]:
            fail(shadow.fault, g, FLIGHTS, 1000 + player, flying[player, 0], state.totals[g, FLYING_1 + player])
    return people


@part
def _compare_desk(state, board, codec, desk, shadow, g):
    """Whose turn it is, how a game ended, and what the agent is shown."""
    for i in (fields.AGENT, fields.OPPONENT, fields.STAGE, fields.ORDERS):
        if desk.seat[g, i] != shadow.seat[g, i]:
            fail(shadow.fault, g, SEAT, i, shadow.seat[g, i], desk.seat[g, i])
    for i in range(3):
        if desk.outcome[g, i] != shadow.outcome[g, i]:
            fail(shadow.fault, g, ENDING, i, shadow.outcome[g, i], desk.outcome[g, i])
    for i in range(fields.GROUP):
        if desk.outcome[g, fields.NOW + i] != shadow.outcome[g, 3 + i]:
            fail(shadow.fault, g, STANDING, i, shadow.outcome[g, 3 + i], desk.outcome[g, fields.NOW + i])
    if state.clock[g, TURN] > state.clock[g, LIMIT]:
        fail(shadow.fault, g, ENDING, 3, state.clock[g, LIMIT], state.clock[g, TURN])
    _compare_shown(board, codec, desk, shadow, g, fields.CURRENT)


@part
def _compare_shown(board, codec, desk, shadow, g, which):
    """From the second position, so that nothing of the first can hide a fault in what is shown of it."""
    me = shadow.seat[g, fields.AGENT]
    see(shadow.twin, board, g, me, shadow.seen)
    check_shown(
        shadow.twin, board, codec, g, me, shadow.seat[g, fields.ORDERS], shadow.seen, shadow.bins, shadow.aloft, shadow.fault,
        desk.observation[which, g], desk.edge_index[which, g], desk.mask[which, g], codec.sizes[HORIZON],
    )  # fmt: skip
