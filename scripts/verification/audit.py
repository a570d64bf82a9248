"""Audit of a batch at play: every game is played a second time, by the rules of reference_rules.py.

After every step of the batch, `follow` makes the same turns in arrays of its own (the *shadow*) from the same actions, and then
everything is compared: positions, generators, ends, controls, masks, observations. The bots are the only code that both share:
they move in a copy of a game, and what they sent is launched here by the rules. The first difference is a FaultError.
"""

from typing import Any, NamedTuple

import numpy as np

from planetwars_env.bots.bot_codes import SELF_PLAY
from planetwars_env.bots.compiled import play_bot
from planetwars_env.bots.entry_points import make_scratch
from planetwars_env.codec.layout import DEGREE, FRACTION_COUNT, MAX_ORDERS, PLANET_SLOTS, SENDS, Codec
from planetwars_env.engine import columns
from planetwars_env.engine.entry_points import copy_game
from planetwars_env.engine.kernel import kernel, part
from planetwars_env.engine.state import Array, Board, State, allocate
from planetwars_env.engine.state import copy_game as copy_in_kernel
from planetwars_env.sim import fields
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.buffers import StepBuffers
from planetwars_env.sim.setup import BatchSetup
from planetwars_env.sim.step import RESET_GAMES, STEP_GAMES
from scripts.verification.audit_observation import show
from scripts.verification.reference_rules import draw_below, finish_turn, launch, place_first, see

_EXACT = 2e-6
"""Of its value: how far a float32 may lie from the number that it shows."""
# columns of Shadow.tally
TURNS_PLAYED, GAMES_BEGUN, WON_BY_1, WON_BY_2, DRAWN, CUT, LAUNCHES = range(7)
TALLY: tuple[str, ...] = ("turns", "games", "won_by_1", "won_by_2", "drawn", "cut_off", "launches")
"""Their names: turns that passed, games begun, how games ended, and shuttles launched."""


class FaultError(Exception):
    """A fault: what is wrong, in which game, at which place of the array, and what was expected and found there."""

    def __init__(self, fault: str, game: int, where: Any = (), expected: Any = 0, found: Any = 0) -> None:
        self.told = {"fault": fault, "game": game, "where": where, "expected": expected, "found": found}
        super().__init__(str(self.told))


class Shadow(NamedTuple):
    """Shadow of N games, and room to reckon (axes: engine/state.py)."""

    state: State
    """The position of every game, kept by the reference rules."""
    buffers: StepBuffers
    """Controls, results, and what the agents should be shown, as far as it follows from the rules and the draws."""
    trial: State
    """One game, in which a bot moves."""
    tally: Array
    """[7] int64: `TALLY`."""
    seen: Array
    """[P] int64."""
    landed: Array
    """[2, P] int64."""


