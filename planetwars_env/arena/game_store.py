"""Games of a tournament and their database (SQLite): one row per game, written as soon as it ends, with its moves.

Write-ahead logging keeps rows whole when the process is killed at any moment. Only the process that runs the tournament
writes.
"""

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from planetwars_env.arena.isolation import Fault
from planetwars_env.bots.bot_codes import COMPILED_BOTS
from planetwars_env.bots.bot_games import moves_of_bot_game
from planetwars_env.bots.notes import TurnNotes, first_notes, read_notes
from planetwars_env.graphs.graph import Graph
from planetwars_env.move_counts import NO_MOVES, MoveCounts
from planetwars_env.replay import Forfeit, Replay, check_memory, rules_of
from planetwars_env.text import clean_name, visible
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

    ``fingerprint``: of its positions (engine/repetition.py): games with the same one on the same graph are equal.

    In pairs for player 1 and player 2: ``repeated``, whether it was to move in one position three times; ``faults``;
    ``counts`` of moves and ``times``, none for games of a batch; ``printed``, by strategies, which no database keeps.
    ``moves``: with the first dropped ones of each turn; None for compiled bots, whose games are played again from their seed
    to be shown. ``notes``: that the players left on their turns.
    """

    key: GameKey
    winner: int
    turns: int
    ended: str
    fingerprint: str
    seed: int = 0
    repeated: tuple[bool, bool] = (False, False)
    moves: Moves | None = None
    faults: tuple[Sequence[Fault], Sequence[Fault]] = ((), ())
    counts: tuple[MoveCounts, MoveCounts] = (NO_MOVES, NO_MOVES)
    printed: tuple[str, str] = ("", "")
    times: tuple[TurnTimes, TurnTimes] = (NO_TIME, NO_TIME)
    notes: tuple[TurnNotes, ...] = ()

    @property
    def won_by(self) -> str:
        """The label of the winner, empty for a draw."""
        return (self.key.first, self.key.second)[self.winner - 1] if self.winner else ""


def distinct_of(games: Sequence[FinishedGame]) -> list[FinishedGame]:
    """Return each game once: the same positions of the same players on the same graph are the same game."""
    return list({(*game.key[:3], game.fingerprint, game.winner): game for game in reversed(games)}.values())


def faults_of(games: Iterable[FinishedGame]) -> Iterator[tuple[GameKey, int, Fault]]:
    """Yield the faults in games, each with its game and player (1, 2)."""
    for game in games:
        for player, faults in enumerate(game.faults, 1):
            for fault in faults:
                yield game.key, player, fault


IN_MEMORY = Path(":memory:")
"""Path of a database in memory, which lasts as long as its process."""

Method = TypeVar("Method", bound=Callable[..., Any])
_VERSION = 6
"""Of the tables, kept in the file's user_version."""
_OF_A_GAME = "first = ? AND second = ? AND graph = ? AND repetition = ?"
_TABLES = """
CREATE TABLE IF NOT EXISTS metadata (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS games (
    first TEXT, second TEXT, graph TEXT, repetition INTEGER, result TEXT NOT NULL, details BLOB,
    PRIMARY KEY (first, second, graph, repetition)
) WITHOUT ROWID;
"""

_LARGEST_VALUE, _LARGEST_RESULT = 256 * 2**20, 64 * 2**20
"""Bytes of one value in the file, and of the result of a game."""
_LARGEST_DETAILS, _MOST_LISTS = 64 * 2**20, 4_000_000
"""Bytes of text that the moves and notes of a game may unpack to, and lists in it: each takes far more memory than bytes."""
_TIME = 1e9
"""Seconds; times stay below it."""
_COUNT = range(2**31)
_LABEL, _WORD, _TEXT = 400, 100, 20_000
"""Characters of texts; only the last may have lines."""
_KEY = (_LABEL, _LABEL, _LABEL, _COUNT)
_FAULT, _TIMES = (_COUNT, _WORD, _WORD, _TEXT), (_COUNT, _TIME, _TIME)
_RESULT = (
    *(range(3), _COUNT, _WORD, _WORD, int, (bool, bool)),  # from the winner to the repetitions of `FinishedGame`
    *(([_FAULT], [_FAULT]), ((_COUNT,) * 5, (_COUNT,) * 5), (_TIMES, _TIMES)),  # faults without names, counts, times
)
"""Values that a tournament writes (`_fits`): of a game's key, and of its result in JSON."""


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


