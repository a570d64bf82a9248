"""A results file made by somebody hostile ends in one GameStoreError, soon, and is not changed; a killed one opens."""

import json
import sqlite3
import time
import zlib
from pathlib import Path
from typing import Any

import pytest

from planetwars_env.arena.game_store import GameStore, GameStoreError
from support.file_kinds import KINDS, make

TOURNAMENT = KINDS["tournament"]
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"


def changed(folder: Path, *statements: str) -> Path:
    """A good file after these statements."""
    path = make(TOURNAMENT, folder)
    base = sqlite3.connect(path)
    base.executescript(";".join(statements))
    base.close()
    return path


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        (f"ALTER TABLE games RENAME TO other; CREATE VIEW games AS {ENDLESS} SELECT i FROM n", "table 'other'"),
        (f"CREATE VIEW faults AS {ENDLESS} SELECT i,i,i,i,i,i,i,i,i FROM n", "view 'faults'"),
        (
            f"DROP TABLE metadata; CREATE VIEW metadata AS {ENDLESS} SELECT 'version' AS name, i AS value FROM n",
            "metadata",
        ),
        ("CREATE TRIGGER t AFTER INSERT ON metadata BEGIN DELETE FROM games; END", "trigger 't'"),
        ("CREATE INDEX i ON games (hex(result))", "index 'i'"),
        ("ALTER TABLE games ADD COLUMN more TEXT GENERATED ALWAYS AS (upper(result))", "table 'games'"),
        ("CREATE TABLE other (a CHECK (a > 1))", "table 'other'"),
        ("CREATE VIRTUAL TABLE f USING fts5(text)", "table 'f"),
        (
            "DROP TABLE metadata; CREATE TABLE metadata (name TEXT, value TEXT, CHECK (length(zeroblob(1000000000)) > 0))",
            "metadata",
        ),
    ],
)
def test_a_file_with_other_tables_is_refused_at_once_and_stays_as_it_is(
    statement: str, named: str, tmp_path: Path
) -> None:
    try:
        path = changed(tmp_path, statement)
    except sqlite3.OperationalError as fault:  # SQLite was built without it
        pytest.skip(str(fault))
    before = path.read_bytes()
    start = time.monotonic()
    with pytest.raises(GameStoreError, match=rf"games\.sqlite.*{named}"):
        GameStore(path)
    assert time.monotonic() - start < 2
    assert path.read_bytes() == before


LONG, CONDITIONS = b"[" + b"[]," * 5_000_000 + b"[]]", '{"rules": {"name": "PLANETWARS", "coexistence": false, '
COLUMNS: dict[tuple[str, str], list[Any]] = {
    ("games", "repetition"): [2**40],
    ("games", "graph"): [b"7"],
    ("games", "result"): [7, b"\xff", "{}", "[" * 100_000, "[]," * 3_000_000],
    ("games", "details"): [
        *("text", 7, zlib.compress(b"{}")[:-1], zlib.compress(LONG), zlib.compress(b"{}")),
        *(zlib.compress(b"[[[[1,2,1" + b"0" * 30 + b"]]], []]"), zlib.compress(b"[[], 7]")),
        zlib.compress(b'[[], [[1, 1, [], [], "", 7, 0.1, 0]]]'),
    ],
    ("metadata", "value"): [
        *("[" * 100_000, '{"duel": 1}', '{"rules": {"name": 1}, "max_turns": 4, "seed": 0}'),
        CONDITIONS + '"turns_per_weight": 1, "max_turns": null}, "max_turns": 999999999999, "seed": 0}',
    ],
}
PARTS: dict[tuple[int, ...], list[Any]] = {
    (0,): [3, 1.5],  # the winner
    (1,): [2**60],  # turns
    (2,): ["rules\u202e"],
    (3,): ["0" * 1_000],  # the fingerprint
    (4,): ["many"],  # the seed
    (5,): [4, [True]],  # repetitions
    (6,): [None, [[]]],
    (6, 0, 0): [[3, "late", "turn"], "late"],  # a fault
    (6, 0, 0, 0): ["soon", -1],
    (6, 0, 0, 1): [7, "late\x1b[2J"],
    (6, 0, 0, 2): [None],
    (6, 0, 0, 3): [None, "\x1b]0;owned\x07", "x" * 100_000],
    (7, 0, 0): [-1],  # moves that were sent
    (7, 1, 1): [1],
    (8, 0, 0): [1.5],  # turns that were timed
    (8, 0, 1): ["long"],
    (8, 0, 2): [-1.0, 1e300, float("nan")],
}
"""Values in the result of a game that no tournament writes, by their places."""


def refused(folder: Path, table: str, column: str, value: Any) -> None:
    """A good file with this value in a column of every row is refused."""
    path = make(TOURNAMENT, folder)
    where = " WHERE name = 'conditions'" if table == "metadata" else ""
    with sqlite3.connect(path) as base:
        base.execute(f"UPDATE OR REPLACE {table} SET {column} = ?{where}", (value,))
    base.close()
    with pytest.raises(GameStoreError, match=r"games\.sqlite"):
        TOURNAMENT.read(path)


@pytest.mark.parametrize(
    ("table", "column", "value"), [(*place, value) for place, values in COLUMNS.items() for value in values]
)
def test_rows_that_no_tournament_wrote_are_refused(table: str, column: str, value: Any, tmp_path: Path) -> None:
    refused(tmp_path, table, column, value)


@pytest.mark.parametrize(("place", "value"), [(place, value) for place, values in PARTS.items() for value in values])
def test_results_that_no_tournament_wrote_are_refused(place: tuple[int, ...], value: Any, tmp_path: Path) -> None:
    path = make(TOURNAMENT, tmp_path / "good")
    with sqlite3.connect(path) as base:
        result = json.loads(base.execute("SELECT result FROM games").fetchone()[0])
    base.close()
    part = result
    for step in place[:-1]:
        part = part[step]
    part[place[-1]] = value
    refused(tmp_path, "games", "result", json.dumps(result))


@pytest.mark.parametrize("name", ["a\ud800", "a\x1b[2J", "x" * 1_000])
def test_labels_that_no_tournament_wrote_are_refused(name: str, tmp_path: Path) -> None:
    path = make(TOURNAMENT, tmp_path)
    with sqlite3.connect(path) as base:
        base.execute("UPDATE games SET first = CAST(? AS TEXT)", (name.encode("utf-8", "surrogatepass"),))
    base.close()
    with pytest.raises(GameStoreError, match=r"games\.sqlite"):
        TOURNAMENT.read(path)


def test_a_file_whose_creation_was_killed_anywhere_is_opened(tmp_path: Path) -> None:
    whole = tmp_path / "whole.sqlite"
    with GameStore(whole):
        log = whole.with_name("whole.sqlite-wal").read_bytes()
        base = whole.read_bytes()
    frame = 24 + int.from_bytes(log[8:12], "big")
    lengths = range(32, len(log) + 1, frame)
    assert len(lengths) > 4
    for length in lengths:
        path = tmp_path / f"{length}.sqlite"
        path.write_bytes(base)
        path.with_name(f"{length}.sqlite-wal").write_bytes(log[:length])
        with GameStore(path) as store:
            assert store.metadata("none") is None