class AuditedBatch:
    """Plays like a `Batch`; every call is followed by an audit, and a difference is a FaultError. It begins with `reset`."""

    def __init__(self, games: int, setup: BatchSetup, seed: int, threads: int = 1) -> None:
        self.batch = Batch(games, setup, threads)
        self.batch.seed(seed)
        self.batch.show_masks()
        state, board = self.batch.state, self.batch.board
        planets, slots, people = board.planets.shape[2], state.flights.shape[1], state.people.dtype
        self.shadow = Shadow(
            state=State(*(array.copy() for array in state)),
            buffers=StepBuffers(*(array.copy() for array in self.batch.buffers)),
            trial=allocate(1, board, slots, people),
            tally=np.zeros(len(TALLY), np.int64),
            seen=np.zeros(planets, np.int64),
            landed=np.zeros((2, planets), np.int64),
        )
        longest = np.maximum(1, board.edges[:, columns.TURNS].max(axis=1, initial=0).astype(np.int64))
        self._most = (10 * longest + 1) * board.planets[:, 0].sum(axis=1, dtype=np.int64)
        self._numbers = self.batch.setup.numbers()
        self._scratch = make_scratch(board, people)

    def step(self, actions: Array) -> None:
        """Play ``actions`` [N, sends * P], or [N, 1] with actions="order"."""
        self.batch.actions[:] = np.asarray(actions).reshape(self.batch.actions.shape)
        self.batch.step()
        self._audit(STEP_GAMES)

    def reset(self, rows: Array | None = None) -> None:
        """Begin new games in ``rows`` [N] bool, or everywhere."""
        self.batch.reset(rows)
        self.shadow.buffers.control[slice(None) if rows is None else rows, fields.STAGE] = fields.RESET_DUE
        self._audit(RESET_GAMES)

    def seed_rows(self, seeds: list[int | None]) -> None:
        """Seed the rows for which there is a seed."""
        self.batch.seed_rows(seeds)
        self.shadow.state.random[:] = self.batch.state.random

    def copy_game(self, source: int, target: int) -> None:
        """Copy one row over another."""
        self.batch.copy_game(source, target)
        copy_game(self.shadow.state, source, self.shadow.state, target)
        control, result, *shown = self.shadow.buffers
        for array in (control, result, *(layers[fields.CURRENT] for layers in shown)):
            array[target] = array[source]

    def legal(self, rng: np.random.Generator) -> Array:
        """Return one of the legal choices of every planet or order, all alike; waiting is among them."""
        legal = self.batch.current.mask.reshape(self.batch.games, self.batch.actions.shape[1], -1)
        return np.argmax(rng.random(legal.shape, np.float32) * legal, axis=2)

    def _audit(self, task: int) -> None:
        batch, shadow = self.batch, self.shadow
        follow(batch.board, batch.codec, shadow, self._numbers, self._scratch, batch.actions, task)
        if agree(shadow.state, shadow.buffers, batch.state, batch.buffers, self._most):
            return
        for name, expected, found in zip(State._fields, shadow.state, batch.state, strict=True):
            _compare(name, expected, found)
        for name, expected, found in zip(StepBuffers._fields, shadow.buffers, batch.buffers, strict=True):
            if name in ("control", "result"):
                _compare(name, expected, found)
            else:
                for layer in (fields.CURRENT, fields.FINAL):
                    _compare(name, expected[layer], found[layer], _EXACT if name == "observation" else 0.0)
        people, flights = batch.state.people, batch.state.flights
        alive = people.sum((1, 2), dtype=np.int64) + flights.sum((1, 2), dtype=np.int64)
        most = self._most[batch.state.status[:, columns.BOARD]]
        raise FaultError("more people than the board can hold", int((alive > most).argmax()))


def _compare(name: str, expected: Array, found: Array, exact: float = 0.0) -> None:
    """FaultError where the arrays [N, ...] differ by more than the fraction ``exact`` of what was expected."""
    places = np.argwhere((expected != found) & ~(np.abs(found - expected) <= exact * np.abs(expected)))
    if len(places):
        where = tuple(places[0].tolist())
        raise FaultError(name, where[0], where[1:], expected[where].item(), found[where].item())


@kernel
def agree(state: State, buffers: StepBuffers, found: State, shown: StepBuffers, most: Array) -> bool:
    """Whether ``found`` and ``shown`` are what they should be, and nowhere more people than the board can hold."""
    for g in range(found.status.shape[0]):
        alive = np.int64(0)
        for player in range(2):
            for p in range(found.people.shape[2]):
                alive += found.people[g, player, p]
        for slot in range(found.flights.shape[1]):
            for e in range(found.flights.shape[2]):
                alive += found.flights[g, slot, e]
        if alive > most[found.status[g, columns.BOARD]]:
            return False
    for i in range(buffers.observation.size):
        one, other = buffers.observation.flat[i], shown.observation.flat[i]
        if one != other and not abs(other - one) <= _EXACT * abs(one):
            return False
    return (
        _same(state.people, found.people)
        and _same(state.arrivals, found.arrivals)
        and _same(state.flights, found.flights)
        and _same(state.totals, found.totals)
        and _same(state.status, found.status)
        and _same(state.random, found.random)
        and _same(buffers.control, shown.control)
        and _same(buffers.result, shown.result)
        and _same(buffers.edge_index, shown.edge_index)
        and _same(buffers.mask, shown.mask)
    )


@part
def _same(expected, found):
    different = 0
    for i in range(expected.size):
        different += expected.flat[i] != found.flat[i]
    return different == 0


@kernel
def follow(board: Board, codec: Codec, shadow: Shadow, setup, scratch, actions, task: int) -> None:
    """Make in the shadow what a call of the batch with ``task`` (STEP_GAMES or RESET_GAMES) should have made."""
    for g in range(shadow.state.status.shape[0]):
        _follow(board, codec, shadow, setup, scratch, actions, g, task)


