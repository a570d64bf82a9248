"""The kernel of the batch: agents act, time passes, opponents act, games end and begin again, agents see."""

from planetwars_env.bots.bot_codes import EXTERNAL, SELF_PLAY
from planetwars_env.bots.compiled import play_bot
from planetwars_env.codec.actions import carry_out_order, carry_out_turn
from planetwars_env.codec.layout import MAX_ORDERS, Codec
from planetwars_env.codec.observation import write_mask, write_observation, write_static
from planetwars_env.engine import columns
from planetwars_env.engine.kernel import kernel_of_separate_arrays, part
from planetwars_env.engine.prefetch import prefetch
from planetwars_env.engine.random import below
from planetwars_env.engine.state import Board, State, copy_row, place
from planetwars_env.engine.turn import end_turn, player_to_move
from planetwars_env.engine.visibility import look
from planetwars_env.sim import fields
from planetwars_env.sim.buffers import StepBuffers

STEP_GAMES, RESUME_GAMES, RESET_GAMES = range(3)
"""Tasks of a call: a step with actions; going on after a move of an external opponent; new games where they are due."""
_CACHED_GAMES = 128
"""Games that a processor's second-level cache holds; in larger batches the next game's memory is asked for in advance."""


@kernel_of_separate_arrays
def run(
    people, arrivals, flights, totals, status, random,
    info, planets, growth, edges, edge_offsets,
    sizes, fractions,
    control, result, observation, edge_index, mask,
    setup, scratch, actions, begin: int, end: int, task: int,
) -> None:  # fmt: skip
    """Games ``begin`` to ``end`` - 1 until each waits for its agent or for an external opponent.

    The arrays are those of `State`, `Board`, `Codec` and `StepBuffers`, apart because tuples make a call slower.
    """
    state = State(people, arrivals, flights, totals, status, random)
    board = Board(info, planets, growth, edges, edge_offsets)
    codec = Codec(sizes, fractions)
    buffers = StepBuffers(control, result, observation, edge_index, mask)
    for g in range(begin, end):
        if end - begin > _CACHED_GAMES and g + 1 < end:
            prefetch(arrivals, g + 1)
            prefetch(flights, g + 1)
            prefetch(observation[fields.CURRENT], g + 1)
            prefetch(mask[fields.CURRENT], g + 1)
        _run_game(state, board, codec, buffers, setup, scratch, actions, g, task)


@part
def _run_game(state, board, codec, buffers, setup, scratch, actions, g, task):
    stage = buffers.control[g, fields.STAGE]
    if task == STEP_GAMES:
        _open(buffers, g, stage == fields.GAME_OVER and setup[fields.AUTORESET] == fields.DISABLED)
        if stage == fields.GAME_OVER and setup[fields.AUTORESET] == fields.NEXT_STEP:
            stage = fields.RESET_DUE
    if (
        stage == fields.GAME_OVER
        or (task == RESUME_GAMES and stage != fields.EXTERNAL_MOVES and stage != fields.BOARD_WANTED)
        or (task == RESET_GAMES and stage != fields.RESET_DUE and stage != fields.GAME_SET)
    ):
        return
    while True:
        turn_over = True
        if stage == fields.RESET_DUE or stage == fields.BOARD_WANTED:
            if not _begin(state, board, codec, buffers, setup, g):
                stage = fields.BOARD_WANTED
                break
        elif stage == fields.GAME_SET:
            _write_board(state, board, codec, buffers, g)
            _write_info(state, buffers, g)
            turn_over = False
        elif stage == fields.AGENT_MOVES:
            turn_over = _act(state, board, codec, buffers, actions, g)
        elif stage == fields.BOT_MOVES:
            opponent = setup[fields.FIRST_OPPONENT + buffers.control[g, fields.OPPONENT_INDEX]]
            play_bot(state, board, g, 1 - buffers.control[g, fields.AGENT_PLAYER], opponent, scratch)
        if turn_over:
            end_turn(state, board, g)
            _write_info(state, buffers, g)
        stage = _next_stage(state, buffers, setup, g, turn_over)
        if stage == fields.BOT_MOVES:
            continue
        if stage == fields.EXTERNAL_MOVES:
            break
        _show(state, board, codec, buffers, setup, scratch, g)
        if stage != fields.GAME_OVER:
            break
        buffers.result[g, fields.TERMINATED] = state.status[g, columns.PHASE] == columns.ENDED
        buffers.result[g, fields.TRUNCATED] = state.status[g, columns.PHASE] == columns.CUT_OFF
        buffers.result[g, fields.WON] = buffers.result[g, fields.SHOWN + fields.INFO_WON]
        if setup[fields.AUTORESET] != fields.SAME_STEP:
            break
        _keep_final(buffers, g)
        stage = fields.RESET_DUE
    buffers.control[g, fields.STAGE] = stage


