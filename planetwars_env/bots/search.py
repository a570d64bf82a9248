"""Looking ahead: which planets should do something else than the advisor would have them do, found by playing both sides on.

A plan is what the advisor (ai3, less timid) orders, but for some planets: such a planet waits, or sends half or all of
its people along one edge, for a few turns. Plans are changed planet by planet at random, played out against ai3, and kept
if they do better.
"""

from planetwars_env.bots.bot_codes import ADVISOR, AI3
from planetwars_env.bots.compiled import play_bot
from planetwars_env.engine import columns
from planetwars_env.engine.flights import call_back
from planetwars_env.engine.kernel import part
from planetwars_env.engine.random import below
from planetwars_env.engine.state import Array, Board, State, copy_game
from planetwars_env.engine.turn import end_turn, player_to_move, send
from planetwars_env.engine.visibility import owns

ROWS = 2
ROOT, TRIAL = range(ROWS)
"""Rows of the state: the position that is thought about, and the one that is played on."""

PLANS = 2
BEST, NEXT = range(PLANS)
# rows of a plan, one number a planet: the edge that people are sent along or WAIT, how many halves of them go, and for how
# many of the player's turns (0: as the advisor has it)
EDGE, HALVES, LASTS = range(3)
PLAN_ROWS = 3
WAIT = -1

BIRTHS_TURNS = 10
"""At the end of a trial, a planet is worth so many turns of the births of its size, besides its people."""
AFTERWARDS = 10
"""A trial's last position counts for so many turns, every other one for one."""
WIN = 3.0
"""Value of a won game, if all people in the game are worth 1."""


@part
def search(
    state: State, board: Board, player: int, plans: Array, own: Array, budget: int, horizon: int, scratch
) -> int:
    """Improve ``plans`` [PLANS, PLAN_ROWS, P] int32 for ``player`` (0, 1), to move in row ROOT; BEST is the plan found.

    It begins with BEST as it was left on the player's turn before. ``own`` [P] int32 is a notepad. Every trial is played
    for ``horizon`` turns at most; the turns played are returned, at most ``budget`` of them and never less than a trial's.
    """
    owned = 0
    for p in range(board.info[state.status[ROOT, columns.BOARD], columns.PLANETS]):
        if owns(state, ROOT, player, p):
            own[owned] = p
            owned += 1
    best, spent, trial = 0.0, 0, 0
    while owned > 0 and (trial == 0 or spent + horizon <= budget):
        if trial == 0:
            for p in range(plans.shape[2]):  # the rest of the plan of the turn before
                plans[BEST, LASTS, p] = max(0, plans[BEST, LASTS, p] - 1)
            _copy_plan(plans, BEST, NEXT)
        elif trial == 1:
            for p in range(plans.shape[2]):  # no plan
                plans[NEXT, LASTS, p] = 0
        else:
            _change(state, board, plans, own[below(state.random, ROOT, owned)])
        value, turns = try_out(state, board, player, AI3, plans, horizon, WIN, scratch)
        spent += turns
        # Where last turn's plan is of no more use than none, it is forgotten.
        if trial == 0 or value > best or (trial == 1 and value == best):
            best = value
            _copy_plan(plans, NEXT, BEST)
        else:
            _copy_plan(plans, BEST, NEXT)
        trial += 1
    return spent


@part
def _copy_plan(plans, source, target):
    for row in range(PLAN_ROWS):
        for p in range(plans.shape[2]):
            plans[target, row, p] = plans[source, row, p]


@part
def _change(state, board, plans, p):
    """Anything else for planet p: as the advisor has it, wait, or half or all along one of its edges, for 1, 2 or 4 turns."""
    first = board.edge_offsets[state.status[ROOT, columns.BOARD], p]
    degree = board.edge_offsets[state.status[ROOT, columns.BOARD], p + 1] - first
    choice = below(state.random, ROOT, 2 * degree + 2)
    plans[NEXT, LASTS, p] = 1 << below(state.random, ROOT, 3)
    if choice == 2 * degree + 1:
        plans[NEXT, LASTS, p] = 0
    elif choice == 2 * degree:
        plans[NEXT, EDGE, p] = WAIT
    else:
        plans[NEXT, EDGE, p] = first + (choice >> 1)
        plans[NEXT, HALVES, p] = 1 + (choice & 1)


@part
def try_out(
    state: State, board: Board, player: int, opponent: int, plans: Array, horizon: int, win: float, scratch: Array
):
    """Return what plan NEXT, then the advisor, is worth in row ROOT against the bot ``opponent``; and the turns played.

    ``win``: what winning is worth beyond holding everything, in units of all people in the game.
    """
    copy_game(state, ROOT, state, TRIAL)
    total, turns, mine = 0.0, 0, 0
    while turns < horizon and state.status[TRIAL, columns.PHASE] == columns.RUNNING:
        mover = player_to_move(state, TRIAL)
        play_bot(state, board, TRIAL, mover, ADVISOR if mover == player else opponent, scratch)
        if mover == player:
            overrule(state, board, TRIAL, player, plans, NEXT, mine)
            mine += 1
        end_turn(state, board, TRIAL)
        turns += 1
        people, theirs = _everybody(state, player), _everybody(state, 1 - player)
        total += (people - theirs) / (people + theirs + 1.0)
    return total + (horizon - turns + AFTERWARDS) * _prospects(state, board, player, win), turns


@part
def overrule(state: State, board: Board, g: int, player: int, plans: Array, which: int, turn: int) -> None:
    """Change what the advisor has just ordered in game g to what the plan says of the player's ``turn``-th turn from now
    (from 0)."""
    b = state.status[g, columns.BOARD]
    for p in range(board.info[b, columns.PLANETS]):
        if turn >= plans[which, LASTS, p]:
            continue
        for e in range(board.edge_offsets[b, p], board.edge_offsets[b, p + 1]):  # what it has launched this turn
            call_back(state, board, g, player, e)
        left = int(state.people[g, player, p]) - int(state.people[g, 1 - player, p]) - 1
        if plans[which, EDGE, p] != WAIT and left > 0:
            send(state, board, g, player, int(plans[which, EDGE, p]), left * int(plans[which, HALVES, p]) >> 1)


@part
def _everybody(state, player):
    """The player's people in row TRIAL, on planets and in flight."""
    return float(state.totals[TRIAL, columns.PEOPLE_1 + player]) + float(state.totals[TRIAL, columns.FLYING_1 + player])


@part
def _prospects(state, board, player, win):
    """The share of what there is in row TRIAL that is the player's, less the opponent's; and ``win`` for a game that is over."""
    b = state.status[TRIAL, columns.BOARD]
    mine, theirs = _everybody(state, player), _everybody(state, 1 - player)
    for p in range(board.info[b, columns.PLANETS]):
        births = 0.01 * BIRTHS_TURNS * board.planets[b, columns.SIZE, p] * board.planets[b, columns.HABITABILITY, p]
        if owns(state, TRIAL, player, p):
            mine += births
        elif owns(state, TRIAL, 1 - player, p):
            theirs += births
    share = (mine - theirs) / (mine + theirs + 1.0)
    if state.status[TRIAL, columns.PHASE] == columns.ENDED and state.status[TRIAL, columns.WINNER] > 0:
        share += win if state.status[TRIAL, columns.WINNER] == player + 1 else -win
    return share
