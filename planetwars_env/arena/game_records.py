"""Records of a tournament's games: what a game is called, what it leaves, and its row in the results."""

from typing import NamedTuple

from planetwars_env.arena.isolation import Fault
from planetwars_env.bots.notes import TurnNotes
from planetwars_env.move_counts import NO_MOVES, MoveCounts
from planetwars_env.view import Move

Moves = list[list[Move]]
"""The moves of every turn."""


class GameKey(NamedTuple):
    """Key of a game: the labels of player 1 and player 2, the graph's name, and the number of their game on it, from 0."""

    first: str
    second: str
    graph: str
    repetition: int


NO_KEY = GameKey("", "", "", 0)
"""Key of a game that stands for itself."""


class TurnTimes(NamedTuple):
    """Time of a player by the clock: its ``turns``, all ``seconds`` with those before the first turn, the ``slowest`` turn."""

    turns: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    def plus(self, other: "TurnTimes") -> "TurnTimes":
        """Return the times of both together."""
        return TurnTimes(self.turns + other.turns, self.seconds + other.seconds, max(self.slowest, other.slowest))


NO_TIME = TurnTimes()


class FinishedGame(NamedTuple):
    """A finished game. ``winner``: 0, 1, 2; ``ended``: "rules", "limit" or "forfeit"; ``seed``: of player 1.

    ``fingerprint``: of the moves that were carried out: games with the same one on the same graph are equal.

    ``repeated``: for player 1 and player 2, whether it was to move in one position three times. ``moves``: with the first
    dropped ones of each turn; None for compiled bots, whose games are played again from their seed to be shown.
    ``printed``: by the strategies, which is not kept in the database. ``times``: of player 1 and player 2, none for games
    of a batch. ``notes``: that the players left on their turns.
    """

    key: GameKey
    winner: int
    turns: int
    ended: str
    fingerprint: str
    seed: int = 0
    repeated: tuple[bool, bool] = (False, False)
    moves: Moves | None = None
    faults: tuple[list[Fault], list[Fault]] = ([], [])
    counts: tuple[MoveCounts, MoveCounts] = (NO_MOVES, NO_MOVES)
    printed: tuple[str, str] = ("", "")
    times: tuple[TurnTimes, TurnTimes] = (NO_TIME, NO_TIME)
    notes: tuple[TurnNotes, ...] = ()


class GameRow(NamedTuple):
    """A row of the table of games, without moves. ``repeated``: 1 for player 1 plus 2 for player 2 (`FinishedGame`)."""

    first: str
    second: str
    graph: str
    repetition: int
    winner: int
    turns: int
    ended: str
    fingerprint: str
    repeated: int

    @property
    def key(self) -> GameKey:
        """The key of the game."""
        return GameKey(*self[:4])

    @property
    def won_by(self) -> str:
        """The label of the winner, empty for a draw."""
        return (self.first, self.second)[self.winner - 1] if self.winner else ""

    @property
    def lost_by(self) -> str:
        """The label of the loser, empty for a draw."""
        return (self.second, self.first)[self.winner - 1] if self.winner else ""