@part
def _follow(board, codec, shadow, setup, scratch, actions, g, task):
    """One loop, so that every rule is pasted into the kernel once (engine/kernel.py)."""
    state, control, stage = shadow.state, shadow.buffers.control, shadow.buffers.control[g, fields.STAGE]
    if task == STEP_GAMES:
        _open(shadow, g, stage == fields.GAME_OVER and setup[fields.AUTORESET] == fields.DISABLED)
        if stage == fields.GAME_OVER and setup[fields.AUTORESET] == fields.NEXT_STEP:
            stage = fields.RESET_DUE
    if stage == fields.GAME_OVER or (task == RESET_GAMES and stage != fields.RESET_DUE):
        return
    while True:
        turn_over = True
        if stage == fields.RESET_DUE:
            _begin(board, shadow, setup, g)
        elif stage == fields.AGENT_MOVES:
            turn_over = _act(board, codec, shadow, actions, g)
        else:
            _bot_moves(board, shadow, setup[fields.FIRST_OPPONENT + control[g, fields.OPPONENT_INDEX]], scratch, g)
        if turn_over:
            before = state.status[g, columns.TURN]
            finish_turn(state, board, g, shadow.landed)
            shadow.tally[TURNS_PLAYED] += state.status[g, columns.TURN] - before
            _take_stock(shadow, g)
        for i in range(0 if control[g, fields.FRESH] else fields.GROUP):
            shadow.buffers.result[g, fields.AFTER + i] = shadow.buffers.result[g, fields.SHOWN + i]
        stage = _next_stage(shadow, setup, g, turn_over)
        if stage == fields.BOT_MOVES:
            continue
        if stage == fields.GAME_OVER:
            _close(shadow, g)
        new_game = stage == fields.GAME_OVER and setup[fields.AUTORESET] == fields.SAME_STEP
        layer = fields.FINAL if new_game else fields.CURRENT
        see(state, board, g, control[g, fields.AGENT_PLAYER], shadow.seen)
        show(state, board, codec, shadow.buffers, g, layer, shadow.seen)
        if not new_game:
            break
        stage = fields.RESET_DUE
    control[g, fields.STAGE] = stage


@part
def _open(shadow, g, stays_over):
    result = shadow.buffers.result[g]
    result[fields.WON] = 0
    for i in range(fields.GROUP):
        result[fields.BEFORE + i] = result[fields.SHOWN + i]
    if not stays_over:
        result[fields.TERMINATED] = result[fields.TRUNCATED] = 0


@part
def _begin(board, shadow, setup, g):
    """R2, and the draws in their documented order: board, opponent, player."""
    random, control = shadow.state.random, shadow.buffers.control[g]
    b = draw_below(random, g, board.info.shape[0])
    control[fields.OPPONENT_INDEX] = draw_below(random, g, setup[fields.OPPONENTS])
    control[fields.AGENT_PLAYER] = draw_below(random, g, 2)
    if setup[fields.FIXED_PLAYER] >= 0:
        control[fields.AGENT_PLAYER] = setup[fields.FIXED_PLAYER]
    control[fields.ORDERS], control[fields.FRESH] = 0, 1
    place_first(shadow.state, board, g, b, setup[fields.COEXISTENT], setup[fields.LAST_TURN])
    shadow.tally[GAMES_BEGUN] += 1


@part
def _act(board, codec, shadow, actions, g):
    """The agent's action; whether its turn is over."""
    state, control = shadow.state, shadow.buffers.control[g]
    player = control[fields.AGENT_PLAYER]
    control[fields.FRESH] = 0
    if state.status[g, columns.PHASE] != columns.RUNNING:
        return True
    see(state, board, g, player, shadow.seen)
    if not codec.sizes[MAX_ORDERS]:
        for first in range(0, codec.sizes[SENDS] * codec.sizes[PLANET_SLOTS], codec.sizes[PLANET_SLOTS]):
            for p in range(board.info[state.status[g, columns.BOARD], columns.PLANETS]):
                _plan(board, codec, shadow, g, player, p, actions[g, first + p])
        return True
    choice = actions[g, 0]
    _order(board, codec, shadow, g, player, choice)
    control[fields.ORDERS] += 1
    if choice != 0 and control[fields.ORDERS] < codec.sizes[MAX_ORDERS]:
        return False
    control[fields.ORDERS] = 0
    return True


@part
def _next_stage(shadow, setup, g, turn_over):
    """The player to act; an agent that plays both sides changes it. A game that was over at once is shown first."""
    status, control = shadow.state.status[g], shadow.buffers.control[g]
    if status[columns.PHASE] != columns.RUNNING:
        return fields.AGENT_MOVES if control[fields.FRESH] else fields.GAME_OVER
    mover = 1 - status[columns.TURN] % 2
    opponent = setup[fields.FIRST_OPPONENT + control[fields.OPPONENT_INDEX]]
    if opponent == SELF_PLAY and control[fields.AGENT_PLAYER] != mover:
        control[fields.AGENT_PLAYER] = mover
        _take_stock(shadow, g)
    return fields.AGENT_MOVES if not turn_over or control[fields.AGENT_PLAYER] == mover else fields.BOT_MOVES


