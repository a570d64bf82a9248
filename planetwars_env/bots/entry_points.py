"""The bots as Python calls them: as a kernel, one turn at a time, and as a `Strategy`. Whole games have a kernel in `sim`."""

from typing import Any

import numpy as np

from planetwars_env.bots import compiled
from planetwars_env.bots.bot_codes import NOOP, RANDOM, SCRATCH_ROWS
from planetwars_env.bots.strategy import Strategy
from planetwars_env.engine.kernel import kernel
from planetwars_env.engine.random import seeded
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array, Board
from planetwars_env.game import Game, write_view
from planetwars_env.graphs.graph import Graph
from planetwars_env.view import KnownMap, Move, View

play_bot = kernel(compiled.play_bot)
play_random = kernel(compiled.play_random)
"""A kernel apart, which compiles in a tenth of the time: first games are often against random."""


def make_scratch(board: Board, people: Any) -> Array:
    """The notepad [SCRATCH_ROWS, the larger of P and E] for kernels with bots or codecs; ``people``: the state's type."""
    return np.zeros((SCRATCH_ROWS, max(board.planets.shape[2], board.edges.shape[2])), people)


def begin_game(strategy: Strategy, graph: Graph, player: int, rules: Rules, seed: int) -> None:
    """Call the strategy's ``reset``, where it has one. What R9 hides of the graph only a built-in bot is handed."""
    reset = getattr(strategy, "reset", None)
    if reset is not None:
        reset(graph if isinstance(strategy, CompiledBot) else KnownMap.of(graph), player, rules, seed)


class CompiledBot(Strategy):
    """A built-in bot as a strategy. It plays on a board of its own that holds what the view shows and nothing else."""

    def __init__(self, name: str, code: int) -> None:
        self.name = name
        self._code = code

    def __repr__(self) -> str:
        return f"CompiledBot({self.name})"

    def reset(self, graph: Graph, player: int, rules: Rules, seed: int) -> None:
        """Learn the graph and the rules; ``seed`` starts the bot's own generator."""
        self._game, self._player = Game(graph, rules), player - 1
        board, state = self._game.arrays
        state.random[:] = seeded(seed, 1)
        self._scratch = make_scratch(board, state.people.dtype)

    def take_turn(self, view: View) -> list[Move]:
        """The bot's moves."""
        board, state = self._game.arrays
        write_view(view, board, state, self._game.edge_numbers)
        if self._code == RANDOM:
            play_random(state, board, 0, self._player, self._scratch)
        elif self._code != NOOP:
            play_bot(state, board, 0, self._player, self._code, self._scratch)
        return self._game.launched()
