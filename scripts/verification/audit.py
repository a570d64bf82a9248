"""Audit of a batch at play: every game is played a second time, by the rules of reference_rules.py.

After every step of the batch, `audit` makes the same turns in arrays of its own (the *shadow state*) from the same actions, and
then compares everything: positions, generators, ends, controls, masks, observations. The bots are the only code that both
share; what they launch is checked against what left their planets. The first difference of a game is kept as its fault.
"""

import numpy as np

from planetwars_env.bots.bot_codes import SELF_PLAY
from planetwars_env.bots.compiled import play_bot
from planetwars_env.bots.entry_points import make_scratch
from planetwars_env.codec.layout import DEGREE, FRACTION_COUNT, MAX_ORDERS, PLANET_SLOTS, SENDS, Codec
from planetwars_env.engine import columns
from planetwars_env.engine.entry_points import copy_game
from planetwars_env.engine.kernel import kernel, part
from planetwars_env.engine.state import Array, Board, State
from planetwars_env.sim import fields
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.buffers import StepBuffers
from planetwars_env.sim.setup import BatchSetup
from planetwars_env.sim.step import RESET_GAMES, STEP_GAMES
from scripts.verification import shadow_state as shadows
from scripts.verification.audit_observation import check_shown
from scripts.verification.reference_rules import draw_below, finish_turn, flier, launch, place_first, see
from scripts.verification.shadow_state import FaultError, ShadowState, fail, make_shadow_state


class AuditedBatch:
    """Plays like a `Batch`; every call is followed by an audit, and a difference is a FaultError. It begins with `reset`."""

    def __init__(self, games: int, setup: BatchSetup, seed: int, threads: int = 1) -> None:
        self.batch = Batch(games, setup, threads)
        self.batch.seed(seed)
        self.batch.show_masks()
        numbers, choices = self.batch.buffers.observation.shape[-1], self.batch.buffers.mask.shape[-1]
        self.shadow = make_shadow_state(self.batch.state, self.batch.board, numbers, choices)
        self.all = np.ones(games, bool)
        self._numbers = self.batch.setup.numbers()
        self._scratch = make_scratch(self.batch.board, self.batch.state.people.dtype)

    def step(self, actions: Array) -> None:
        """Play ``actions`` [N, sends * P], or [N, 1] with actions="order"."""
        self.batch.actions[:] = np.asarray(actions).reshape(self.batch.actions.shape)
        self.batch.step()
        self._audit(STEP_GAMES, self.all)

    def reset(self, rows: Array | None = None) -> None:
        """Begin new games in ``rows`` [N] bool, or everywhere."""
        rows = self.all if rows is None else rows
        self.batch.reset(rows)
        self.shadow.control[rows, fields.STAGE] = fields.RESET_DUE
        self._audit(RESET_GAMES, rows)

    def seed_rows(self, seeds: list[int | None]) -> None:
        """Seed the rows for which there is a seed."""
        self.batch.seed_rows(seeds)
        self.shadow.twin.random[:] = self.batch.state.random

    def copy_game(self, source: int, target: int) -> None:
        """Copy one row over another."""
        self.batch.copy_game(source, target)
        copy_game(self.shadow.twin, source, self.shadow.twin, target)
        for array in (self.shadow.control, self.shadow.result, self.shadow.fresh):
            array[target] = array[source]

    def legal(self, rng: np.random.Generator) -> Array:
        """Return one of the legal choices of every planet or order, all alike; waiting is among them."""
        legal = self.batch.current.mask.reshape(len(self.all), self.batch.actions.shape[1], -1)
        return np.argmax(rng.random(legal.shape, np.float32) * legal, axis=2)

    def _audit(self, task: int, rows: Array) -> None:
        batch = self.batch
        audit(
            batch.state, batch.board, batch.codec, batch.buffers, self.shadow, self._numbers, self._scratch, batch.actions,
            rows, task,
        )  # fmt: skip
        wrong = np.flatnonzero(self.shadow.fault[:, 0])
        if len(wrong):
            code, where, expected, found = self.shadow.fault[wrong[0]].tolist()
            raise FaultError(code, int(wrong[0]), where, expected, found)