@part
def _open(buffers, g, stays_over):
    """A step begins: nothing has happened in it yet. A game that is over and waits for its reset stays marked so."""
    buffers.result[g, fields.WON] = 0
    if not stays_over:
        buffers.result[g, fields.TERMINATED] = 0
        buffers.result[g, fields.TRUNCATED] = 0
    for i in range(fields.GROUP):
        buffers.result[g, fields.BEFORE + i] = buffers.result[g, fields.SHOWN + i]


@part
def _begin(state, board, codec, buffers, setup, g):
    """A new game: graph, opponent and player come from the game's own generator, unless they were given.

    Where the board is not made yet, nothing has happened but that ORDERS holds its number; return whether it is.
    """
    before = state.random[g]
    boards, opponents = board.info.shape[0], setup[fields.OPPONENTS]
    b = _draw(state, g, boards, setup, setup[fields.GRAPH_TABLES], buffers.control[g, fields.GRAPH_TABLE])
    tables = fields.FIRST_OPPONENT + opponents
    opponent = _draw(state, g, opponents, setup, tables, buffers.control[g, fields.OPPONENT_TABLE])
    player = below(state.random, g, 2)
    if setup[fields.FIXED_PLAYER] >= 0:
        player = setup[fields.FIXED_PLAYER]
    if buffers.control[g, fields.NEXT_BOARD] >= 0:
        b = buffers.control[g, fields.NEXT_BOARD]
    if buffers.control[g, fields.NEXT_PLAYER] >= 0:
        player = buffers.control[g, fields.NEXT_PLAYER]
    if buffers.control[g, fields.NEXT_OPPONENT] >= 0:
        opponent = buffers.control[g, fields.NEXT_OPPONENT]
    if board.info[b, columns.PLANETS] == 0:
        state.random[g] = before
        buffers.control[g, fields.ORDERS] = b
        return False
    buffers.control[g, fields.AGENT_PLAYER] = player
    buffers.control[g, fields.OPPONENT_INDEX] = opponent
    buffers.control[g, fields.FRESH] = 1
    buffers.control[g, fields.ORDERS] = 0
    place(state, board, g, b, setup[fields.COEXISTENT], setup[fields.LAST_TURN])
    _write_board(state, board, codec, buffers, g)
    return True


@part
def _write_board(state, board, codec, buffers, g):
    """The parts of observation and mask that stay as they are during a game."""
    b, edges, mask = state.status[g, columns.BOARD], buffers.edge_index[fields.CURRENT], buffers.mask[fields.CURRENT]
    for layer in range(0, buffers.observation.shape[0], fields.CURRENT_STATE):
        write_static(board, codec, b, g, buffers.observation[layer], edges, mask)


@part
def _draw(state, g, count, setup, tables, table):
    """A number below ``count`` from the game's own generator: all alike, or by the thresholds of a table from 1 on."""
    if table == 0:
        return below(state.random, g, count)
    number, first, i = below(state.random, g, fields.SCALE), tables + (table - 1) * count, 0
    while setup[first + i] <= number:
        i += 1
    return i


@part
def _act(state, board, codec, buffers, actions, g):
    """The agent's action; whether its turn is over. In a game that is over nothing is legal, so nothing happens."""
    buffers.control[g, fields.FRESH] = 0
    player = buffers.control[g, fields.AGENT_PLAYER]
    if not codec.sizes[MAX_ORDERS]:
        carry_out_turn(state, board, codec, g, player, actions, g, buffers.observation[fields.CURRENT], g)
        return True
    choice = actions[g, 0]
    carry_out_order(state, board, codec, g, player, choice, buffers.observation[fields.CURRENT], g)
    buffers.control[g, fields.ORDERS] += 1
    if (
        choice != 0
        and buffers.control[g, fields.ORDERS] < codec.sizes[MAX_ORDERS]
        and state.status[g, columns.PHASE] == columns.RUNNING
    ):
        return False
    buffers.control[g, fields.ORDERS] = 0
    return True


