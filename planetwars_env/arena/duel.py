"""One game of a tournament in which somebody plays outside the compiled code: faults are counted, moves are kept."""

import hashlib
import json
from dataclasses import replace
from functools import cache
from typing import NamedTuple, Protocol

from planetwars_env.arena.isolation import Fault, ForfeitError, Isolated
from planetwars_env.arena.match import seat_of
from planetwars_env.bots.catalogue import Opponent, resolve_opponent
from planetwars_env.engine.rules import Rules
from planetwars_env.game import Game
from planetwars_env.graphs.graph import Graph
from planetwars_env.view import Move

Moves = list[list[Move]]
"""Those of every turn."""


class Seat(Protocol):
    """A player of one game after another. Both methods may raise ForfeitError."""

    @property
    def faults(self) -> list[Fault]:
        """Of this game."""
        ...

    def begin(self, game: Game, player: int, seed: int) -> None:
        """A game begins."""

    def moves(self, game: Game) -> list[Move]:
        """Those of this turn."""
        ...

    def end(self) -> None:
        """The game is over."""


class Foreign:
    """A strategy in a process of its own."""

    def __init__(self, isolated: Isolated) -> None:
        self.isolated = isolated
        self._player = 0

    @property
    def faults(self) -> list[Fault]:
        """Of this game."""
        return self.isolated.faults

    def begin(self, game: Game, player: int, seed: int) -> None:
        """A game begins."""
        self._player = player
        self.isolated.reset(game.graph, player, replace(game.rules, max_turns=game.max_turns), seed)

    def moves(self, game: Game) -> list[Move]:
        """Those of this turn."""
        return self.isolated.take_turn(game.view(self._player))

    def end(self) -> None:
        """The game is over."""
        self.isolated.end_game()


class Native:
    """A bot or an agent, which is trusted: an error in it is an error of the package and passes."""

    def __init__(self, name: str) -> None:
        self._player = _found(name)

    @property
    def faults(self) -> list[Fault]:
        """None: see the class."""
        return []

    def begin(self, game: Game, player: int, seed: int) -> None:
        """A game begins."""
        self._mover = seat_of(game, self._player, player, seed)[1]

    def moves(self, game: Game) -> list[Move]:
        """Those of this turn."""
        return [Move(*map(int, move)) for move in self._mover(game)]

    def end(self) -> None:
        """Nothing is left behind."""


@cache
def _found(name: str) -> Opponent:
    """Looked up once a process, so that an agent is not read from its folder for every game."""
    return resolve_opponent(name)


class Outcome(NamedTuple):
    """``winner``: 0, 1, 2; ``ended``: "rules", "limit" or "forfeit"; ``faults``: of player 1 and of player 2."""

    winner: int
    turns: int
    ended: str
    moves: Moves
    faults: tuple[list[Fault], list[Fault]]


def play_duel(seats: tuple[Seat, Seat], graph: Graph, rules: Rules, seeds: tuple[int, int], max_turns: int) -> Outcome:
    """One game; who forfeits it loses, and where neither can even begin it is a draw."""
    game, moves = Game(graph, rules, max_turns), []
    try:
        lost = [not _begins(seat, game, player, seeds[player - 1]) for player, seat in enumerate(seats, 1)]
        if any(lost):
            return _outcome(0 if all(lost) else 2 if lost[0] else 1, game, "forfeit", moves, seats)
        while not game.over:
            try:
                turn = seats[game.player - 1].moves(game)
            except ForfeitError:
                return _outcome(3 - game.player, game, "forfeit", moves, seats)
            moves.append([move for move, legal in zip(turn, game.play(turn), strict=True) if legal])
        return _outcome(game.winner, game, "limit" if game.cut_off else "rules", moves, seats)
    finally:
        for seat in seats:
            seat.end()


def print_of(moves: Moves) -> str:
    """A fingerprint of a game's moves: games with the same one on the same board are the same game."""
    return hashlib.sha256(json.dumps(moves).encode()).hexdigest()[:16]


def _begins(seat: Seat, game: Game, player: int, seed: int) -> bool:
    try:
        seat.begin(game, player, seed)
    except ForfeitError:
        return False
    return True


def _outcome(winner: int, game: Game, ended: str, moves: Moves, seats: tuple[Seat, Seat]) -> Outcome:
    return Outcome(winner, game.turn, ended, moves, (list(seats[0].faults), list(seats[1].faults)))
