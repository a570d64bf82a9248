"""Players outside the kernel: policies and planner play all games that wait for them, strategies one game each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from planetwars_env.bots.catalogue import Kind, Player
from planetwars_env.bots.entry_points import begin_game, make_scratch
from planetwars_env.bots.language_model import LanguageModel
from planetwars_env.bots.notes import TurnNotes, notes_of_turn, take_notes
from planetwars_env.bots.planner import Planner, PlannerMemory
from planetwars_env.bots.policy import Policy, PolicyCaller, has_memory, is_policy
from planetwars_env.codec.derived import in_form
from planetwars_env.codec.entry_points import carry_out, write_observations
from planetwars_env.engine import columns
from planetwars_env.engine.entry_points import draw
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array, Board, State
from planetwars_env.game import Game, whole_move
from planetwars_env.graphs.graph import Graph
from planetwars_env.view import Move

if TYPE_CHECKING:
    from planetwars_env.sim.batch import Batch


class PolicyRunner:
    """A policy in a batch: its own shapes, one forward pass for all games that wait for it.

    ValueError where it lacks an attribute, and where one of ``graphs`` exceeds its limits.
    """

    def __init__(self, policy: Policy, games: int, rules: Rules, graphs: Iterable[Graph]) -> None:
        under: Any = getattr(policy, "under", None)
        policy = under(rules) if under else policy
        is_policy(policy)  # ValueError naming what it lacks
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


class TrustedPlayer:
    """Player in this process, for one game after another: a bot, an agent, a strategy or a policy; its errors are raised."""

    faults: tuple[()] = ()

    def __init__(self, player: Player) -> None:
        self.name, self._make = player.name, player.make
        self._player, self._seconds = 0, 0.0
        self._plays: Any = None
        self._runner: PolicyRunner | None = None

    def begin(self, game: Game, player: int, seed: int) -> None:
        """A game begins, with a new instance."""
        self._plays, self._player, self._runner = self._make(), player, None
        if is_policy(self._plays):
            self._runner = PolicyRunner(self._plays, 1, game.rules, [game.graph])
        elif not callable(getattr(self._plays, "take_turn", None)):
            raise TypeError(f"{self.name!r} is a {type(self._plays).__name__} without take_turn(view)")
        else:
            begin_game(self._plays, game.graph, player, replace(game.rules, max_turns=game.max_turns), seed)

    def moves(self, game: Game) -> Sequence[Move]:
        """The moves of this turn; of a policy the launches on a copy of the game."""
        start = time.perf_counter()
        if self._runner is None:
            turn = self._plays.take_turn(game.view(self._player))
        else:
            twin = game.copy()
            board, state = twin.arrays
            self._runner.play(state, board, np.zeros(1, np.int64), np.full(1, game.player - 1))
            turn = twin.launched()
        moves = [whole_move(move) for move in turn]
        self._seconds = time.perf_counter() - start
        return moves

    def notes(self, turn: int) -> TurnNotes:
        """The notes since the last call; what is printed here goes to the terminal."""
        return notes_of_turn(turn, self._player, take_notes(self._plays), seconds=self._seconds)

    def take_printed(self) -> str:
        """Return the transcript of a language model; others print to the terminal."""
        return self._plays.take_printed() if isinstance(self._plays, LanguageModel) else ""

    def end(self) -> None:
        """Nothing is left behind."""

    def close(self) -> None:
        """Nothing still runs."""


class StrategyRunner:
    """A strategy in a batch: an instance for each game, seeded from the game's own random number generator.

    ``game``: gives a row of the batch as a game over the same arrays.
    """

    def __init__(self, player: Player, game: Callable[[int], Game]) -> None:
        self._player, self._game = player, game
        self._playing: dict[int, TrustedPlayer] = {}
        self._games: dict[int, Game] = {}

    def goes_on(self, _graphs: Sequence[Graph], _state: State) -> bool:
        """Go on in other arrays."""
        self._games.clear()
        return True

    def forget(self, g: int) -> None:
        """Let a new instance begin in game ``g``, which was exchanged."""
        self._playing.pop(g, None)
        self._games.pop(g, None)

    def play(self, state: State, _board: Board, games: Array, players: Array) -> None:
        """One whole turn of each instance as ``players`` [n] (0, 1) of ``games`` [n]."""
        for g, player in zip(games.tolist(), players.tolist(), strict=True):
            begins = g not in self._playing or state.status[g, columns.TURN] <= 2
            if begins or g not in self._games:
                self._games[g] = self._game(g)
            game = self._games[g]
            if begins:
                self._playing[g] = TrustedPlayer(self._player)
                self._playing[g].begin(game, player + 1, int(draw(state.random, g, 2**31 - 1)))
            game.submit(self._playing[g].moves(game))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_games": {}}  # they are views of the batch's arrays


Runner = PolicyRunner | PlannerMemory | StrategyRunner


def make_runner(batch: Batch, opponent: Player) -> Runner:
    """Return what plays an opponent outside the kernel in the games of a batch that wait for it."""
    if not (opponent.batched or opponent.kind is Kind.BOT):
        return StrategyRunner(opponent, batch.game)
    player = opponent.make()
    if isinstance(player, Planner):
        return PlannerMemory(batch.board, batch.state, batch.setup.rules, player.budget)
    return PolicyRunner(player, batch.games, batch.setup.rules, batch.setup.graphs)
