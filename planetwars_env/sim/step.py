"""The kernel of the batch: agents act, time passes, opponents act, games end and begin again, agents see."""

from planetwars_env.bots.codes import OUTSIDER, SELF
from planetwars_env.bots.compiled import play_bot
from planetwars_env.codec.actions import carry_out_order, carry_out_turn
from planetwars_env.codec.layout import MAX_ORDERS, Codec
from planetwars_env.codec.observation import write_mask, write_observation, write_static
from planetwars_env.engine.kernel import kernel, part
from planetwars_env.engine.random import below
from planetwars_env.engine.state import (
    CUT_OFF,
    ENDED,
    FLYING_1,
    OWNED_1,
    PEOPLE_1,
    RUNNING,
    STATUS,
    TURN,
    WINNER,
    Board,
    State,
    place,
)
from planetwars_env.engine.turn import end_turn, player_to_move
from planetwars_env.engine.view import look
from planetwars_env.sim.desk import (
    AFTER,
    AGENT,
    AGENT_MOVES,
    AUTORESET,
    BEFORE,
    BOT_MOVES,
    COEXISTENT,
    CURRENT,
    DISABLED,
    FINAL,
    FRESH,
    GIVEN_BOARD,
    GIVEN_OPPONENT,
    GIVEN_PLAYER,
    GROUP,
    LAST,
    MY_PEOPLE,
    MY_PLANETS,
    NEXT_STEP,
    NOW,
    ON_TURN,
    OPPONENT,
    OPPONENTS,
    ORDERS,
    OUTSIDER_MOVES,
    OVER,
    PLAYER,
    PLAYER_IS,
    RESET_DUE,
    RIVAL_PEOPLE,
    RIVAL_PLANETS,
    SAME_STEP,
    STAGE,
    TERMINATED,
    TRUNCATED,
    WINNER_IS,
    WON,
    WON_IS,
    Desk,
)

STEP, RESUME, RESET = range(3)
"""What a call does: a step with actions; going on where an outsider has moved; new games where they are due."""


@kernel
def run(
    people, arrivals, flights, totals, clock, random,
    info, planets, growth, edges, first,
    sizes, fractions,
    seat, outcome, observation, edge_index, mask,
    setup, scratch, actions, begin: int, end: int, task: int,
) -> None:  # fmt: skip
    """Games ``begin`` to ``end`` - 1 until each waits for its agent or for an outsider.

    The arrays are those of `State`, `Board`, `Codec` and `Desk`, apart because tuples make a call slower.
    """
    state = State(people, arrivals, flights, totals, clock, random)
    board = Board(info, planets, growth, edges, first)
    codec = Codec(sizes, fractions)
    desk = Desk(seat, outcome, observation, edge_index, mask)
    for g in range(begin, end):
        _run_game(state, board, codec, desk, setup, scratch, actions, g, task)


@part
def _run_game(state, board, codec, desk, setup, scratch, actions, g, task):
    stage = desk.seat[g, STAGE]
    if task == STEP:
        _open(desk, g, stage == OVER and setup[AUTORESET] == DISABLED)
        if stage == OVER and setup[AUTORESET] == NEXT_STEP:
            stage = RESET_DUE
    if stage == OVER or (task == RESUME and stage != OUTSIDER_MOVES) or (task == RESET and stage != RESET_DUE):
        return
    while True:
        turn_over = True
        if stage == RESET_DUE:
            _begin(state, board, codec, desk, setup, g)
        elif stage == AGENT_MOVES:
            turn_over = _act(state, board, codec, desk, actions, g)
        elif stage == BOT_MOVES:
            play_bot(state, board, g, 1 - desk.seat[g, AGENT], setup[OPPONENTS + desk.seat[g, OPPONENT]], scratch)
        if turn_over:
            end_turn(state, board, g)
            _take_stock(state, desk, g)
        stage = _next_stage(state, desk, setup, g, turn_over)
        if stage == BOT_MOVES:
            continue
        if stage == OUTSIDER_MOVES:
            break
        _show(state, board, codec, desk, setup, scratch, g)
        if stage != OVER:
            break
        _close(state, desk, g)
        if setup[AUTORESET] != SAME_STEP:
            break
        _keep_final(desk, g)
        stage = RESET_DUE
    desk.seat[g, STAGE] = stage


@part
def _open(desk, g, stays_over):
    """A step begins: nothing has happened in it yet. A game that is over and waits for its reset stays marked so."""
    desk.outcome[g, WON] = 0
    if not stays_over:
        desk.outcome[g, TERMINATED] = 0
        desk.outcome[g, TRUNCATED] = 0
    for i in range(GROUP):
        desk.outcome[g, BEFORE + i] = desk.outcome[g, NOW + i]


