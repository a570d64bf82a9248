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
from planetwars_env.sim import fields
from planetwars_env.sim.desk import Desk

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
    stage = desk.seat[g, fields.STAGE]
    if task == STEP:
        _open(desk, g, stage == fields.OVER and setup[fields.AUTORESET] == fields.DISABLED)
        if stage == fields.OVER and setup[fields.AUTORESET] == fields.NEXT_STEP:
            stage = fields.RESET_DUE
    if (
        stage == fields.OVER
        or (task == RESUME and stage != fields.OUTSIDER_MOVES)
        or (task == RESET and stage != fields.RESET_DUE)
    ):
        return
    while True:
        turn_over = True
        if stage == fields.RESET_DUE:
            _begin(state, board, codec, desk, setup, g)
        elif stage == fields.AGENT_MOVES:
            turn_over = _act(state, board, codec, desk, actions, g)
        elif stage == fields.BOT_MOVES:
            play_bot(
                state,
                board,
                g,
                1 - desk.seat[g, fields.AGENT],
                setup[fields.OPPONENTS + desk.seat[g, fields.OPPONENT]],
                scratch,
            )
        if turn_over:
            end_turn(state, board, g)
            _take_stock(state, desk, g)
        stage = _next_stage(state, desk, setup, g, turn_over)
        if stage == fields.BOT_MOVES:
            continue
        if stage == fields.OUTSIDER_MOVES:
            break
        _show(state, board, codec, desk, setup, scratch, g)
        if stage != fields.OVER:
            break
        _close(state, desk, g)
        if setup[fields.AUTORESET] != fields.SAME_STEP:
            break
        _keep_final(desk, g)
        stage = fields.RESET_DUE
    desk.seat[g, fields.STAGE] = stage


@part
def _open(desk, g, stays_over):
    """A step begins: nothing has happened in it yet. A game that is over and waits for its reset stays marked so."""
    desk.outcome[g, fields.WON] = 0
    if not stays_over:
        desk.outcome[g, fields.TERMINATED] = 0
        desk.outcome[g, fields.TRUNCATED] = 0
    for i in range(fields.GROUP):
        desk.outcome[g, fields.BEFORE + i] = desk.outcome[g, fields.NOW + i]


@part
def _begin(state, board, codec, desk, setup, g):
    """A new game: graph, opponent and player come from the game's own generator, unless they were given."""
    b = below(state.random, g, board.info.shape[0])
    opponent = below(state.random, g, setup.shape[0] - fields.OPPONENTS)
    player = below(state.random, g, 2)
    if setup[fields.PLAYER] >= 0:
        player = setup[fields.PLAYER]
    if desk.seat[g, fields.GIVEN_BOARD] >= 0:
        b = desk.seat[g, fields.GIVEN_BOARD]
    if desk.seat[g, fields.GIVEN_PLAYER] >= 0:
        player = desk.seat[g, fields.GIVEN_PLAYER]
    if desk.seat[g, fields.GIVEN_OPPONENT] >= 0:
        opponent = desk.seat[g, fields.GIVEN_OPPONENT]
    desk.seat[g, fields.AGENT] = player
    desk.seat[g, fields.OPPONENT] = opponent
    desk.seat[g, fields.FRESH] = 1
    desk.seat[g, fields.ORDERS] = 0
    place(state, board, g, b, setup[fields.COEXISTENT], setup[fields.LAST])
    write_static(
        board, codec, b, g, desk.observation[fields.CURRENT], desk.edge_index[fields.CURRENT], desk.mask[fields.CURRENT]
    )


@part
def _act(state, board, codec, desk, actions, g):
    """The agent's action; whether its turn is over. In a game that is over nothing is legal, so nothing happens."""
    desk.seat[g, fields.FRESH] = 0
    player = desk.seat[g, fields.AGENT]
    if not codec.sizes[MAX_ORDERS]:
        carry_out_turn(state, board, codec, g, player, actions, g, desk.mask[fields.CURRENT], g)
        return True
    choice = actions[g, 0]
    carry_out_order(state, board, codec, g, player, choice, desk.mask[fields.CURRENT], g)
    desk.seat[g, fields.ORDERS] += 1
    if choice != 0 and desk.seat[g, fields.ORDERS] < codec.sizes[MAX_ORDERS] and state.clock[g, STATUS] == RUNNING:
        return False
    desk.seat[g, fields.ORDERS] = 0
    return True