class GameStore(AbstractContextManager["GameStore", None]):
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
        # The first format had no number, and facts in place of metadata.
        if version != _VERSION and "games" in tables and tables & {"facts", "metadata"}:
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

    def __exit__(self, *_: object) -> None:
        self.close()

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
        rows = []
        for game in games:
            faults = [[fault[1:] for fault in of_player] for of_player in game.faults]
            ending = game.winner, game.turns, game.ended, game.fingerprint, game.seed, game.repeated
            result = json.dumps([*ending, faults, game.counts, game.times])
            details = json.dumps([game.moves, first_notes(game.notes)]).encode()
            rows.append((*game.key, result, None if game.moves is None else zlib.compress(details)))
        with self._base:
            self._base.executemany("INSERT OR REPLACE INTO games VALUES (?, ?, ?, ?, ?, ?)", rows)

    @_store_errors
    def keys(self) -> set[GameKey]:
        """Return the keys of all games."""
        return {key for key, _ in self._select("''")}

    @_store_errors
    def games(self) -> list[FinishedGame]:
        """Return all games, ordered by key, without their moves and notes."""
        return [_finished(key, result) for key, result in self._select("result")]

    @_store_errors
    def game(self, key: GameKey) -> FinishedGame:
        """Return a game with its moves and notes. KeyError if there is no such game."""
        rows = list(self._select("result, details", f"WHERE {_OF_A_GAME}", key))
        if not rows:
            raise KeyError(f"there is no game {tuple(key)}")
        ((_, result, details),) = rows
        game = _finished(key, result)
        if details is None:
            return game
        turns, notes = _unpacked(details)
        moves = [[Move(*move) for move in turn] for turn in turns]
        for move in chain.from_iterable(moves):
            if not all(type(value) is int and abs(value) < 2**63 for value in move):
                raise ValueError(f"{str(tuple(move))[:120]} is not a move")
        return game._replace(moves=moves, notes=read_notes(notes))

    @_store_errors
    def forget(self, label: str) -> None:
        """Remove all games of a contestant."""
        with self._base:
            self._base.execute("DELETE FROM games WHERE first = ? OR second = ?", (label, label))

    def _select(self, columns: str, where: str = "", values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the key and these columns of games, ordered by key. ValueError for a key that no tournament wrote."""
        order = "first, second, graph, repetition"
        for row in self._base.execute(f"SELECT {order}, {columns} FROM games {where} ORDER BY {order}", values):
            if not _fits([*row[:4]], _KEY):
                raise ValueError(f"{str(row[:4])[:120]} is not a game")
            yield GameKey(*row[:4]), *row[4:]


def load_replay(store: GameStore, key: GameKey, console: bool = False) -> Replay:
    """Return the replay of a game. KeyError if the store has no such game, GameStoreError if it is damaged.

    A game that was forfeited is shown as far as it went; the replay says by whom it was forfeited and why. ``console``: with
    what the strategies said and printed, and with the texts of their faults.
    """
    game = store.game(key)
    try:
        conditions, (name, data) = store.metadata("conditions", {}), store.metadata("graphs", {})[key.graph]
        rules, graph = rules_of(conditions["rules"]), Graph.from_dict(data, name)
        check_memory(graph, rules)
        limit = conditions["max_turns"]
        moves = game.moves
        if moves is None:
            known = store.metadata("contestants", {})
            one, other = (COMPILED_BOTS[known[label][0]] for label in key[:2])
            moves = moves_of_bot_game(graph, rules, (one, other), game.seed, limit)
        forfeit = None
        if lost := [fault for fault in chain(*game.faults) if fault.forfeits == "game"]:
            reason = clean_name(f"{lost[0].kind}: {lost[0].summary}" if lost[0].summary else lost[0].kind)
            loser = 1 if lost[0] in game.faults[0] else 2
            forfeit = Forfeit(loser if len(lost) == 1 else 0, reason)  # 0: neither player could begin
        replay = Replay.of(graph, rules, (key.first, key.second), game.seed, limit, moves, forfeit)
        return replace(replay, console=game.notes) if console else replay
    except (LookupError, TypeError, ValueError, RuntimeError) as fault:
        raise GameStoreError(f"{store.path}: the game {tuple(key)} cannot be shown ({fault})") from fault


def _schema(base: sqlite3.Connection) -> set[tuple[str, ...]]:
    rows = base.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
    return {tuple(str(value) for value in row) for row in rows}


def _finished(key: GameKey, text: Any) -> FinishedGame:
    """Return a game from its result in JSON. ValueError or TypeError for one that no tournament wrote."""
    if len(text) > _LARGEST_RESULT or not _fits(result := json.loads(text), _RESULT):
        raise ValueError(f"{text[:120]!s} is not the result of a game")
    winner, turns, ended, fingerprint, seed, repeated, faults, counts, times = result
    own = zip(key[:2], faults, strict=True)
    more: dict[str, Any] = {
        "faults": tuple([Fault(label, *fault) for fault in of_player] for label, of_player in own),
        "counts": tuple(MoveCounts(*sent) for sent in counts),
        "times": tuple(TurnTimes(*taken) for taken in times),
    }
    for count in more["counts"]:
        if count.dropped > count.sent:
            raise ValueError(f"of {count.sent} moves {count.dropped} cannot be dropped")
    return FinishedGame(key, winner, turns, ended, fingerprint, seed, tuple(repeated), **more)


def _fits(value: Any, kind: Any) -> bool:
    """Return whether a value is such as a tournament writes.

    ``kind``: a range of whole numbers; a number of characters; a bound of times; a type; a tuple of kinds, for a list of just
    these; a list of one kind, for a list of any number of them.
    """
    if isinstance(kind, tuple):
        return isinstance(value, list) and len(value) == len(kind) and all(map(_fits, value, kind))
    if isinstance(kind, list):
        return isinstance(value, list) and all(_fits(one, kind[0]) for one in value)
    if isinstance(kind, type):
        return type(value) is kind
    if isinstance(kind, int):
        return isinstance(value, str) and len(value) <= kind and value == visible(value, "\n\t" * (kind == _TEXT))
    if isinstance(kind, range):
        return type(value) is int and value in kind
    return type(value) is float and 0 <= value < kind


def _unpacked(data: Any) -> Any:
    """Return a game's moves or notes; ValueError for what is cut short, or would fill the memory."""
    if not isinstance(data, bytes):
        raise ValueError("a part of a game is not packed text")
    unpacker = zlib.decompressobj()
    text = unpacker.decompress(data, _LARGEST_DETAILS)
    if not unpacker.eof or text.count(b"[") > _MOST_LISTS:
        raise ValueError("a part of a game is cut short or too long")
    return json.loads(text)