@kernel
def audit(
    state: State,
    board: Board,
    codec: Codec,
    buffers: StepBuffers,
    shadow: ShadowState,
    setup,
    scratch,
    actions,
    rows,
    task: int,
) -> None:
    """Follow and compare the games of ``rows`` [N] bool after a call of the batch with ``task`` (STEP_GAMES or RESET_GAMES)."""
    for g in range(state.status.shape[0]):
        if rows[g] and shadow.fault[g, 0] == 0:
            _follow(state, board, codec, buffers, shadow, setup, scratch, actions, g, task)
            _compare_position(state, board, shadow, g)
            _compare_buffers(state, board, codec, buffers, shadow, g)


# --- the same turns once more --------------------------------------------------------------------------------------


@part
def _follow(state, board, codec, buffers, shadow, setup, scratch, actions, g, task):
    """Check the batch's work in this call. One loop, so that every rule is pasted into the kernel once (engine/kernel.py)."""
    twin, stage = shadow.twin, shadow.control[g, fields.STAGE]
    if task == STEP_GAMES:
        _open(shadow, g, stage == fields.GAME_OVER and setup[fields.AUTORESET] == fields.DISABLED)
        if stage == fields.GAME_OVER and setup[fields.AUTORESET] == fields.NEXT_STEP:
            stage = fields.RESET_DUE
    if stage == fields.GAME_OVER or (task == RESET_GAMES and stage != fields.RESET_DUE):
        return
    while True:
        turn_over = True
        if stage == fields.RESET_DUE:
            _begin(state, board, shadow, setup, g)
        elif stage == fields.AGENT_MOVES:
            turn_over = _act(board, codec, shadow, actions, g)
        else:
            _bot_moves(
                board, shadow, setup[fields.FIRST_OPPONENT + shadow.control[g, fields.OPPONENT_INDEX]], scratch, g
            )
        if turn_over:
            before = twin.status[g, columns.TURN]
            finish_turn(twin, board, g, shadow.landed)
            shadow.tally[shadows.TURNS_PLAYED] += twin.status[g, columns.TURN] - before
            _take_stock(shadow, g)
        stage = _next_stage(shadow, setup, g, turn_over)
        if stage == fields.GAME_OVER:
            _close(shadow, g)
            if setup[fields.AUTORESET] == fields.SAME_STEP:
                _compare_shown(board, codec, buffers, shadow, g, fields.FINAL)
                stage = fields.RESET_DUE
        if stage in (fields.AGENT_MOVES, fields.GAME_OVER):
            break
    shadow.control[g, fields.STAGE] = stage


@part
def _open(shadow, g, stays_over):
    shadow.result[g, fields.WON] = 0
    if not stays_over:
        shadow.result[g, fields.TERMINATED] = shadow.result[g, fields.TRUNCATED] = 0


@part
def _begin(state, board, shadow, setup, g):
    """R2, and the draws in their documented order: board, opponent, player."""
    b = draw_below(shadow.twin.random, g, board.info.shape[0])
    opponent = draw_below(shadow.twin.random, g, setup[fields.OPPONENTS])
    player = draw_below(shadow.twin.random, g, 2)
    if setup[fields.FIXED_PLAYER] >= 0:
        player = setup[fields.FIXED_PLAYER]
    if state.status[g, columns.BOARD] != b:
        fail(shadow.fault, g, shadows.DRAW, 0, b, state.status[g, columns.BOARD])
    place_first(shadow.twin, board, g, b, setup[fields.COEXISTENT], setup[fields.LAST_TURN])
    (
        shadow.control[g, fields.AGENT_PLAYER],
        shadow.control[g, fields.OPPONENT_INDEX],
        shadow.control[g, fields.ORDERS],
    ) = (player, opponent, 0)
    shadow.fresh[g] = 1
    shadow.tally[shadows.GAMES_BEGUN] += 1