@part
def _take_stock(state, desk, g):
    """The agent's standing, taken whenever time has passed; orders within a turn do not change it."""
    me = desk.seat[g, fields.AGENT]
    desk.outcome[g, fields.NOW + fields.ON_TURN] = state.clock[g, TURN]
    desk.outcome[g, fields.NOW + fields.WINNER_IS] = state.clock[g, WINNER]
    desk.outcome[g, fields.NOW + fields.MY_PLANETS] = state.clock[g, OWNED_1 + me]
    desk.outcome[g, fields.NOW + fields.RIVAL_PLANETS] = state.clock[g, OWNED_1 + 1 - me]
    desk.outcome[g, fields.NOW + fields.MY_PEOPLE] = state.totals[g, PEOPLE_1 + me] + state.totals[g, FLYING_1 + me]
    desk.outcome[g, fields.NOW + fields.RIVAL_PEOPLE] = (
        state.totals[g, PEOPLE_1 + 1 - me] + state.totals[g, FLYING_1 + 1 - me]
    )
    desk.outcome[g, fields.NOW + fields.PLAYER_IS] = me + 1
    winner = state.clock[g, WINNER]
    desk.outcome[g, fields.NOW + fields.WON_IS] = 0 if winner == 0 else 1 if winner == me + 1 else -1


@part
def _next_stage(state, desk, setup, g, turn_over):
    """Who is waited for. A game that ended before the agent ever moved is shown to it first, over at its next step."""
    if state.clock[g, STATUS] != RUNNING:
        return fields.AGENT_MOVES if desk.seat[g, fields.FRESH] else fields.OVER
    opponent = setup[fields.OPPONENTS + desk.seat[g, fields.OPPONENT]]
    if not turn_over or opponent == SELF or player_to_move(state, g) == desk.seat[g, fields.AGENT]:
        return fields.AGENT_MOVES
    return fields.OUTSIDER_MOVES if opponent == OUTSIDER else fields.BOT_MOVES


@part
def _show(state, board, codec, desk, setup, scratch, g):
    """Observation and mask of the agent; of whoever is to move where one agent plays both sides."""
    if not desk.seat[g, fields.FRESH]:
        for i in range(fields.GROUP):
            desk.outcome[g, fields.AFTER + i] = desk.outcome[g, fields.NOW + i]
    mover = player_to_move(state, g)
    both_sides = setup[fields.OPPONENTS + desk.seat[g, fields.OPPONENT]] == SELF
    if both_sides and state.clock[g, STATUS] == RUNNING and mover != desk.seat[g, fields.AGENT]:
        desk.seat[g, fields.AGENT] = mover
        _take_stock(state, desk, g)
    me, visible = desk.seat[g, fields.AGENT], scratch[0]
    look(state, board, g, me, visible)
    write_observation(
        state, board, codec, g, me, desk.seat[g, fields.ORDERS], g, scratch, desk.observation[fields.CURRENT]
    )
    write_mask(state, board, codec, g, me, g, visible, desk.mask[fields.CURRENT])


@part
def _close(state, desk, g):
    """The game is over: who won, and whether by the rules or by a limit."""
    desk.outcome[g, fields.TERMINATED] = state.clock[g, STATUS] == ENDED
    desk.outcome[g, fields.TRUNCATED] = state.clock[g, STATUS] == CUT_OFF
    desk.outcome[g, fields.WON] = desk.outcome[g, fields.NOW + fields.WON_IS]


@part
def _keep_final(desk, g):
    """The last observation, aside, before the next game overwrites it."""
    for i in range(desk.observation.shape[2]):
        desk.observation[fields.FINAL, g, i] = desk.observation[fields.CURRENT, g, i]
    for e in range(desk.edge_index.shape[2]):
        desk.edge_index[fields.FINAL, g, e, 0] = desk.edge_index[fields.CURRENT, g, e, 0]
        desk.edge_index[fields.FINAL, g, e, 1] = desk.edge_index[fields.CURRENT, g, e, 1]
    for a in range(desk.mask.shape[2]):
        desk.mask[fields.FINAL, g, a] = desk.mask[fields.CURRENT, g, a]
