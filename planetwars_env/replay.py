"""A replay stores the graph, the rules, the players and every move, never states: it is re-run to be seen."""

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planetwars_env.engine.rules import PRESETS, Rules
from planetwars_env.game import Game
from planetwars_env.graphs.graph import Graph, GraphError
from planetwars_env.view import Move

SCHEMA = 1
_COMPRESSED = b"\x1f\x8b"
_LARGEST = 256 * 2**20
"""Bytes of text that a file may hold, so that a small .gz cannot fill the memory."""


class ReplayError(ValueError):
    """A file that is no replay, or a replay whose moves do not lead to the result that it states."""


@dataclass(frozen=True)
class Replay:
    """One match. ``players``: the names of player 1 and player 2; ``moves``: those of every turn, as they were submitted.

    ``winner``: 1, 2, or 0 for a draw and a game cut off; ``turns``: the last turn; ``digest``: of the last position.
    """

    graph: Graph
    rules: Rules
    players: tuple[str, str]
    seed: int
    max_turns: int | None
    moves: tuple[tuple[Move, ...], ...]
    winner: int
    turns: int
    cut_off: bool
    digest: str
    package: str

    def games(self) -> Iterator[Game]:
        """The match re-run: the game as each turn begins, and at last as it ended. It is one object: copy it to keep it.

        ReplayError where the game is over before all moves are made.
        """
        game = Game(self.graph, self.rules, self.max_turns)
        yield game
        for moves in self.moves:
            if game.over:
                raise ReplayError(
                    f"the game is over on turn {game.turn}, but the replay has {len(self.moves)} turns of moves"
                )
            game.play(moves)
            yield game

    def verify(self) -> None:
        """Re-run the match; ReplayError naming the first thing that comes out otherwise than stated."""
        *_, game = self.games()
        if not game.over:
            raise ReplayError(f"the moves end on turn {game.turn}, and the game is not over")
        found = {"winner": game.winner, "turns": game.turn, "cut_off": game.cut_off, "digest": digest_of(game)}
        for name, value in found.items():
            if getattr(self, name) != value:
                raise ReplayError(f"{name} is stated as {getattr(self, name)!r}, and the moves lead to {value!r}")

    def to_dict(self) -> dict[str, Any]:
        """A form for JSON; `from_dict` is the inverse."""
        return {
            "schema": SCHEMA,
            "package": self.package,
            "graph": {"name": self.graph.name, **self.graph.to_dict()},
            "rules": self.rules.name,
            "players": list(self.players),
            "seed": self.seed,
            "max_turns": self.max_turns,
            "moves": [[list(move) for move in turn] for turn in self.moves],
            "winner": self.winner,
            "turns": self.turns,
            "cut_off": self.cut_off,
            "digest": self.digest,
        }

    @classmethod
    def from_dict(cls, data: Any) -> "Replay":
        """ReplayError naming the part that is missing or wrong; whether moves and result agree is for `verify`."""
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise ReplayError(f'no replay: "schema" must be {SCHEMA}')
        if missing := [key for key in _KINDS if key not in data]:
            raise ReplayError(f"the replay lacks {', '.join(missing)}")
        for key, kinds in _KINDS.items():
            if not isinstance(data[key], kinds):
                raise ReplayError(f"{key} cannot be {str(data[key])[:40]!r}")
        if data["rules"] not in PRESETS:
            raise ReplayError(f"unknown rules {data['rules']!r}; known: {', '.join(PRESETS)}")
        if len(data["players"]) != 2:
            raise ReplayError("players must be two names")
        kept = {key: data[key] for key in ("seed", "max_turns", "winner", "turns", "cut_off", "digest", "package")}
        return cls(
            graph=_graph(data["graph"]),
            rules=PRESETS[data["rules"]],
            players=(str(data["players"][0]), str(data["players"][1])),
            moves=tuple(_turn(number, moves) for number, moves in enumerate(data["moves"], 1)),
            **kept,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the replay as JSON, compressed where the name ends in .gz; a file is there whole or not at all."""
        text = (json.dumps(self.to_dict(), separators=(",", ":")) + "\n").encode()
        write_atomically(path, gzip.compress(text, mtime=0) if os.fspath(path).endswith(".gz") else text)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Replay":
        """The replay in a file; ReplayError, naming the file, where there is none in it. It is not re-run: see `verify`."""
        try:
            return cls.from_dict(json.loads(_text(Path(path).read_bytes())))
        except (ValueError, RecursionError, EOFError, zlib.error, gzip.BadGzipFile) as fault:
            raise ReplayError(f"{os.fspath(path)}: {fault}") from fault


_KINDS: dict[str, Any] = {
    "package": str,
    "graph": dict,
    "rules": str,
    "players": list,
    "seed": int,
    "max_turns": int | None,
    "moves": list,
    "winner": int,
    "turns": int,
    "cut_off": bool,
    "digest": str,
}
"""The keys of a replay's JSON and the kinds of their values."""


def digest_of(game: Game) -> str:
    """A fingerprint of a position: two that differ in anything have different ones."""
    return hashlib.sha256(json.dumps(game.to_dict(), sort_keys=True).encode()).hexdigest()


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file that is either its old self or its new one, whenever the program is interrupted."""
    path = Path(path)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _text(data: bytes) -> bytes:
    if not data.startswith(_COMPRESSED):
        return data
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    text = unpacker.decompress(data, _LARGEST)
    if unpacker.unconsumed_tail:
        raise ReplayError(f"the file holds more than {_LARGEST // 2**20} MiB")
    if not unpacker.eof:
        raise ReplayError("the file is cut short")
    return text


def _graph(data: dict[str, Any]) -> Graph:
    try:
        return Graph.from_dict(data, str(data.get("name", "")))
    except GraphError as fault:
        raise ReplayError(f"graph: {fault}") from fault


def _turn(number: int, moves: Any) -> tuple[Move, ...]:
    try:
        turn = tuple(Move(*move) for move in moves)
    except TypeError:
        turn = None
    if turn is None or not all(type(value) is int for move in turn for value in move):
        raise ReplayError(
            f"the moves of turn {number} must be a list of [source, destination, people] in whole numbers"
        )
    return turn
