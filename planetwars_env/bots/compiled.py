"""The built-in bots as kernels. They read what the view shows and nothing else: hidden details never reach a decision."""

from planetwars_env.bots.bot_codes import AI1, AI2, RANDOM
from planetwars_env.bots.bot_moves import give_orders
from planetwars_env.bots.estimates import FOES, FRIENDS, MANY, assess, count_arrivals, has_slow_flights
from planetwars_env.bots.paths import survey
from planetwars_env.engine.columns import BOARD, PLANETS, TARGET, TURN
from planetwars_env.engine.kernel import part
from planetwars_env.engine.random import below
from planetwars_env.engine.state import Array, Board, State
from planetwars_env.engine.turn import send
from planetwars_env.engine.visibility import look, owns

PATIENCE = 300
"""Turns, twice as many in half-step, after which ai1 plays as ai2. Alone, its planets cannot take a large one together."""


@part
def play_bot(state: State, board: Board, g: int, player: int, bot: int, scratch: Array) -> None:
    """One turn of a built-in bot for ``player`` (0, 1) in game g; ``scratch`` [rows, P or E] int32 is its notepad."""
    if bot == RANDOM:
        look(state, board, g, player, scratch[0])
        _play_random(state, board, g, player, scratch[0], scratch[1], scratch[2])
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
def _play_random(state, board, g, player, visible, sources, targets):
    """One move: an own planet, fewer people than live there, a visible planet that is not its own.

    Nothing checks that an edge joins the two or that anybody is sent, so many turns pass without a move.
    """
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
