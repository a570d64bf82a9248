"""Notes of strategies on their turns, for pages and replays: `Strategy.say`, `Strategy.mark`, prints, times and faults."""

from collections import deque
from collections.abc import Iterable
from operator import index
from typing import Any, NamedTuple

from planetwars_env.text import clean_name, clean_text

MOST_NOTES = 50
"""Notes of one turn that are kept, the last ones."""
LONGEST_NOTE = 200
"""Characters of a note."""
LONGEST_PRINT = 4_000
"""Characters of what is printed on a turn that are kept, the last ones."""
_MOST_IN_A_GAME = 200_000
"""Characters of one player's notes in a game of a tournament that are kept, the first ones."""
_MOST_TURNS = 100_000
"""Turns with notes in a replay."""
_ATTRIBUTE = "_notes_of_this_turn"


class TurnNotes(NamedTuple):
    """Notes of ``player`` (1, 2) on ``turn`` (0: before the first one), besides its moves.

    ``said``: sentences; ``marks``: (planet's id, text); ``fault``: which fault it was and its text; ``seconds``: by the
    clock, for the moves; ``dropped``: illegal moves.
    """

    turn: int
    player: int
    said: tuple[str, ...] = ()
    marks: tuple[tuple[int, str], ...] = ()
    printed: str = ""
    fault: str = ""
    seconds: float = 0.0
    dropped: int = 0

    @property
    def worth_reading(self) -> bool:
        """Whether there is anything to read but the time."""
        return bool(self.said or self.marks or self.printed or self.fault or self.dropped)

    def to_list(self) -> list[Any]:
        """Return the values for JSON; `read_notes` reads them."""
        return [self.turn, self.player, list(self.said), [list(mark) for mark in self.marks], *self[4:]]


def add_note(strategy: object, planet: Any, text: object) -> None:
    """Add a note to a strategy's turn; ``planet``: None for a sentence, else its id or a `PlanetView`."""
    notes = strategy.__dict__.setdefault(_ATTRIBUTE, deque(maxlen=MOST_NOTES))
    notes.append((None if planet is None else index(getattr(planet, "id", planet)), clean_name(text, LONGEST_NOTE)))


def take_notes(strategy: object) -> list[tuple[int | None, str]]:
    """Return the notes since the last call, and forget them."""
    return list(getattr(strategy, "__dict__", {}).pop(_ATTRIBUTE, ()))


def checked_notes(notes: Any) -> list[tuple[int | None, str]]:
    """Return those notes from an isolated strategy that are well-formed; its process may send anything."""
    if not isinstance(notes, list):
        return []
    pairs = [note for note in notes[-MOST_NOTES:] if isinstance(note, list) and len(note) == 2]
    return [
        (planet, clean_name(text, LONGEST_NOTE))
        for planet, text in pairs
        if (planet is None or (type(planet) is int and abs(planet) < 2**31)) and isinstance(text, str)
    ]


def notes_of_turn(turn: int, player: int, notes: list[tuple[int | None, str]], **more: Any) -> TurnNotes:
    """Return the notes of a turn; ``more``: the other fields of `TurnNotes`."""
    said = tuple(text for planet, text in notes if planet is None)
    marks = tuple((planet, text) for planet, text in notes if planet is not None)
    if "printed" in more:
        more["printed"] = clean_text(more["printed"], LONGEST_PRINT)
    return TurnNotes(turn, player, said, marks, **more)


def first_notes(notes: Iterable[TurnNotes]) -> list[TurnNotes]:
    """Return the notes of a game for its file: of each player the first ones, as long as there is room."""
    room = {1: _MOST_IN_A_GAME, 2: _MOST_IN_A_GAME}
    kept = []
    for turn in notes:
        room[turn.player] -= len(repr(turn))
        if room[turn.player] >= 0:
            kept.append(turn)
    return kept


def read_notes(data: Any) -> tuple[TurnNotes, ...]:
    """Return notes from plain data, one list of the fields of `TurnNotes` each. ValueError for anything else."""
    if not isinstance(data, list) or len(data) > _MOST_TURNS:
        raise ValueError(f"the notes must be a list of at most {_MOST_TURNS:,}")
    kinds, turns = (int, int, list, list, str, str, int | float, int), []
    for row in data:
        if not isinstance(row, list) or [*map(isinstance, row, kinds)] != [True] * len(kinds):
            raise ValueError(f"the notes of a turn must be {', '.join(TurnNotes._fields)}, not {str(row)[:80]}")
        turn, player, said, marks, printed, fault, seconds, dropped = row
        notes = checked_notes([*([None, text] for text in said), *marks])
        more = {"printed": printed, "fault": clean_text(fault), "seconds": float(seconds), "dropped": dropped}
        turns.append(notes_of_turn(turn, 2 if player == 2 else 1, notes, **more))
    return tuple(turns)
