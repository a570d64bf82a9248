"""The bot that looks ahead, within what a player may know: kernels that play its turn, in a batch, alone, or in a page."""

from collections.abc import Sequence

import numpy as np

from planetwars_env.bots.bot_codes import ADVISOR, AI3
from planetwars_env.bots.compiled import play_bot
from planetwars_env.bots.entry_points import make_scratch
from planetwars_env.bots.search import BEST, PLAN_ROWS, PLANS, ROOT, ROWS, overrule, search
from planetwars_env.bots.strategy import Strategy
from planetwars_env.bots.supposed_game import (
    BEGUN,
    IN_SIGHT,
    SUPPOSED_SIZE,
    Memory,
    SeenGame,
    allocate_supposed,
    as_wide,
    correct,
    is_to_move,
    look_again,
    pass_turn,
)
from planetwars_env.engine import columns
from planetwars_env.engine.flights import launched
from planetwars_env.engine.kernel import kernel, part
from planetwars_env.engine.random import below, seeded
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array, Board, State, allocate, copy_game
from planetwars_env.engine.turn import send
from planetwars_env.graphs.graph import Graph
from planetwars_env.view import KnownMap, Move, View

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""An odd number that spreads small ones over 64 bits, none of them to zero."""
BUDGET = 9000
"""Turns that are simulated for one turn: about 5 ms on one core, on graphs of the classic size."""
SEARCH_HORIZON = 40
"""Turns that a plan is tried out for, times the turns that an edge takes for each unit of its weight."""


@part
def play_planner(
    state: State, board: Board, g: int, player: int, supposed: State, known: Board, memory: Memory, trial: State,
    plans: Array, own: Array, budget: int, horizon: int, scratch: Array,
) -> int:  # fmt: skip
    """One turn of planner for ``player`` (0, 1) in game g; the number of turns that it simulated for that.

    Row g of ``supposed``, ``known``, ``memory`` and ``plans`` [N, PLANS, PLAN_ROWS, P] int32 is what it keeps of the game;
    ``trial``, of `ROWS` games, and ``own`` [P] int32 are notepads. ``budget``: the most turns to simulate, but at least a
    trial's, which are ``horizon``. The game's generator chooses the changes that are tried.
    """
    if not memory.bases[g, BEGUN] or state.status[g, columns.TURN] <= 2:
        memory.bases[g, BEGUN] = 0
        plans[g] = 0
        supposed.random[g] = np.uint64(below(state.random, g, 2**31 - 1) + 1) * _SPREAD
    turns, spent = look_again(state, board, g, player, supposed, known, memory, g, False, scratch), 0
    for i in range(turns + 1):
        thinks = i == turns
        if thinks:
            correct(state, board, g, player, supposed, g, scratch[IN_SIGHT])
            copy_game(supposed, g, trial, ROOT)
            spent = search(trial, known, player, plans[g], own, budget, horizon, scratch)
            supposed.random[g] = trial.random[ROOT]
        if thinks or is_to_move(supposed, g, 1 - player):
            bot = ADVISOR if thinks else AI3
            play_bot(supposed, known, g, player if thinks else 1 - player, bot, scratch)
        if not thinks:
            pass_turn(supposed, known, g)
    overrule(supposed, known, g, player, plans[g], BEST, 0)
    for e in range(known.info[g, columns.EDGES]):
        send(state, board, g, player, e, int(launched(supposed, known, g, e)))
    return spent


@kernel
def _play_turns(state, board, games, players, supposed, known, memory, trial, plans, own, budget, horizon, scratch):
    spent = 0
    for i in range(games.shape[0]):
        spent = play_planner(
            state, board, games[i], players[i], supposed, known, memory, trial, plans, own, budget, horizon, scratch
        )
    return spent


class PlannerMemory:
    """Memory of planner for the games of a `State`, row by row."""

    def __init__(self, board: Board, state: State, rules: Rules, budget: int) -> None:
        self._horizon, self._budget = SEARCH_HORIZON * rules.turns_per_weight, budget
        games, _, planets = state.people.shape
        self._supposed, self._known, self._memory = allocate_supposed(games, board, state)
        self._plans = np.zeros((games, PLANS, PLAN_ROWS, planets), np.int32)

    def play(self, state: State, board: Board, games: Array, players: Array) -> int:
        """Play a turn as ``players`` [n] (0, 1) of ``games`` [n]; the turns simulated for the last one."""
        people, slots, planets = state.people.dtype, state.flights.shape[1], state.people.shape[2]
        self._supposed = as_wide(self._supposed, people)
        kept, trial = (self._supposed, self._known, self._memory), allocate(ROWS, self._known, slots, people)
        own, scratch = np.zeros(planets, np.int32), make_scratch(self._known, people)
        search = trial, self._plans, own, self._budget, self._horizon, scratch
        return _play_turns(state, board, games, players, *kept, *search)

    def goes_on(self, _graphs: Sequence[Graph], state: State) -> bool:
        """Go on in arrays that a batch has exchanged; False where they have other shapes or another type."""
        return all(a.shape == b.shape and a.dtype == b.dtype for a, b in zip(state, self._supposed, strict=True))

    def forget(self, g: int) -> None:
        """Let the game in row ``g``, which was exchanged, begin anew."""
        self._memory.bases[g, BEGUN] = 0


class Planner(Strategy):
    """Simulates what a less timid ai3 and little changes to its orders would bring, and plays the best (docs/bots.md)."""

    name = "planner"

    def __init__(self, budget: int = BUDGET) -> None:
        if budget != BUDGET:
            self.name = f"{self.name}:{budget}"
        self.budget = budget
        self.spent = 0
        """Turns simulated for the last turn."""

    def reset(self, graph: KnownMap, player: int, rules: Rules, seed: int) -> None:
        """A game begins; ``seed`` chooses the changes that are tried."""
        self._seen = SeenGame(graph, rules, SUPPOSED_SIZE * len(graph.planets))
        board, state = self._seen.game.arrays
        state.random[:] = seeded(seed, 1)
        self._players = np.array([player - 1])
        self._memory = PlannerMemory(board, state, rules, self.budget)

    def take_turn(self, view: View) -> list[Move]:
        """The moves of the best plan found."""
        self._seen.show(view)
        board, state = self._seen.game.arrays
        self.spent = self._memory.play(state, board, np.zeros(1, np.int64), self._players)
        return self._seen.game.launched()
