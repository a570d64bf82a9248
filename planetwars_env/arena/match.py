"""One match between any two players, move by move, and its replay."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from planetwars_env.bots.calls import make_scratch
from planetwars_env.bots.catalogue import resolve_opponents
from planetwars_env.bots.codes import SELF
from planetwars_env.bots.strategy import Policy, begin_game, is_policy
from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.engine.state import Board, State
from planetwars_env.envs.arguments import turn_limit
from planetwars_env.game import Game
from planetwars_env.graphs.catalogue import load_graph
from planetwars_env.graphs.graph import Graph
from planetwars_env.replay import Replay
from planetwars_env.sim.sight import Sight
from planetwars_env.view import Move

_Mover = Callable[[Game], Sequence[Move]]
"""What a player does on its turn."""


def play_match(
    first: Any,
    second: Any,
    graph: Graph | str,
    rules: Rules = PLANETWARS,
    seed: int = 0,
    max_turns: int | None = None,
) -> Replay:
    """``first`` plays as player 1, ``second`` as player 2; each is whatever an environment takes as ``opponent``.

    ``seed`` starts the generators of both. ``max_turns``: None for what the environments use (500; half-step 1,000;
    SpaceExplorers' own 100). The replay knows the ``winner`` and the ``turns``. ValueError for an unknown player, GraphError
    for an unknown graph.
    """
    board = graph if isinstance(graph, Graph) else load_graph(graph)
    limit = turn_limit(rules, max_turns)
    game = Game(board, rules, limit)
    names, movers = zip(*(seat_of(game, one, 1 + i, seed + i) for i, one in enumerate((first, second))), strict=True)
    moves = []
    while not game.over:
        turn = tuple(Move(*map(int, move)) for move in movers[game.player - 1](game))
        game.play(turn)
        moves.append(turn)
    return Replay.of(board, rules, names, seed, limit, moves)


def seat_of(game: Game, spec: Any, player: int, seed: int) -> tuple[str, _Mover]:
    """The name of a player and what it does on its turn; ValueError for an unknown player."""
    opponent = resolve_opponents(spec, single=True)[0]
    if opponent.code == SELF:
        raise ValueError("'self' is no player of a match: name a bot, an agent or a strategy")
    mind = opponent.make()
    if is_policy(mind):
        return opponent.name, _PolicyMover(mind, game)
    begin_game(mind, game.graph, player, replace(game.rules, max_turns=game.max_turns), seed)
    return opponent.name, lambda game: mind.take_turn(game.view(player))


class _PolicyMover:
    """A policy's turn, played on a copy of the game; the moves are what has taken off there."""

    def __init__(self, policy: Policy, game: Game) -> None:
        policy.limits.check([game.graph])
        board, state = _arrays(game)
        self._sight = Sight(policy, 1, make_scratch(board, state.people.dtype))

    def __call__(self, game: Game) -> list[Move]:
        twin = game.copy()
        board, state = _arrays(twin)
        self._sight.play(state, board, np.zeros(1, np.int64), np.full(1, game.player - 1))
        return twin.launched()


def _arrays(game: Game) -> tuple[Board, State]:
    return game._board, game._state
