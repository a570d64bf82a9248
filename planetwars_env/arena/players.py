"""Players of a game: one interface for players in this process and in processes of their own."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from planetwars_env.arena.isolation import Fault, Isolated, ResourceLimits
from planetwars_env.bots.bot_codes import SELF_PLAY
from planetwars_env.bots.catalogue import Player
from planetwars_env.bots.entry_points import make_scratch
from planetwars_env.bots.language_model import LanguageModel
from planetwars_env.bots.notes import TurnNotes, notes_of_turn, take_notes
from planetwars_env.bots.policy import Policy, is_policy
from planetwars_env.bots.strategy import Strategy, begin_game
from planetwars_env.game import Game, whole_move
from planetwars_env.sim.policy_runner import PolicyRunner
from planetwars_env.view import Move


class GamePlayer(Protocol):
    """Interface of a player, for one game after another. `begin` and `moves` of an isolated player may raise ForfeitError."""

    @property
    def faults(self) -> Sequence[Fault]:
        """Faults of this game."""
        ...

    def begin(self, game: Game, player: int, seed: int) -> None:
        """A game begins, with this player as ``player`` (1, 2)."""

    def moves(self, game: Game) -> Sequence[Move]:
        """The moves of this turn."""
        ...

    def notes(self, turn: int) -> TurnNotes:
        """The notes since the last call, as those of ``turn``."""
        ...

    def take_printed(self) -> str:
        """Return the text printed since the last call; of a language model the transcript."""
        ...

    def end(self) -> None:
        """The game is over."""

    def close(self) -> None:
        """There is no further game: end what still runs."""


def open_player(player: Player, limits: ResourceLimits | None = None) -> "GamePlayer":
    """Return a player that is ready for games; ``limits``: of a strategy from a file. ValueError for "self"."""
    if player.code == SELF_PLAY:
        raise ValueError("'self' is no player of a game: name a bot, an agent or a strategy")
    return IsolatedPlayer(Isolated(player.spec, limits)) if player.isolated else TrustedPlayer(player)


class IsolatedPlayer:
    """Player in a process of its own."""

    def __init__(self, isolated: Isolated) -> None:
        self.isolated = isolated
        self._player = 0
        self._told = 0

    @property
    def faults(self) -> Sequence[Fault]:
        """Faults of this game."""
        return self.isolated.faults

    def begin(self, game: Game, player: int, seed: int) -> None:
        """A game begins."""
        self._player, self._told = player, 0
        self.isolated.reset(game.graph, player, replace(game.rules, max_turns=game.max_turns), seed)

    def moves(self, game: Game) -> Sequence[Move]:
        """The moves of this turn."""
        return self.isolated.take_turn(game.view(self._player))

    def notes(self, turn: int) -> TurnNotes:
        """The notes since the last call, with the first fault since then."""
        one, fault = self.isolated, ""
        if len(one.faults) > self._told:
            fault = _told_fault(one.faults[self._told], self._told + 1, one.limits.faults)
        self._told = len(one.faults)
        return notes_of_turn(
            turn, self._player, one.take_notes(), printed=one.take_printed(), fault=fault, seconds=one.seconds
        )

    def take_printed(self) -> str:
        """Return the text printed since the last call."""
        return self.isolated.take_printed()

    def end(self) -> None:
        """The game is over."""
        self.isolated.end_game()

    def close(self) -> None:
        """End the strategy's process."""
        self.isolated.close()


def _told_fault(fault: Fault, number: int, most: int) -> str:
    """Return which fault it was, and its text."""
    which = f"fault {number} of {most}"
    if fault.forfeits == "game":
        which = "the fault that costs the game" if number < most else f"{which}, which costs the game"
    return f"{which}, on turn {fault.turn}: {fault.kind}\n{fault.text}".rstrip()


class TrustedPlayer:
    """Player in this process: a bot, an agent, a strategy or a policy; its errors are raised."""

    faults: Sequence[Fault] = ()

    def __init__(self, player: Player) -> None:
        self._make = player.make
        self._player = 0
        self._seconds = 0.0
        self._plays: Strategy | _PolicyTurns | None = None

    def begin(self, game: Game, player: int, seed: int) -> None:
        """A game begins, with a new instance."""
        made, self._player = self._make(), player
        if is_policy(made):
            self._plays = _PolicyTurns(made, game)
        else:
            begin_game(made, game.graph, player, replace(game.rules, max_turns=game.max_turns), seed)
            self._plays = made

    def moves(self, game: Game) -> Sequence[Move]:
        """The moves of this turn."""
        plays, start = self._plays, time.perf_counter()
        assert plays is not None
        turn = plays.moves(game) if isinstance(plays, _PolicyTurns) else plays.take_turn(game.view(self._player))
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


class _PolicyTurns:
    """Turns of a policy, played on a copy of the game; the moves are the launches there."""

    def __init__(self, policy: Policy, game: Game) -> None:
        policy.limits.check([game.graph])
        board, state = game.arrays
        self._runner = PolicyRunner(policy, 1, make_scratch(board, state.people.dtype), game.rules)

    def moves(self, game: Game) -> list[Move]:
        twin = game.copy()
        board, state = twin.arrays
        self._runner.play(state, board, np.zeros(1, np.int64), np.full(1, game.player - 1))
        return twin.launched()
