"""Database of a tournament's games (SQLite): one row per game, written as soon as the game ends, and their replays.

Write-ahead logging keeps rows whole when the process is killed at any moment. Only the process that runs the tournament
writes.
"""

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar, cast

from planetwars_env.arena.game_records import FinishedGame, GameKey, GameRow, Moves, TurnTimes
from planetwars_env.arena.isolation import Fault
from planetwars_env.bots.bot_codes import COMPILED_BOTS
from planetwars_env.bots.bot_games import moves_of_bot_game
from planetwars_env.bots.notes import TurnNotes, first_notes, read_notes
from planetwars_env.files import exclusive_lock
from planetwars_env.graphs.graph import Graph
from planetwars_env.move_counts import MoveCounts
from planetwars_env.replay import Forfeit, Replay, check_memory, rules_of
from planetwars_env.text import clean_name, visible
from planetwars_env.view import Move

IN_MEMORY = Path(":memory:")
"""Path of a database in memory, which lasts as long as its process."""

Method = TypeVar("Method", bound=Callable[..., Any])
_VERSION = 5
"""Of the tables, kept in the file's user_version."""
_OF_A_GAME = "first = ? AND second = ? AND graph = ? AND repetition = ?"
_TABLES = """
CREATE TABLE IF NOT EXISTS metadata (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS games (
    first TEXT, second TEXT, graph TEXT, repetition INTEGER,
    winner INTEGER NOT NULL, turns INTEGER NOT NULL, ended TEXT NOT NULL, fingerprint TEXT NOT NULL,
    repeated INTEGER NOT NULL, seed TEXT NOT NULL, moves BLOB, notes BLOB,
    PRIMARY KEY (first, second, graph, repetition)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS faults (
    first TEXT, second TEXT, graph TEXT, repetition INTEGER,
    player INTEGER, turn INTEGER, kind TEXT, forfeits TEXT, text TEXT
);
CREATE TABLE IF NOT EXISTS sides (
    first TEXT, second TEXT, graph TEXT, repetition INTEGER, player INTEGER,
    sent INTEGER, no_edge INTEGER, no_people INTEGER, not_yours INTEGER, too_many INTEGER,
    turns INTEGER, seconds REAL, slowest REAL
);
"""


_LARGEST_VALUE = 256 * 2**20
"""Bytes of one value in the file."""
_LARGEST_MOVES = 64 * 2**20
"""Bytes of text that the moves or the notes of one game may unpack to."""
_MOST_LISTS = 4_000_000
"""Lists in that text, each of which takes far more memory than its brackets do."""
_TIME = 1e9
"""Seconds; times stay below it."""
_COUNT, _PLAYER = range(2**31), range(1, 3)
_LABEL, _WORD, _TEXT = 400, 100, 20_000
"""Characters of texts; only the last may have lines."""
_KEY = (_LABEL, _LABEL, _LABEL, _COUNT)
_GAME = (*_KEY, range(3), _COUNT, _WORD, _WORD, range(4))
_FAULT = (*_KEY, _PLAYER, _COUNT, _WORD, _WORD, _TEXT)
_SIDE = (*_KEY, _PLAYER, *[_COUNT] * 6, _TIME, _TIME)
"""Values of the rows that a tournament writes: whole numbers, texts of so many characters, and times."""


class GameStoreError(ValueError):
    """A file that is not a tournament, is damaged, or cannot be read or written; the message names it."""


def _store_errors(method: Method) -> Method:
    """Decorate a method: errors of the file become a GameStoreError."""

    @wraps(method)
    def checked(self: "GameStore", *given: Any) -> Any:
        try:
            return method(self, *given)
        except GameStoreError:
            raise
        except sqlite3.OperationalError as fault:
            # a full disk, missing rights, no such folder
            kept = "its games are kept: run the same command again, and it continues"
            raise GameStoreError(f"{self.path}: {fault}; {kept}") from fault
        except (sqlite3.Error, ValueError, TypeError, RecursionError, MemoryError, zlib.error) as fault:
            raise GameStoreError(f"{self.path} is damaged or no file of a tournament ({fault})") from fault

    return cast(Method, checked)


