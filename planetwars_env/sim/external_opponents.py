"""Opponents outside the kernel: policies, one for all games that wait for it, and strategies, one for each game."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from planetwars_env.bots.entry_points import begin_game, make_scratch
from planetwars_env.bots.policy import has_memory
from planetwars_env.bots.strategy import Strategy
from planetwars_env.engine.columns import TURN
from planetwars_env.engine.entry_points import draw
from planetwars_env.engine.state import Array
from planetwars_env.game import Game
from planetwars_env.sim.policy_runner import PolicyRunner

if TYPE_CHECKING:
    from planetwars_env.sim.batch import Batch


class ExternalOpponents:
    """Policies by their place in the batch's list of opponents, and strategies by the row of their game."""

    def __init__(self) -> None:
        self._runners: dict[int, PolicyRunner] = {}
        self._strategies: dict[int, tuple[Strategy, Game]] = {}

    def move(self, batch: Batch, rows: Array) -> None:
        """Play one turn of the opponent in every game of ``rows`` [n]."""
        opponents = batch.opponents[rows]
        for place in np.unique(opponents):
            games = rows[opponents == place]
            opponent = batch.setup.opponents[place]
            if opponent.batched:
                if place not in self._runners:
                    policy = opponent.make()
                    policy.limits.check(batch.setup.graphs)
                    scratch = make_scratch(batch.board, batch.state.people.dtype)
                    self._runners[place] = PolicyRunner(policy, batch.games, scratch, batch.setup.rules)
                self._runners[place].play(batch.state, batch.board, games, 1 - batch.players[games])
            else:
                for g in games:
                    strategy, game = self._strategy(batch, int(g))
                    game.submit(strategy.take_turn(game.view(game.player)))

    def bind(self, batch: Batch) -> None:
        """Bind the games of strategies to the arrays of a batch that was copied or unpickled."""
        self._strategies = {g: (strategy, batch.game(g)) for g, (strategy, _) in self._strategies.items()}

    def forget(self, g: int) -> None:
        """Let strategies and policies begin anew in game ``g``, which was exchanged."""
        self._strategies.pop(g, None)
        for runner in self._runners.values():
            runner.forget(g)

    def release(self, batch: Batch) -> None:
        """Bind to other arrays of the batch, and drop the buffers of policies; they are made again when these play."""
        self._runners = {place: one for place, one in self._runners.items() if has_memory(one.policy)}
        for runner in self._runners.values():
            runner.policy.limits.check(batch.setup.graphs)
            runner.set_scratch(make_scratch(batch.board, batch.state.people.dtype))
        self.bind(batch)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the games, which are views of the batch's arrays."""
        return {"_runners": self._runners, "_strategies": {g: (one, None) for g, (one, _) in self._strategies.items()}}

    def _strategy(self, batch: Batch, g: int) -> tuple[Strategy, Game]:
        """Return the strategy of game g, a new one where it has none or at turn 1 or 2, seeded from the game's generator."""
        if g not in self._strategies or batch.state.status[g, TURN] <= 2:
            game, player = batch.game(g), 2 - int(batch.players[g])
            opponent = batch.setup.opponents[batch.opponents[g]]
            strategy = opponent.make()
            if not callable(getattr(strategy, "take_turn", None)):
                raise TypeError(
                    f"the opponent {opponent.name!r} is a {type(strategy).__name__} without take_turn(view)"
                )
            seed = int(draw(batch.state.random, g, 2**31 - 1))
            begin_game(strategy, game.graph, player, replace(batch.setup.rules, max_turns=batch.setup.max_turns), seed)
            self._strategies[g] = (strategy, game)
        return self._strategies[g]
