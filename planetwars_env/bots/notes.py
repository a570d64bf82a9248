"""Notes of strategies on their turns, for pages and replays: `Strategy.say`, `Strategy.mark`, prints, times and faults."""

from collections import deque
from collections.abc import Iterable
from operator import index
from typing import Any, NamedTuple

from planetwars_env.text import clean_name, clean_text

MOST_NOTES, LONGEST_NOTE, LONGEST_PRINT = 50, 200, 4_000
"""Of one turn: the last notes that are kept, characters of each, and the last ones of what is printed."""
_MOST_IN_A_GAME, _MOST_TURNS = 200_000, 100_000
"""Characters of one player's notes in a game of a tournament that are kept, the first ones; turns with notes in a replay."""
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


def add_note(strategy: object, planet: Any, text: object) -> None:
    """Add a note to a strategy's turn; ``planet``: None for a sentence, else its id or a `PlanetView`."""
    notes = strategy.__dict__.setdefault(_ATTRIBUTE, deque(maxlen=MOST_NOTES))
    notes.append((None if planet is None else index(getattr(planet, "id", planet)), clean_name(text, LONGEST_NOTE)))


def take_notes(strategy: object) -> list[tuple[int | None, str]]:
    """Return the notes since the last call, and forget them."""
    return list(getattr(strategy, "__dict__", {}).pop(_ATTRIBUTE, ()))


def checked_notes(notes: Any) -> list[tuple[int | None, str]]:
    """Return those notes from an isolated strategy that are well-formed; its process may send anything."""

    def fits(planet: Any, text: Any) -> bool:
        return isinstance(text, str) and (planet is None or (type(planet) is int and abs(planet) < 2**31))

    last = notes[-MOST_NOTES:] if isinstance(notes, list) else []
    pairs = [note for note in last if isinstance(note, list | tuple) and len(note) == 2 and fits(*note)]
    return [(planet, clean_name(text, LONGEST_NOTE)) for planet, text in pairs]


def notes_of_turn(turn: int, player: int, notes: list[tuple[int | None, str]], **more: Any) -> TurnNotes:
    """Return the notes of a turn; ``more``: the other fields of `TurnNotes`."""
    said = tuple(text for planet, text in notes if planet is None)
    marks = tuple((planet, text) for planet, text in notes if planet is not None)
    if "printed" in more:
        more["printed"] = clean_text(more["printed"], LONGEST_PRINT)
    return TurnNotes(turn, player, said, marks, **more)


def first_notes(notes: Iterable[TurnNotes]) -> list[TurnNotes]:
    """Return the notes of a game for its file: of each player the first ones, as long as there is room."""
    sizes, kept = [0, 0, 0], []
    for turn in notes:
        sizes[turn.player] += len(repr(turn))
        kept += [turn] if sizes[turn.player] <= _MOST_IN_A_GAME else []
    return kept


def read_notes(data: Any) -> tuple[TurnNotes, ...]:
    """Return notes from plain data, one list of the fields of `TurnNotes` each. ValueError for anything else."""
    if not isinstance(data, list) or len(data) > _MOST_TURNS:
        raise ValueError(f"the notes must be a list of at most {_MOST_TURNS:,}")
    kinds, turns = (int, int, list | tuple, list | tuple, str, str, int | float, int), []
    for row in data:
        if not isinstance(row, list) or [*map(isinstance, row, kinds)] != [True] * len(kinds):
            raise ValueError(f"the notes of a turn must be {', '.join(TurnNotes._fields)}, not {str(row)[:80]}")
        turn, player, said, marks, printed, fault, seconds, dropped = row
        notes = checked_notes([*([None, text] for text in said), *marks])
        more = {"printed": printed, "fault": clean_text(fault), "seconds": float(seconds), "dropped": dropped}
        turns.append(notes_of_turn(turn, 2 if player == 2 else 1, notes, **more))
    return tuple(turns)
