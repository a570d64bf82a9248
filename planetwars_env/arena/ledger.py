"""The file of a tournament: SQLite, one row a game, written as games end, so that nothing finished is ever lost.

Write-ahead logging: a process killed at any moment leaves whole rows. The primary key says which game it was, so that none
is there twice. Only the process that runs the tournament writes.
"""

import fcntl
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from planetwars_env.arena.duel import Moves
from planetwars_env.arena.isolation import Fault
from planetwars_env.view import Move

_VERSION = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS games (
    first TEXT, second TEXT, board TEXT, repetition INTEGER,
    winner INTEGER NOT NULL, turns INTEGER NOT NULL, ended TEXT NOT NULL, print TEXT NOT NULL, moves BLOB,
    PRIMARY KEY (first, second, board, repetition)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS faults (
    first TEXT, second TEXT, board TEXT, repetition INTEGER,
    player INTEGER, turn INTEGER, kind TEXT, forfeits TEXT, text TEXT
);
"""


class Key(NamedTuple):
    """Which game it is: the labels of player 1 and player 2, the board's name, and which game of them on it, from 0."""

    first: str
    second: str
    board: str
    repetition: int


class Played(NamedTuple):
    """A finished game. ``ended``: "rules", "limit" or "forfeit"; ``print``: of its moves; ``moves``: None for compiled bots.

    Games of compiled bots are played again from their seed when somebody wants to see them.
    """

    key: Key
    winner: int
    turns: int
    ended: str
    print: str
    moves: Moves | None = None
    faults: tuple[list[Fault], list[Fault]] = ([], [])


class Row(NamedTuple):
    """A game as tables want it."""

    first: str
    second: str
    board: str
    repetition: int
    winner: int
    turns: int
    ended: str
    print: str


class Ledger:
    """An open file; ``path`` is made where it is missing. ValueError for a file that holds something else."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._base = sqlite3.connect(path, timeout=60)
        try:
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=NORMAL")
            self._base.executescript(_TABLES)
        except sqlite3.DatabaseError as fault:
            self._base.close()
            raise ValueError(f"{path} is no file of a tournament ({fault})") from fault
        if self.fact("version", _VERSION) != _VERSION:
            raise ValueError(f"{path} was written by another version of planetwars-env")
        self.keep_fact("version", _VERSION)

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other tournaments away from the file; ValueError where one is running. It ends with the process at the latest."""
        with self._path.with_name(f"{self._path.name}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ValueError(f"another tournament is being played into {self._path}") from None
            yield

    def fact(self, name: str, default: Any = None) -> Any:
        """A fact about the tournament."""
        row = self._base.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return default if row is None else json.loads(row[0])

    def keep_fact(self, name: str, value: Any) -> None:
        """Write a fact over its older self."""
        with self._base:
            self._base.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, json.dumps(value, sort_keys=True)))

    def add(self, games: Iterable[Played]) -> None:
        """Write finished games, all of them or none; one that is there already stays as it is."""
        with self._base:
            for game in games:
                self._add(game)

    def _add(self, game: Played) -> None:
        moves = None if game.moves is None else zlib.compress(json.dumps(game.moves).encode())
        row = (*game.key, game.winner, game.turns, game.ended, game.print, moves)
        if not self._base.execute("INSERT OR IGNORE INTO games VALUES (?,?,?,?,?,?,?,?,?)", row).rowcount:
            return
        for player, faults in enumerate(game.faults, 1):
            rows = [(*game.key, player, *fault[1:]) for fault in faults]
            self._base.executemany("INSERT INTO faults VALUES (?,?,?,?,?,?,?,?,?)", rows)

    def keys(self) -> set[Key]:
        """The games that are there."""
        return {Key(*row) for row in self._base.execute("SELECT first, second, board, repetition FROM games")}

    def rows(self) -> list[Row]:
        """All games, in an order that does not depend on when they were played."""
        columns = ", ".join(Row._fields)
        order = "ORDER BY first, second, board, repetition"
        return [Row(*row) for row in self._base.execute(f"SELECT {columns} FROM games {order}")]

    def moves(self, key: Key) -> Moves | None:
        """The moves of a game, None where they were not kept; KeyError where there is no such game."""
        where = "first = ? AND second = ? AND board = ? AND repetition = ?"
        row = self._base.execute(f"SELECT moves FROM games WHERE {where}", key).fetchone()
        if row is None:
            raise KeyError(f"there is no game {tuple(key)}")
        if row[0] is None:
            return None
        return [[Move(*move) for move in turn] for turn in json.loads(zlib.decompress(row[0]))]

    def faults(self) -> list[tuple[Key, int, Fault]]:
        """All faults: the game, the player (1, 2) and what it did; in an order that does not depend on time."""
        order = "ORDER BY first, second, board, repetition, player, turn, rowid"
        found = []
        for first, second, board, repetition, player, *fault in self._base.execute(f"SELECT * FROM faults {order}"):
            key = Key(first, second, board, repetition)
            found.append((key, player, Fault(key[player - 1], *fault)))
        return found
