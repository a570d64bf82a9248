"""The bot that looks ahead, within what a player may know."""

import numpy as np

from planetwars_env.bots.search import BEST, PLAN_ROWS, PLANS, ROOT, ROWS, overrule, search
from planetwars_env.bots.strategy import Strategy
from planetwars_env.bots.supposed_game import SupposedGame
from planetwars_env.engine.entry_points import copy_game
from planetwars_env.engine.random import seeded
from planetwars_env.engine.rules import Rules
from planetwars_env.view import KnownMap, Move, View

BUDGET = 9000
"""Turns that are simulated for one turn: about 5 ms on one core, on graphs of the classic size."""
SEARCH_HORIZON = 40
"""Turns that a plan is tried out for, times the turns that an edge takes for each unit of its weight."""


class Planner(Strategy):
    """Simulates what a less timid ai3 and little changes to its orders would bring, and plays the best (docs/bots.md)."""

    name = "planner"
    compete = True

    def __init__(self, budget: int = BUDGET) -> None:
        self.budget = budget
        self.spent = 0
        """Turns simulated for the last turn."""

    def reset(self, graph: KnownMap, player: int, rules: Rules, seed: int) -> None:
        """A game begins; ``seed`` chooses the changes that are tried."""
        self._me = player - 1
        self._supposed = SupposedGame(graph, player, rules, rows=ROWS + 1, row=ROWS)
        self._supposed.state.random[:] = seeded(seed, ROWS + 1)
        self._horizon = SEARCH_HORIZON * rules.turns_per_weight
        self._plans = np.zeros((PLANS, PLAN_ROWS, len(graph.planets)), np.int32)
        self._own = np.zeros(len(graph.planets), np.int32)

    def take_turn(self, view: View) -> list[Move]:
        """The moves of the best plan found."""
        supposed, me = self._supposed, self._me
        supposed.update(view)
        state, board, row = supposed.state, supposed.board, supposed.row
        copy_game(state, row, state, ROOT)
        self.spent = search(state, board, me, self._plans, self._own, self.budget, self._horizon, supposed.scratch)
        state.random[row] = state.random[ROOT]
        supposed.move(me)
        overrule(state, board, row, me, self._plans, BEST, 0)
        return supposed.launched()
