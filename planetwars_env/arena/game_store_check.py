"""Checks of a results file (SQLite) that somebody else may have written: its tables, the work it asks for, its rows."""

import json
import math
import sqlite3
import zlib
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from planetwars_env.view import Move

_LARGEST_VALUE = 256 * 2**20
"""Bytes of one value in the file."""
_LARGEST_MOVES = 64 * 2**20
"""Bytes of text that the moves or the notes of one game may unpack to."""
_MOST_LISTS = 4_000_000
"""Lists in that text, each of which takes far more memory than its brackets do."""
_STEP = 10_000
"""Instructions of SQLite's virtual machine between two looks at the meter."""
_LEAST_WORK, _WORK_PER_BYTE = 20_000_000, 100
"""Instructions that one call may take, whatever the file's size, and for each of its bytes. Honest files need a tenth."""
_LONGEST = {"label": 400, "word": 100, "text": 20_000}
"""Characters."""
_FARTHEST = 2**31
"""Turns and repetitions stay below it."""
_LONGEST_TIME = 1e9
"""Seconds."""


class Meter:
    """Work bound of a connection: it interrupts whatever takes longer than a file of this size can need.

    ``path``: None for a database in memory, which nobody else can have written: no bound.
    """

    def __init__(self, base: sqlite3.Connection, path: Path | None) -> None:
        self._path, self._left = path, math.inf
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_VALUE)
        base.set_progress_handler(self._spend, _STEP)

    @property
    def spent(self) -> bool:
        """Whether the last call was interrupted."""
        return self._left < 0

    def start(self) -> None:
        """A call begins."""
        if self._path is None:
            return
        parts = [self._path, self._path.with_name(f"{self._path.name}-wal")]
        size = sum(part.stat().st_size for part in parts if part.is_file())
        self._left = _LEAST_WORK + _WORK_PER_BYTE * size

    def _spend(self) -> bool:
        self._left -= _STEP
        return self.spent


def check_schema(base: sqlite3.Connection, tables: str) -> None:
    """ValueError for anything but what the statements ``tables`` make: other tables, views, triggers, columns, conditions."""
    if extra := _schema(base) - _expected(tables):
        kind, name = min(extra)[:2]
        raise ValueError(f"the {kind} {str(name)[:40]!r} is none that a tournament makes")


def _expected(tables: str) -> set[tuple[str, ...]]:
    model = sqlite3.connect(":memory:")
    try:
        model.executescript(tables)
        return _schema(model)
    finally:
        model.close()


def _schema(base: sqlite3.Connection) -> set[tuple[str, ...]]:
    rows = base.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
    return {tuple(str(value) for value in row) for row in rows}


def check_key(key: Sequence[Any]) -> None:
    """ValueError for a key that no tournament wrote."""
    if not (all(_is_text(part, "label") for part in key[:3]) and _is_count(key[3])):
        raise ValueError(f"no game is {str(tuple(key))[:120]}")


def check_row(row: Sequence[Any]) -> None:
    """ValueError for a game that no tournament wrote: a key, then winner, turns, ended and fingerprint."""
    check_key(row[:4])
    winner, turns, ended, fingerprint = row[4:]
    if not (type(winner) is int and winner in (0, 1, 2) and _is_count(turns)):
        raise ValueError(f"no game is {str(tuple(row))[:120]}")
    if not (_is_text(ended, "word") and _is_text(fingerprint, "word")):
        raise ValueError(f"no game is {str(tuple(row))[:120]}")


def check_fault(row: Sequence[Any]) -> None:
    """ValueError for a fault that no tournament wrote: a key, then player, turn, kind, forfeits and text."""
    check_key(row[:4])
    player, turn, kind, forfeits, text = row[4:]
    texts = _is_text(kind, "word") and _is_text(forfeits, "word") and _is_text(text, "text")
    if not (type(player) is int and player in (1, 2) and _is_count(turn) and texts):
        raise ValueError(f"no fault is {str(tuple(row))[:120]}")


def check_side(row: Sequence[Any]) -> None:
    """ValueError for a side that no tournament wrote: a key, then player, counts of moves, turns and two times."""
    check_key(row[:4])
    player, sent, *dropped = row[4:10]
    turns, *seconds = row[10:]
    counted = all(map(_is_count, (sent, turns, *dropped))) and sum(dropped) <= sent
    timed = all(type(time) is float and 0 <= time < _LONGEST_TIME for time in seconds)
    if not (type(player) is int and player in (1, 2) and counted and timed):
        raise ValueError(f"no player's side of a game is {str(tuple(row))[:120]}")


def packed(value: Any) -> bytes:
    """Return a game's moves or notes for the file."""
    return zlib.compress(json.dumps(value).encode())


def unpacked(data: Any) -> Any:
    """Return a game's moves or notes; ValueError for what is cut short, or would fill the memory."""
    if not isinstance(data, bytes):
        raise ValueError("a part of a game is no packed text")
    unpacker = zlib.decompressobj()
    text = unpacker.decompress(data, _LARGEST_MOVES)
    if not unpacker.eof or text.count(b"[") > _MOST_LISTS:
        raise ValueError("a part of a game is cut short or too long")
    return json.loads(text)


def checked_moves(turns: Any) -> list[list[Move]]:
    """Return the moves of every turn. ValueError or TypeError for anything else."""
    moves = [[Move(*move) for move in turn] for turn in turns]
    for move in chain.from_iterable(moves):
        if not all(type(value) is int and abs(value) < 2**63 for value in move):
            raise ValueError(f"no move is {str(tuple(move))[:120]}")
    return moves


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < _FARTHEST


def _is_text(value: Any, kind: str) -> bool:
    """Printable, but for the lines of a traceback, and no longer than texts of this kind are."""
    if not isinstance(value, str) or len(value) > _LONGEST[kind]:
        return False
    return (value.replace("\n", "").replace("\t", "") if kind == "text" else value).isprintable()
