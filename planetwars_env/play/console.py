"""Console of a game: the notes of strategies, turn by turn, for the page and the replay."""

from collections.abc import Mapping
from typing import Any

from planetwars_env.bots.notes import TurnNotes

_SHOWN = 20
"""Turns in a message."""
_MOST_TEXT = 2_000_000
"""Characters that are kept of a whole game; later notes are dropped."""


class Console:
    """``notes``: of all turns so far, in order; ``latest``: time and notes of each player's last turn."""

    def __init__(self) -> None:
        self.notes: list[TurnNotes] = []
        self.latest: dict[int, TurnNotes] = {}
        self._room = _MOST_TEXT

    def add(self, notes: TurnNotes) -> None:
        """Add the notes of a turn; turns without any only tell their time."""
        self.latest[notes.player] = notes
        if notes.told and self._room > 0:
            self._room -= len(str(notes))
            self.notes.append(notes)

    def lines(self, viewer: int | None) -> list[dict[str, Any]]:
        """Return the latest notes for a page, the newest turn first; ``viewer``: of which player, None for both."""
        shown = [notes for notes in self.notes if viewer in (None, notes.player)]
        return [notes._asdict() for notes in reversed(shown[-_SHOWN:])]

    def marks(self, turn: int, viewer: int | None, index: Mapping[int, int]) -> list[dict[str, Any]]:
        """Return each player's marks of its last turn up to ``turn``; ``index``: of planets by id."""
        found: dict[int, TurnNotes] = {}
        for notes in self.notes:
            if notes.turn in (turn, turn - 1) and viewer in (None, notes.player):
                found[notes.player] = notes
        return [
            {"planet": index[planet], "text": text, "player": player}
            for player, notes in found.items()
            for planet, text in notes.marks
            if planet in index
        ]

    def seconds(self, viewer: int | None) -> list[float]:
        """Return the seconds of both players' last turns, 0 where they are not told."""
        return [
            round(self.latest[player].seconds, 4) if player in self.latest and viewer in (None, player) else 0.0
            for player in (1, 2)
        ]