@part
def _write_info(state, buffers, g):
    """The agent's standing, taken whenever time has passed; orders within a turn do not change it."""
    me, winner = buffers.control[g, fields.AGENT_PLAYER], state.status[g, columns.WINNER]
    info = buffers.result[g, fields.SHOWN : fields.AFTER]
    info[fields.INFO_TURN] = state.status[g, columns.TURN]
    info[fields.INFO_WINNER] = winner
    info[fields.INFO_MY_PLANETS] = state.status[g, columns.OWNED_1 + me]
    info[fields.INFO_OPPONENT_PLANETS] = state.status[g, columns.OWNED_1 + 1 - me]
    info[fields.INFO_MY_PEOPLE] = _population(state, g, me)
    info[fields.INFO_OPPONENT_PEOPLE] = _population(state, g, 1 - me)
    info[fields.INFO_PLAYER] = me + 1
    info[fields.INFO_WON] = 0 if winner == 0 else 1 if winner == me + 1 else -1
    info[fields.INFO_OPPONENT] = buffers.control[g, fields.OPPONENT_INDEX]
    info[fields.INFO_GRAPH] = state.status[g, columns.BOARD]


@part
def _population(state, g, player):
    """People of a player on planets and in flight."""
    return state.totals[g, columns.PEOPLE_1 + player] + state.totals[g, columns.FLYING_1 + player]


@part
def _next_stage(state, buffers, setup, g, turn_over):
    """Set the player to act. A game that ended before the agent ever moved is shown to it first, over at its next step."""
    if state.status[g, columns.PHASE] != columns.RUNNING:
        return fields.AGENT_MOVES if buffers.control[g, fields.FRESH] else fields.GAME_OVER
    opponent = setup[fields.FIRST_OPPONENT + buffers.control[g, fields.OPPONENT_INDEX]]
    if not turn_over or opponent == SELF_PLAY or player_to_move(state, g) == buffers.control[g, fields.AGENT_PLAYER]:
        return fields.AGENT_MOVES
    return fields.EXTERNAL_MOVES if opponent == EXTERNAL else fields.BOT_MOVES


@part
def _show(state, board, codec, buffers, setup, scratch, g):
    """Observation and mask of the agent; of whoever is to move where one agent plays both sides."""
    if not buffers.control[g, fields.FRESH]:
        for i in range(fields.GROUP):
            buffers.result[g, fields.AFTER + i] = buffers.result[g, fields.SHOWN + i]
    mover = player_to_move(state, g)
    both_sides = setup[fields.FIRST_OPPONENT + buffers.control[g, fields.OPPONENT_INDEX]] == SELF_PLAY
    if (
        both_sides
        and state.status[g, columns.PHASE] == columns.RUNNING
        and mover != buffers.control[g, fields.AGENT_PLAYER]
    ):
        buffers.control[g, fields.AGENT_PLAYER] = mover
        _write_info(state, buffers, g)
    me, visible = buffers.control[g, fields.AGENT_PLAYER], scratch[0]
    look(state, board, g, me, visible)
    write_mask(state, board, codec, g, me, g, visible, buffers.mask[fields.CURRENT])
    orders = buffers.control[g, fields.ORDERS]
    write_observation(state, board, codec, g, me, orders, g, scratch, buffers.observation[fields.CURRENT])
    if buffers.observation.shape[0] > fields.CURRENT_STATE:
        visible[:] = 1
        write_observation(state, board, codec, g, me, orders, g, scratch, buffers.observation[fields.CURRENT_STATE])


@part
def _keep_final(buffers, g):
    """The last observation, aside, before the next game overwrites it."""
    for layer in range(0, buffers.observation.shape[0], fields.CURRENT_STATE):
        copy_row(buffers.observation[layer, g], buffers.observation[layer + fields.FINAL, g])
    for end in range(2):
        copy_row(buffers.edge_index[fields.CURRENT, g, :, end], buffers.edge_index[fields.FINAL, g, :, end])
    copy_row(buffers.mask[fields.CURRENT, g], buffers.mask[fields.FINAL, g])