@part
def _act(board, codec, shadow, actions, g):
    """The agent's action; whether its turn is over."""
    twin, player = shadow.twin, shadow.control[g, fields.AGENT_PLAYER]
    shadow.fresh[g] = 0
    if twin.status[g, columns.PHASE] != columns.RUNNING:
        return True
    see(twin, board, g, player, shadow.seen)
    if not codec.sizes[MAX_ORDERS]:
        for first in range(0, codec.sizes[SENDS] * codec.sizes[PLANET_SLOTS], codec.sizes[PLANET_SLOTS]):
            for p in range(board.info[twin.status[g, columns.BOARD], columns.PLANETS]):
                _plan(board, codec, shadow, g, player, p, actions[g, first + p])
        return True
    choice = actions[g, 0]
    _order(board, codec, shadow, g, player, choice)
    shadow.control[g, fields.ORDERS] += 1
    if choice != 0 and shadow.control[g, fields.ORDERS] < codec.sizes[MAX_ORDERS]:
        return False
    shadow.control[g, fields.ORDERS] = 0
    return True


@part
def _next_stage(shadow, setup, g, turn_over):
    """Check the player to act; an agent that plays both sides changes it. A game that was over at once is shown first."""
    twin = shadow.twin
    if twin.status[g, columns.PHASE] != columns.RUNNING:
        return fields.AGENT_MOVES if shadow.fresh[g] else fields.GAME_OVER
    mover = 1 - twin.status[g, columns.TURN] % 2
    if (
        setup[fields.FIRST_OPPONENT + shadow.control[g, fields.OPPONENT_INDEX]] == SELF_PLAY
        and shadow.control[g, fields.AGENT_PLAYER] != mover
    ):
        shadow.control[g, fields.AGENT_PLAYER] = mover
        _take_stock(shadow, g)
    return fields.AGENT_MOVES if not turn_over or shadow.control[g, fields.AGENT_PLAYER] == mover else fields.BOT_MOVES


@part
def _plan(board, codec, shadow, g, player, p, choice):
    """actions="turn": choice 1 + d * K + k sends fraction k along the d-th edge that leaves planet p."""
    if choice < 1 or choice > codec.sizes[DEGREE] * codec.sizes[FRACTION_COUNT]:
        return
    wanted, b = (choice - 1) // codec.sizes[FRACTION_COUNT], shadow.twin.status[g, columns.BOARD]
    for e in range(board.info[b, columns.EDGES]):
        if board.edges[b, columns.SOURCE, e] == p:
            if wanted == 0:
                _send(board, codec, shadow, g, player, e, (choice - 1) % codec.sizes[FRACTION_COUNT])
                return
            wanted -= 1


@part
def _order(board, codec, shadow, g, player, choice):
    """actions="order": choice 1 + e * K + k sends fraction k along directed edge e."""
    edges = board.info[shadow.twin.status[g, columns.BOARD], columns.EDGES]
    if 1 <= choice <= edges * codec.sizes[FRACTION_COUNT]:
        wanted = choice - 1
        _send(
            board, codec, shadow, g, player, wanted // codec.sizes[FRACTION_COUNT], wanted % codec.sizes[FRACTION_COUNT]
        )


@part
def _send(board, codec, shadow, g, player, e, k):
    """From visible planets only; a fraction of n people is at least one of them."""
    source = board.edges[shadow.twin.status[g, columns.BOARD], columns.SOURCE, e]
    people = shadow.twin.people[g, player, source]
    if shadow.seen[source] and people > 0:
        sent = max(1, int(codec.fractions[k] * people))
        shadow.tally[shadows.LAUNCHES] += launch(shadow.twin, board, g, player, e, sent)