@part
def _plan(board, codec, shadow, g, player, p, choice):
    """actions="turn": choice 1 + d * K + k sends fraction k along the d-th edge that leaves planet p."""
    if choice < 1 or choice > codec.sizes[DEGREE] * codec.sizes[FRACTION_COUNT]:
        return
    wanted, b = (choice - 1) // codec.sizes[FRACTION_COUNT], shadow.state.status[g, columns.BOARD]
    for e in range(board.info[b, columns.EDGES]):
        if board.edges[b, columns.SOURCE, e] == p:
            if wanted == 0:
                _send(board, codec, shadow, g, player, e, (choice - 1) % codec.sizes[FRACTION_COUNT])
                return
            wanted -= 1


@part
def _order(board, codec, shadow, g, player, choice):
    """actions="order": choice 1 + e * K + k sends fraction k along directed edge e."""
    edges, fractions = board.info[shadow.state.status[g, columns.BOARD], columns.EDGES], codec.sizes[FRACTION_COUNT]
    if 1 <= choice <= edges * fractions:
        _send(board, codec, shadow, g, player, (choice - 1) // fractions, (choice - 1) % fractions)


@part
def _send(board, codec, shadow, g, player, e, k):
    """From visible planets only; a fraction of n people is at least one of them."""
    source = board.edges[shadow.state.status[g, columns.BOARD], columns.SOURCE, e]
    people = shadow.state.people[g, player, source]
    if shadow.seen[source] and people > 0:
        sent = max(1, int(codec.fractions[k] * people))
        shadow.tally[LAUNCHES] += launch(shadow.state, board, g, player, e, sent)


@part
def _bot_moves(board, shadow, bot, scratch, g):
    """A bot moves in a copy of the game; what it sent along each edge is launched here by the rules."""
    state, trial, player = shadow.state, shadow.trial, 1 - shadow.buffers.control[g, fields.AGENT_PLAYER]
    b, slots, turn = state.status[g, columns.BOARD], state.flights.shape[1], state.status[g, columns.TURN]
    copy_in_kernel(state, g, trial, 0)
    play_bot(trial, board, 0, player, bot, scratch)
    state.random[g] = trial.random[0]
    for e in range(board.info[b, columns.EDGES]):
        slot = (turn + board.edges[b, columns.TURNS, e]) % slots
        shadow.tally[LAUNCHES] += launch(
            state, board, g, player, e, trial.flights[0, slot, e] - state.flights[g, slot, e]
        )


@part
def _take_stock(shadow, g):
    """The agent's standing when time last passed."""
    state, me, numbers = shadow.state, shadow.buffers.control[g, fields.AGENT_PLAYER], shadow.buffers.result[g, 3:]
    numbers[0] = state.status[g, columns.TURN]
    numbers[1] = state.status[g, columns.WINNER]
    for i in range(2):
        side = me if i == 0 else 1 - me
        numbers[2 + i] = state.status[g, columns.OWNED_1 + side]
        numbers[4 + i] = np.int64(state.totals[g, columns.PEOPLE_1 + side]) + state.totals[g, columns.FLYING_1 + side]
    numbers[6] = me + 1
    numbers[7] = 0 if numbers[1] == 0 else 1 if numbers[1] == numbers[6] else -1
    numbers[8] = shadow.buffers.control[g, fields.OPPONENT_INDEX]
    numbers[9] = state.status[g, columns.BOARD]


@part
def _close(shadow, g):
    """The end of the game, for the agent and for the tally."""
    status, result = shadow.state.status[g], shadow.buffers.result[g]
    phase, winner = status[columns.PHASE], status[columns.WINNER]
    result[fields.TERMINATED], result[fields.TRUNCATED] = phase == columns.ENDED, phase == columns.CUT_OFF
    me = shadow.buffers.control[g, fields.AGENT_PLAYER] + 1
    result[fields.WON] = 0 if winner == 0 else 1 if winner == me else -1
    if phase == columns.CUT_OFF:
        shadow.tally[CUT] += 1
    else:
        shadow.tally[DRAWN if winner == 0 else WON_BY_1 if winner == 1 else WON_BY_2] += 1