class GameStore:
    """The open file, created if it is missing, or a database `IN_MEMORY`.

    The constructor and every method raise GameStoreError for a file that holds anything but a tournament.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._base = sqlite3.connect(path, timeout=60)
        except sqlite3.Error as fault:
            raise GameStoreError(f"{path}: {fault}") from fault
        self._base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_VALUE)
        try:
            self._prepare()
        except GameStoreError:
            self.close()
            raise

    @_store_errors
    def _prepare(self) -> None:
        self._base.execute("PRAGMA trusted_schema=OFF")  # the file may be somebody else's
        version = self._base.execute("PRAGMA user_version").fetchone()[0]
        tables = {name for (name,) in self._base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if version != _VERSION and {"games", "faults"} <= tables:
            raise GameStoreError(
                f"{self.path} has format {version or 1}, and this version of planetwars-env reads format {_VERSION}: "
                "hold the tournament again in a new folder"
            )
        # Other tables, views, triggers or conditions: before anything of it is used, and before anything is written.
        with closing(sqlite3.connect(":memory:")) as model:
            model.executescript(_TABLES)
            if extra := _schema(self._base) - _schema(model):
                kind, name = min(extra)[:2]
                raise ValueError(f"the {kind} {str(name)[:40]!r} is not one that a tournament makes")
        self._base.execute("PRAGMA journal_mode=WAL")
        self._base.execute("PRAGMA synchronous=NORMAL")
        if (state := self._base.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
            raise ValueError(state)
        # At once: a kill may leave no tables without their version.
        self._base.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version={_VERSION}; COMMIT")

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def __enter__(self) -> "GameStore":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the file against other tournaments until the block ends. BusyError if one is running."""
        with exclusive_lock(self.path.with_name(f"{self.path.name}.lock"), "a tournament"):
            yield

    @_store_errors
    def metadata(self, name: str, default: Any = None) -> Any:
        """Return a value of the metadata, else ``default``, whose type it must have."""
        row = self._base.execute("SELECT value FROM metadata WHERE name = ?", (name,)).fetchone()
        value = default if row is None else json.loads(row[0])
        if default is not None and type(value) is not type(default):
            raise ValueError(f"{name} cannot be {str(value)[:40]}")
        return value

    @_store_errors
    def metadata_like(self, prefix: str) -> dict[str, Any]:
        """Return the values of the metadata whose names begin with ``prefix``, in the order of their names."""
        rows = self._base.execute("SELECT name, value FROM metadata WHERE name GLOB ? ORDER BY name", (f"{prefix}*",))
        return {name: json.loads(value) for name, value in rows}

    @_store_errors
    def save_metadata(self, name: str, value: Any) -> None:
        """Write a value of the metadata."""
        with self._base:
            self._base.execute(
                "INSERT OR REPLACE INTO metadata VALUES (?, ?)", (name, json.dumps(value, sort_keys=True))
            )

    @_store_errors
    def add(self, games: Iterable[FinishedGame]) -> None:
        """Write finished games in one transaction; they replace rows with their keys."""
        with self._base:
            for game in games:
                self._add(game)

    def _add(self, game: FinishedGame) -> None:
        moves = None if game.moves is None else _packed(game.moves)
        notes = _packed([list(one) for one in first_notes(game.notes)]) if game.notes else None
        repeated = game.repeated[0] + 2 * game.repeated[1]
        row = (*game.key, game.winner, game.turns, game.ended, game.fingerprint, repeated, str(game.seed), moves, notes)
        self._base.execute(f"INSERT OR REPLACE INTO games VALUES ({','.join('?' * len(row))})", row)
        for table in ("faults", "sides"):
            self._base.execute(f"DELETE FROM {table} WHERE {_OF_A_GAME}", game.key)
        sides = zip((1, 2), game.counts, game.times, strict=True)
        rows = [(*game.key, player, *counts, *times) for player, counts, times in sides if counts.sent or times.turns]
        self._base.executemany(f"INSERT INTO sides VALUES ({','.join('?' * 13)})", rows)
        for player, faults in enumerate(game.faults, 1):
            rows = [(*game.key, player, *fault[1:]) for fault in faults]
            self._base.executemany("INSERT INTO faults VALUES (?,?,?,?,?,?,?,?,?)", rows)

    @_store_errors
    def keys(self) -> set[GameKey]:
        """Return the keys of all games."""
        return {GameKey(*row) for row in self._select("first, second, graph, repetition FROM games", _KEY, "a game")}

    @_store_errors
    def rows(self) -> list[GameRow]:
        """Return all games, ordered by key."""
        query = f"{', '.join(GameRow._fields)} FROM games ORDER BY first, second, graph, repetition"
        return [GameRow(*row) for row in self._select(query, _GAME, "a game")]

    @_store_errors
    def forget(self, label: str) -> None:
        """Remove all games of a contestant."""
        with self._base:
            for table in ("games", "faults", "sides"):
                self._base.execute(f"DELETE FROM {table} WHERE first = ? OR second = ?", (label, label))

    @_store_errors
    def moves(self, key: GameKey) -> tuple[int, Moves | None]:
        """Return the seed of a game and its moves, None if they were not kept. KeyError if there is no such game."""
        row = self._base.execute(f"SELECT seed, moves FROM games WHERE {_OF_A_GAME}", key).fetchone()
        if row is None:
            raise KeyError(f"there is no game {tuple(key)}")
        if row[1] is None:
            return int(row[0]), None
        moves = [[Move(*move) for move in turn] for turn in _unpacked(row[1])]
        for move in chain.from_iterable(moves):
            if not all(type(value) is int and abs(value) < 2**63 for value in move):
                raise ValueError(f"{str(tuple(move))[:120]} is not a move")
        return int(row[0]), moves

    @_store_errors
    def notes(self, key: GameKey) -> tuple[TurnNotes, ...]:
        """Return the notes that were left in a game, none if there is no such game."""
        row = self._base.execute(f"SELECT notes FROM games WHERE {_OF_A_GAME}", key).fetchone()
        return read_notes(_unpacked(row[0])) if row and row[0] is not None else ()

    @_store_errors
    def sides(self) -> list[tuple[GameKey, int, MoveCounts, TurnTimes]]:
        """Return the moves and times as (game, player 1 or 2, counts, times), ordered by key; none for compiled bots."""
        sides = []
        query = "* FROM sides ORDER BY first, second, graph, repetition, player"
        for row in self._select(query, _SIDE, "a player's side of a game"):
            counts = MoveCounts(*row[5:10])
            if counts.dropped > counts.sent:
                raise ValueError(f"of {counts.sent} moves {counts.dropped} cannot be dropped")
            sides.append((GameKey(*row[:4]), row[4], counts, TurnTimes(*row[10:])))
        return sides

    @_store_errors
    def faults(self, game: GameKey | None = None) -> list[tuple[GameKey, int, Fault]]:
        """Return all faults, or those of a game, as (game, player 1 or 2, fault), ordered by key."""
        where = "" if game is None else f"WHERE {_OF_A_GAME}"
        query = f"* FROM faults {where} ORDER BY first, second, graph, repetition, player, turn, rowid"
        rows = self._select(query, _FAULT, "a fault", game or ())
        return [(GameKey(*row[:4]), row[4], Fault(row[row[4] - 1], *row[5:])) for row in rows]

    def _select(self, query: str, kinds: Sequence[Any], what: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        """Yield the rows of a query. ValueError for one that no tournament wrote."""
        for row in self._base.execute(f"SELECT {query}", values):
            if not all(map(_fits, row, kinds)):
                raise ValueError(f"{str(tuple(row))[:120]} is not {what}")
            yield row


def load_replay(store: GameStore, key: GameKey, console: bool = False) -> Replay:
    """Return the replay of a game. KeyError if the store has no such game, GameStoreError if it is damaged.

    A game that was forfeited is shown as far as it went; the replay says by whom it was forfeited and why. ``console``: with
    what the strategies said and printed, and with the texts of their faults.
    """
    seed, moves = store.moves(key)
    try:
        conditions, (name, data) = store.metadata("conditions", {}), store.metadata("graphs", {})[key.graph]
        rules, graph = rules_of(conditions["rules"]), Graph.from_dict(data, name)
        check_memory(graph, rules)
        limit = conditions["max_turns"]
        if moves is None:
            known = store.metadata("contestants", {})
            one, other = (COMPILED_BOTS[known[label][0]] for label in key[:2])
            moves = moves_of_bot_game(graph, rules, (one, other), seed, limit)
        forfeit = None
        if lost := [(player, fault) for _, player, fault in store.faults(key) if fault.forfeits == "game"]:
            player, fault = lost[0]
            reason = clean_name(f"{fault.kind}: {fault.summary}" if fault.summary else fault.kind)
            forfeit = Forfeit(player if len(lost) == 1 else 0, reason)  # 0: neither player could begin
        replay = Replay.of(graph, rules, (key.first, key.second), seed, limit, moves, forfeit)
        return replace(replay, console=store.notes(key)) if console else replay
    except (LookupError, TypeError, ValueError, RuntimeError) as fault:
        raise GameStoreError(f"{store.path}: the game {tuple(key)} cannot be shown ({fault})") from fault


def _schema(base: sqlite3.Connection) -> set[tuple[str, ...]]:
    rows = base.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
    return {tuple(str(value) for value in row) for row in rows}


def _fits(value: Any, kind: Any) -> bool:
    """Return whether a value is such as a tournament writes into a row: `_KEY` and those below it say which."""
    if isinstance(kind, int):
        return isinstance(value, str) and len(value) <= kind and value == visible(value, "\n\t" * (kind == _TEXT))
    if isinstance(kind, range):
        return type(value) is int and value in kind
    return type(value) is float and 0 <= value < kind


def _packed(value: Any) -> bytes:
    return zlib.compress(json.dumps(value).encode())


def _unpacked(data: Any) -> Any:
    """Return a game's moves or notes; ValueError for what is cut short, or would fill the memory."""
    if not isinstance(data, bytes):
        raise ValueError("a part of a game is not packed text")
    unpacker = zlib.decompressobj()
    text = unpacker.decompress(data, _LARGEST_MOVES)
    if not unpacker.eof or text.count(b"[") > _MOST_LISTS:
        raise ValueError("a part of a game is cut short or too long")
    return json.loads(text)