@part
def _bot_moves(board, shadow, bot, scratch, g):
    """Check a bot's launches: they have left its own planets, and nothing else may have changed."""
    twin, player = shadow.twin, 1 - shadow.control[g, fields.AGENT_PLAYER]
    b, slots = twin.status[g, columns.BOARD], twin.flights.shape[1]
    for p in range(board.info[b, columns.PLANETS]):
        shadow.sent[p] = twin.people[g, player, p]
        shadow.landed[1, p] = twin.people[g, 1 - player, p]
    play_bot(twin, board, g, player, bot, scratch)
    for e in range(board.info[b, columns.EDGES]):
        people = twin.flights[g, (twin.status[g, columns.TURN] + board.edges[b, columns.TURNS, e]) % slots, e]
        shadow.sent[board.edges[b, columns.SOURCE, e]] -= people
        shadow.tally[shadows.LAUNCHES] += people > 0
    for p in range(board.info[b, columns.PLANETS]):
        if twin.people[g, player, p] != shadow.sent[p]:
            fail(shadow.fault, g, shadows.BOT_LAUNCHES, p, shadow.sent[p], twin.people[g, player, p])
        if twin.people[g, 1 - player, p] != shadow.landed[1, p]:
            fail(shadow.fault, g, shadows.BOT_LAUNCHES, p, shadow.landed[1, p], twin.people[g, 1 - player, p])


@part
def _take_stock(shadow, g):
    """The agent's standing when time last passed."""
    twin, me = shadow.twin, shadow.control[g, fields.AGENT_PLAYER]
    numbers = shadow.result[g, 3:]
    numbers[0] = twin.status[g, columns.TURN]
    numbers[1] = twin.status[g, columns.WINNER]
    for i in range(2):
        side = me if i == 0 else 1 - me
        numbers[2 + i] = twin.status[g, columns.OWNED_1 + side]
        numbers[4 + i] = np.int64(twin.totals[g, columns.PEOPLE_1 + side]) + twin.totals[g, columns.FLYING_1 + side]
    numbers[6] = me + 1
    numbers[7] = 0 if numbers[1] == 0 else 1 if numbers[1] == numbers[6] else -1
    numbers[8] = shadow.control[g, fields.OPPONENT_INDEX]
    numbers[9] = twin.status[g, columns.BOARD]


@part
def _close(shadow, g):
    """Check the end of the game, for the agent and for the tally."""
    winner = shadow.twin.status[g, columns.WINNER]
    shadow.result[g, fields.TERMINATED] = shadow.twin.status[g, columns.PHASE] == columns.ENDED
    shadow.result[g, fields.TRUNCATED] = shadow.twin.status[g, columns.PHASE] == columns.CUT_OFF
    shadow.result[g, fields.WON] = (
        0 if winner == 0 else 1 if winner == shadow.control[g, fields.AGENT_PLAYER] + 1 else -1
    )
    if shadow.twin.status[g, columns.PHASE] == columns.CUT_OFF:
        shadow.tally[shadows.CUT] += 1
    else:
        shadow.tally[shadows.DRAWN if winner == 0 else shadows.WON_BY_1 if winner == 1 else shadows.WON_BY_2] += 1


# --- the comparison ------------------------------------------------------------------------------------------------


@part
def _compare_position(state, board, shadow, g):
    """Every number is that of the second clock, and there are no more people than the board can hold."""
    twin, b = shadow.twin, state.status[g, columns.BOARD]
    for i in range(8):
        if state.status[g, i] != twin.status[g, i]:
            fail(shadow.fault, g, shadows.POSITION, i, twin.status[g, i], state.status[g, i])
    if state.random[g] != twin.random[g]:
        fail(shadow.fault, g, shadows.DRAW, 1, 0, 0)
    alive = _settled(state, shadow, g) + _aloft(state, board, shadow, g, b)
    if alive > shadow.most[b]:
        fail(shadow.fault, g, shadows.TOO_MANY, 0, shadow.most[b], alive)
    for i in range(4):
        if state.totals[g, i] != twin.totals[g, i]:
            fail(shadow.fault, g, shadows.POSITION, 10 + i, twin.totals[g, i], state.totals[g, i])