@part
def _begin(state, board, codec, desk, setup, g):
    """A new game: graph, opponent and player come from the game's own generator, unless they were given."""
    b = below(state.random, g, board.info.shape[0])
    opponent = below(state.random, g, setup.shape[0] - OPPONENTS)
    player = below(state.random, g, 2)
    if setup[PLAYER] >= 0:
        player = setup[PLAYER]
    if desk.seat[g, GIVEN_BOARD] >= 0:
        b = desk.seat[g, GIVEN_BOARD]
    if desk.seat[g, GIVEN_PLAYER] >= 0:
        player = desk.seat[g, GIVEN_PLAYER]
    if desk.seat[g, GIVEN_OPPONENT] >= 0:
        opponent = desk.seat[g, GIVEN_OPPONENT]
    desk.seat[g, AGENT] = player
    desk.seat[g, OPPONENT] = opponent
    desk.seat[g, FRESH] = 1
    desk.seat[g, ORDERS] = 0
    place(state, board, g, b, setup[COEXISTENT], setup[LAST])
    write_static(board, codec, b, g, desk.observation[CURRENT], desk.edge_index[CURRENT], desk.mask[CURRENT])


@part
def _act(state, board, codec, desk, actions, g):
    """The agent's action; whether its turn is over. In a game that is over nothing is legal, so nothing happens."""
    desk.seat[g, FRESH] = 0
    player = desk.seat[g, AGENT]
    if not codec.sizes[MAX_ORDERS]:
        carry_out_turn(state, board, codec, g, player, actions, g, desk.mask[CURRENT], g)
        return True
    choice = actions[g, 0]
    carry_out_order(state, board, codec, g, player, choice, desk.mask[CURRENT], g)
    desk.seat[g, ORDERS] += 1
    if choice != 0 and desk.seat[g, ORDERS] < codec.sizes[MAX_ORDERS] and state.clock[g, STATUS] == RUNNING:
        return False
    desk.seat[g, ORDERS] = 0
    return True


@part
def _take_stock(state, desk, g):
    """The agent's standing, taken whenever time has passed; orders within a turn do not change it."""
    me = desk.seat[g, AGENT]
    desk.outcome[g, NOW + ON_TURN] = state.clock[g, TURN]
    desk.outcome[g, NOW + WINNER_IS] = state.clock[g, WINNER]
    desk.outcome[g, NOW + MY_PLANETS] = state.clock[g, OWNED_1 + me]
    desk.outcome[g, NOW + RIVAL_PLANETS] = state.clock[g, OWNED_1 + 1 - me]
    desk.outcome[g, NOW + MY_PEOPLE] = state.totals[g, PEOPLE_1 + me] + state.totals[g, FLYING_1 + me]
    desk.outcome[g, NOW + RIVAL_PEOPLE] = state.totals[g, PEOPLE_1 + 1 - me] + state.totals[g, FLYING_1 + 1 - me]
    desk.outcome[g, NOW + PLAYER_IS] = me + 1
    winner = state.clock[g, WINNER]
    desk.outcome[g, NOW + WON_IS] = 0 if winner == 0 else 1 if winner == me + 1 else -1


@part
def _next_stage(state, desk, setup, g, turn_over):
    """Who is waited for. A game that ended before the agent ever moved is shown to it first, over at its next step."""
    if state.clock[g, STATUS] != RUNNING:
        return AGENT_MOVES if desk.seat[g, FRESH] else OVER
    opponent = setup[OPPONENTS + desk.seat[g, OPPONENT]]
    if not turn_over or opponent == SELF or player_to_move(state, g) == desk.seat[g, AGENT]:
        return AGENT_MOVES
    return OUTSIDER_MOVES if opponent == OUTSIDER else BOT_MOVES


@part
def _show(state, board, codec, desk, setup, scratch, g):
    """Observation and mask of the agent; of whoever is to move where one agent plays both sides."""
    if not desk.seat[g, FRESH]:
        for i in range(GROUP):
            desk.outcome[g, AFTER + i] = desk.outcome[g, NOW + i]
    mover = player_to_move(state, g)
    both_sides = setup[OPPONENTS + desk.seat[g, OPPONENT]] == SELF
    if both_sides and state.clock[g, STATUS] == RUNNING and mover != desk.seat[g, AGENT]:
        desk.seat[g, AGENT] = mover
        _take_stock(state, desk, g)
    me, visible = desk.seat[g, AGENT], scratch[0]
    look(state, board, g, me, visible)
    write_observation(state, board, codec, g, me, desk.seat[g, ORDERS], g, scratch, desk.observation[CURRENT])
    write_mask(state, board, codec, g, me, g, visible, desk.mask[CURRENT])


@part
def _close(state, desk, g):
    """The game is over: who won, and whether by the rules or by a limit."""
    desk.outcome[g, TERMINATED] = state.clock[g, STATUS] == ENDED
    desk.outcome[g, TRUNCATED] = state.clock[g, STATUS] == CUT_OFF
    desk.outcome[g, WON] = desk.outcome[g, NOW + WON_IS]


@part
def _keep_final(desk, g):
    """The last observation, aside, before the next game overwrites it."""
    for i in range(desk.observation.shape[2]):
        desk.observation[FINAL, g, i] = desk.observation[CURRENT, g, i]
    for e in range(desk.edge_index.shape[2]):
        desk.edge_index[FINAL, g, e, 0] = desk.edge_index[CURRENT, g, e, 0]
        desk.edge_index[FINAL, g, e, 1] = desk.edge_index[CURRENT, g, e, 1]
    for a in range(desk.mask.shape[2]):
        desk.mask[FINAL, g, a] = desk.mask[CURRENT, g, a]
