"""Players of a game: one interface for players in this process and in processes of their own."""

import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from planetwars_env.arena.contestants import fingerprint_player
from planetwars_env.arena.isolation import Fault, Isolated, ResourceLimits
from planetwars_env.bots.catalogue import Kind, Player
from planetwars_env.bots.entry_points import begin_game, make_scratch
from planetwars_env.bots.language_model import LanguageModel
from planetwars_env.bots.notes import TurnNotes, notes_of_turn, take_notes
from planetwars_env.bots.policy import Policy, is_policy
from planetwars_env.bots.strategy import Strategy
from planetwars_env.game import Game, whole_move
from planetwars_env.sim.external_opponents import PolicyRunner
from planetwars_env.view import Move


def open_player(player: Player, limits: ResourceLimits | None = None) -> "GamePlayer":
    """Return a player that is ready for games; ``limits``: of a strategy from a file. ValueError for "self"."""
    if player.kind is Kind.SELF:
        raise ValueError("'self' is not a player of a game: name a bot, an agent or a strategy")
    return Isolated(player, limits) if player.isolated else TrustedPlayer(player)


_PROCESSES = 6
"""Strategies from files that one process keeps loaded."""
_kept: "OrderedDict[tuple[str, str, ResourceLimits], Isolated]" = OrderedDict()
"""The strategies that this process keeps from game to game of a tournament, the last used last."""


def open_kept(player: Player, limits: ResourceLimits, fingerprint: str = "") -> "GamePlayer":
    """Return a player that is ready; ValueError for a strategy with another ``fingerprint`` than when the games began."""
    if not player.isolated:
        return open_player(player)
    place = player.spec, fingerprint_player(player), limits
    if fingerprint and fingerprint != place[1]:
        raise ValueError(
            f"{player.spec} was edited while its games were played. The finished games are those of its older version: "
            "choose another folder (--out) for the new one"
        )
    if place not in _kept:
        _kept[place] = Isolated(player, limits)
    _kept.move_to_end(place)
    while len(_kept) > _PROCESSES:
        _kept.popitem(last=False)[1].close()
    return _kept[place]


def close_strategies() -> None:
    """End the strategies' processes of this process; those of workers end with the workers."""
    while _kept:
        _kept.popitem()[1].close()


class TrustedPlayer:
    """Player in this process, for one game after another: a bot, an agent, a strategy or a policy; its errors are raised."""

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


GamePlayer = TrustedPlayer | Isolated
"""Player of games, which begins, moves, and leaves notes; an isolated one may raise ForfeitError."""
