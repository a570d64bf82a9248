"""Opponents outside the kernel: policies and planner, one for all games that wait for it; strategies, one for each game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from planetwars_env.bots.catalogue import Kind, Player
from planetwars_env.bots.entry_points import begin_game, make_scratch
from planetwars_env.bots.planner import Planner, PlannerMemory
from planetwars_env.bots.policy import Policy, PolicyCaller, has_memory
from planetwars_env.bots.strategy import Strategy
from planetwars_env.codec.derived import in_form
from planetwars_env.codec.entry_points import carry_out, write_observations
from planetwars_env.engine import columns
from planetwars_env.engine.entry_points import draw
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array, Board, State
from planetwars_env.game import Game
from planetwars_env.graphs.graph import Graph

if TYPE_CHECKING:
    from planetwars_env.sim.batch import Batch


class PolicyRunner:
    """A policy in a batch: its own shapes, one forward pass for all games that wait for it.

    ValueError where it lacks an attribute, and where one of ``graphs`` exceeds its limits.
    """

    def __init__(self, policy: Policy, games: int, rules: Rules, graphs: Iterable[Graph]) -> None:
        under: Any = getattr(policy, "under", None)
        policy = under(rules) if under else policy
        self.policy, self._call, self._rules = policy, PolicyCaller(policy), rules
        policy.limits.check(graphs)
        self._arrays, self._met = self._call.codec.allocate(games), np.zeros(games, bool)

    def goes_on(self, graphs: Sequence[Graph], _state: State) -> bool:
        """Go on in other arrays; False for a policy without memory, which loses nothing when it begins anew."""
        if has_memory(self.policy):
            self.policy.limits.check(graphs)
        return has_memory(self.policy)

    def forget(self, g: int) -> None:
        """Let game ``g``, which was exchanged, start anew for a policy with memory."""
        self._met[g] = False

    def play(self, state: State, board: Board, games: Array, players: Array) -> None:
        """One whole turn of the policy as ``players`` [n] (0, 1) of ``games`` [n]."""
        scratch = make_scratch(board, state.people.dtype)
        for orders in range(max(1, self.policy.max_orders)):
            rows = [array[: len(games)] for array in self._arrays]
            write_observations(state, board, self._call.codec.arrays, games, players, orders, scratch, *rows)
            starts = ~self._met[games] | ((state.status[games, columns.TURN] <= 2) & (orders == 0))
            self._met[games] = True
            seen = rows[0].copy()  # a policy may write to what it is shown
            observation = in_form(self._call.form, self.policy.limits, self._rules, *rows)
            answer = self._call(observation, games, starts, rows[2])
            answer = np.ascontiguousarray(answer, np.int64).reshape(len(games), -1)
            carry_out(state, board, self._call.codec.arrays, games, players, answer, seen)
            if not self.policy.max_orders:
                return
            going_on = answer[:, 0] != 0
            games, players = games[going_on], players[going_on]
            if not len(games):
                return


def _runner(batch: Batch, opponent: Player) -> PolicyRunner | PlannerMemory:
    """A new runner of a policy, or planner's memory of all games."""
    player = opponent.make()
    if isinstance(player, Planner):
        return PlannerMemory(batch.board, batch.state, batch.setup.rules, player.budget)
    return PolicyRunner(player, batch.games, batch.setup.rules, batch.setup.graphs)


class ExternalOpponents:
    """Policies and planner by their place in the batch's list of opponents, and strategies by the row of their game."""

    def __init__(self) -> None:
        self._runners: dict[int, PolicyRunner | PlannerMemory] = {}
        self._strategies: dict[int, Strategy] = {}
        self._games: dict[int, Game] = {}

    def move(self, batch: Batch, rows: Array) -> None:
        """Play one turn of the opponent in every game of ``rows`` [n]."""
        opponents = batch.opponents[rows]
        for place in np.unique(opponents):
            games = rows[opponents == place]
            opponent = batch.setup.opponents[place]
            if opponent.batched or opponent.kind is Kind.BOT:
                if place not in self._runners:
                    self._runners[place] = _runner(batch, opponent)
                self._runners[place].play(batch.state, batch.board, games, 1 - batch.players[games])
            else:
                for g in games.tolist():
                    begins = g not in self._strategies or batch.state.status[g, columns.TURN] <= 2
                    if begins or g not in self._games:
                        self._games[g] = batch.game(g)
                    game = self._games[g]
                    if begins:
                        self._strategies[g] = _begun(batch, g, opponent, game.graph)
                    game.submit(self._strategies[g].take_turn(game.view(game.player)))

    def forget(self, g: int) -> None:
        """Let strategies and policies begin anew in game ``g``, which was exchanged."""
        self._strategies.pop(g, None)
        self._games.pop(g, None)
        for runner in self._runners.values():
            runner.forget(g)

    def release(self, batch: Batch) -> None:
        """Let go of what does not fit the batch's new arrays: policies are made again when they play."""
        now = batch.setup.graphs, batch.state
        self._runners = {place: runner for place, runner in self._runners.items() if runner.goes_on(*now)}
        self._games.clear()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_games": {}}  # they are views of the batch's arrays


def _begun(batch: Batch, g: int, opponent: Player, graph: Graph) -> Strategy:
    """Begin game g with a new strategy, seeded from the game's own random number generator."""
    strategy = opponent.make()
    if not callable(getattr(strategy, "take_turn", None)):
        raise TypeError(f"the opponent {opponent.name!r} is a {type(strategy).__name__} without take_turn(view)")
    player, rules = 2 - int(batch.players[g]), replace(batch.setup.rules, max_turns=batch.setup.max_turns)
    seed = int(draw(batch.state.random, g, 2**31 - 1))
    begin_game(strategy, graph, player, rules, seed)
    return strategy