@part
def _settled(state, shadow, g):
    """The number of people on planets."""
    people = np.int64(0)
    for player in range(2):
        for p in range(state.people.shape[2]):
            here = state.people[g, player, p]
            people += here
            if here < 0:
                fail(shadow.fault, g, shadows.NEGATIVE, p, 0, here)
            if here != shadow.twin.people[g, player, p]:
                fail(shadow.fault, g, shadows.POSITION, 100 + p, shadow.twin.people[g, player, p], here)
            if not state.status[g, columns.COEXISTENCE] and here > 0 and state.people[g, 1 - player, p] > 0:
                fail(shadow.fault, g, shadows.POSITION, 100 + p, 0, here)
    return people


@part
def _aloft(state, board, shadow, g, b):
    """The number of people in flight; the arrivals kept beside the flights must be the same people."""
    slots, turn, people = state.flights.shape[1], state.status[g, columns.TURN], np.int64(0)
    flying = shadow.landed
    flying[0, 0] = flying[1, 0] = 0
    for slot in range(slots):
        for p in range(shadow.arrivals.shape[2]):
            shadow.arrivals[slot, 0, p] = shadow.arrivals[slot, 1, p] = 0
        for e in range(state.flights.shape[2]):
            here = state.flights[g, slot, e]
            if here != shadow.twin.flights[g, slot, e]:
                fail(shadow.fault, g, shadows.FLIGHTS, e, shadow.twin.flights[g, slot, e], here)
            if here != 0:
                player = flier(turn, slot, slots, board.edges[b, columns.TURNS, e])
                if here < 0 or player < 0 or e >= board.info[b, columns.EDGES]:
                    fail(shadow.fault, g, shadows.FLIGHTS, e, 0, here)
                else:
                    shadow.arrivals[slot, player, board.edges[b, columns.TARGET, e]] += here
                    flying[player, 0] += here
                    people += here
        for player in range(2):
            for p in range(shadow.arrivals.shape[2]):
                if state.arrivals[g, slot, player, p] != shadow.arrivals[slot, player, p]:
                    expected, found = shadow.arrivals[slot, player, p], state.arrivals[g, slot, player, p]
                    fail(shadow.fault, g, shadows.FLIGHTS, p, expected, found)
    for player in range(2):
        if state.totals[g, columns.FLYING_1 + player] != flying[player, 0]:
            fail(
                shadow.fault,
                g,
                shadows.FLIGHTS,
                1000 + player,
                flying[player, 0],
                state.totals[g, columns.FLYING_1 + player],
            )
    return people


@part
def _compare_buffers(state, board, codec, buffers, shadow, g):
    """Check the player to move, the end of a game, and the agent's observation."""
    for i in (fields.AGENT_PLAYER, fields.OPPONENT_INDEX, fields.STAGE, fields.ORDERS):
        if buffers.control[g, i] != shadow.control[g, i]:
            fail(shadow.fault, g, shadows.CONTROL, i, shadow.control[g, i], buffers.control[g, i])
    for i in range(3):
        if buffers.result[g, i] != shadow.result[g, i]:
            fail(shadow.fault, g, shadows.ENDING, i, shadow.result[g, i], buffers.result[g, i])
    for i in range(fields.GROUP):
        if buffers.result[g, fields.SHOWN + i] != shadow.result[g, 3 + i]:
            fail(shadow.fault, g, shadows.STANDING, i, shadow.result[g, 3 + i], buffers.result[g, fields.SHOWN + i])
    if state.status[g, columns.TURN] > state.status[g, columns.LIMIT]:
        fail(shadow.fault, g, shadows.ENDING, 3, state.status[g, columns.LIMIT], state.status[g, columns.TURN])
    _compare_shown(board, codec, buffers, shadow, g, fields.CURRENT)


@part
def _compare_shown(board, codec, buffers, shadow, g, which):
    """From the second position, so that nothing of the first can hide a fault in what is shown of it."""
    me = shadow.control[g, fields.AGENT_PLAYER]
    see(shadow.twin, board, g, me, shadow.seen)
    check_shown(
        shadow.twin, board, codec, shadow, g, buffers.observation[which, g], buffers.edge_index[which, g], buffers.mask[which, g]
    )  # fmt: skip
