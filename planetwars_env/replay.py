"""Replays of games: graph, rules, players and every move, no states; a game is re-run to be shown."""

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple

from planetwars_env.bots.notes import TurnNotes, read_notes
from planetwars_env.engine.repetition import TIMES
from planetwars_env.engine.rules import MAX_TURNS, PRESETS, Rules
from planetwars_env.files import decompress, parse_json, read_file, write_atomically
from planetwars_env.game import Game
from planetwars_env.graphs.graph import Graph, show
from planetwars_env.settings import Bounds, ConfigError, checked_settings
from planetwars_env.shipped import PACKAGE_VERSION
from planetwars_env.view import Move

SCHEMA = 2
_LARGEST = 64 * 2**20
"""Most bytes of a file, compressed or not."""
_MOST_VALUES = 6_000_000
"""Most JSON values in it; the largest graph has 2.5 million."""
_MOST_TURNS = 100_000
_MOST_MOVES = 500_000
_MOST_WORK = 2_000_000
"""Bound of turns times planets plus turns of all flights, which the time of a re-run depends on."""


class ReplayError(ValueError):
    """A file that is not a replay, or a replay whose moves lead to another result than recorded."""


class Forfeit(NamedTuple):
    """Forfeit of a game by ``player`` (1, 2; 0: both), with the reason in one line."""

    player: int
    reason: str


@dataclass(frozen=True)
class Replay:
    """Replay of one game. ``players``: names of player 1 and player 2; ``moves``: of every turn, as submitted.

    ``winner``: 1, 2, or 0 for a draw and a game cut off; ``turns``: the last turn; ``digests``: of the position as each turn
    began, and of the last one; ``package``: the version of this package that it was made with; ``forfeit``: None where the game
    ended by the rules or was cut off; ``console``: notes of strategies, if they were asked for. Made by `Replay.of`.
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
    digests: tuple[str, ...]
    package: str
    forfeit: Forfeit | None = None
    console: tuple[TurnNotes, ...] = ()

    def __repr__(self) -> str:
        end = f"won by player {self.winner}" if self.winner else "cut off" if self.cut_off else "drawn"
        end = "forfeited" if self.forfeit else end
        one, other = self.players
        return f"Replay({one} against {other} on {self.graph.name or 'an unnamed graph'}: {end} on turn {self.turns})"

    @classmethod
    def of(
        cls,
        graph: Graph,
        rules: Rules,
        players: Sequence[str],
        seed: int,
        max_turns: int | None,
        moves: Iterable[Iterable[Move]],
        forfeit: Forfeit | None = None,
    ) -> "Replay":
        """Return the replay of these moves, one list per turn, of a game that may still be played; they are played once.

        A ``forfeit`` ends the game after them. RuntimeError where they go on after its end.
        """
        turns = tuple(tuple(Move(*move) for move in turn) for turn in moves)
        game = Game(graph, rules, max_turns)
        digests = [position_digest(game)]
        for turn in turns:
            game.play(turn)
            digests.append(position_digest(game))
        result: Any = {**_result(game, forfeit), "digests": tuple(digests), "package": PACKAGE_VERSION}
        return cls(graph, rules, (players[0], players[1]), seed, max_turns, turns, **result, forfeit=forfeit)

    def games(self) -> Iterator[Game]:
        """Re-run the game: yield it, one object, as each turn begins and at the end. ReplayError for moves after the end."""
        game = Game(self.graph, self.rules, self.max_turns)
        yield game
        for moves in self.moves:
            if game.over:
                raise ReplayError(
                    f"the game is over on turn {game.turn}, but the replay has {len(self.moves)} turns of moves"
                )
            game.play(moves)
            yield game

    @cached_property
    def finished(self) -> bool:
        """Whether the moves lead to the end of the game, by the rules or its limit."""
        *_, game = self.games()
        return game.over

    def repetitions(self) -> dict[int, tuple[int, int, int]]:
        """Return by player the first three turns on which it was to move in the same position."""
        turns: dict[object, list[int]] = {}
        repeated: dict[int, tuple[int, int, int]] = {}
        for game in self.games():
            if game.over:
                break
            same = turns.setdefault((game.player, tuple(game.people()), game.shuttles()), [])
            same.append(game.turn)
            if len(same) == TIMES and game.player not in repeated:
                repeated[game.player] = (same[0], same[1], same[2])
        return repeated

    def verify(self) -> None:
        """Re-run the game. ReplayError names the first turn that differs from the record, or the wrong result."""
        for turn, game in enumerate(self.games()):
            if turn < len(self.digests) and self.digests[turn] != position_digest(game):
                made_with = f"; it was made with version {self.package}, and this is {PACKAGE_VERSION}"
                by = "" if self.package == PACKAGE_VERSION else made_with
                where = f"turn {turn}" if turn else "the start"
                raise ReplayError(
                    f"the replay and the re-run game differ from {where} on, so a move, the graph or a rule was changed{by}"
                )
        if game.over and self.forfeit:
            raise ReplayError(f"the game is over on turn {game.turn}, so nobody can forfeit it")
        if not game.over and not self.forfeit:
            raise ReplayError(f"the moves end on turn {game.turn}, and the game is not over")
        if len(self.digests) != len(self.moves) + 1:
            raise ReplayError(
                f"{len(self.moves)} turns of moves need {len(self.moves) + 1} digests, not {len(self.digests)}"
            )
        for name, actual in _result(game, self.forfeit).items():
            if (stated := getattr(self, name)) != actual:
                raise ReplayError(f"{name} is recorded as {stated!r}, and the moves lead to {actual!r}")

    def to_dict(self) -> dict[str, Any]:
        """Return the replay for JSON; `from_dict` is the inverse."""
        return {
            "schema": SCHEMA,
            "package": self.package,
            "graph": {"name": self.graph.name, **self.graph.to_dict()},
            "rules": asdict(self.rules),
            "players": list(self.players),
            "seed": self.seed,
            "max_turns": self.max_turns,
            "moves": [[list(move) for move in turn] for turn in self.moves],
            "winner": self.winner,
            "turns": self.turns,
            "cut_off": self.cut_off,
            "digests": list(self.digests),
            **({} if self.forfeit is None else {"forfeit": list(self.forfeit)}),
            **({"console": [list(notes) for notes in self.console]} if self.console else {}),
        }

    @classmethod
    def from_dict(cls, data: Any) -> "Replay":
        """Return the replay in plain data. ReplayError names the part that is missing or wrong; `verify` checks the result."""
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise ReplayError(f'this is not a replay of this version of planetwars-env: "schema" must be {SCHEMA}')
        if missing := [key for key in ("graph", "rules", "moves", "digests", "seed", *_PLAIN) if key not in data]:
            raise ReplayError(f"the replay lacks {', '.join(missing)}")
        name = data["graph"].get("name", "") if isinstance(data["graph"], dict) else ""
        try:
            graph = Graph.from_dict(data["graph"], str(name))
        except ValueError as fault:
            raise ReplayError(f"graph: {fault}") from fault
        try:
            plain = checked_settings("the replay", _PLAIN, {key: data[key] for key in _PLAIN}, _BOUNDS)
        except ValueError as fault:
            raise ReplayError(str(fault)) from fault
        try:
            console = read_notes(data.get("console", []))
        except ValueError as fault:
            raise ReplayError(f"console: {fault}") from fault
        digests = data["digests"]
        if not isinstance(digests, list) or not all(isinstance(digest, str) for digest in digests):
            raise ReplayError(f"digests must be a list of texts, not {show(digests)}")
        if len(plain["players"]) != 2:
            raise ReplayError(f"players must be two names, not {show(plain['players'])}")
        if type(data["seed"]) is not int:
            raise ReplayError(f"seed must be a whole number, not {show(data['seed'])}")
        rules = rules_of(data["rules"])
        check_memory(graph, rules)
        for name in (*plain["players"], rules.name, plain["package"]):
            if not _is_line(name):
                raise ReplayError(f"names must be printable and at most {_LONGEST_NAME} long, not {name[:40]!r}")
        moves = _moves(data["moves"])
        _check_work(graph, rules, moves)
        rest = {"seed": data["seed"], "forfeit": _forfeit(data.get("forfeit")), "console": console, **plain}
        return cls(graph, rules, moves=moves, digests=tuple(digests), **rest)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the replay atomically, compressed for a name in .gz. ReplayError for a game too long to be read again."""
        _check_work(self.graph, self.rules, self.moves)
        text = (json.dumps(self.to_dict(), separators=(",", ":")) + "\n").encode()
        write_atomically(path, gzip.compress(text, mtime=0) if os.fspath(path).endswith(".gz") else text)

    @classmethod
    def load(cls, path: str | os.PathLike[str], verify: bool = False) -> "Replay":
        """Return the replay in a file; ``verify``: re-run it too. ReplayError names the file."""
        try:
            data = decompress(read_file(path, _LARGEST), _LARGEST)
            replay = cls.from_dict(parse_json(data, _MOST_VALUES))
            if verify:
                replay.verify()
        except (ValueError, RecursionError, EOFError, zlib.error, gzip.BadGzipFile, MemoryError) as fault:
            raise ReplayError(f"{os.fspath(path)}: {fault}") from fault
        return replay


_PLAIN = {"players": ("",), "package": "", "max_turns": None, "winner": 0, "turns": 0, "cut_off": False}
"""Parts of a replay's JSON that are plain values or a list of them, each with one of its type."""
_BOUNDS: Bounds = {"turns_per_weight": (1, 10), "max_turns": (1, MAX_TURNS), "winner": (0, 2), "turns": (0, None)}
"""Bounds of numbers of a replay and of its rules: shuttles take memory for every turn of a flight."""
_MOST_MEMORY = 512 * 2**20
"""Most bytes of memory for a re-run."""
_LONGEST_NAME = 200


def _is_line(text: Any) -> bool:
    """Whether it is a text that terminals show, which obey escape sequences, and not too long."""
    return isinstance(text, str) and len(text) <= _LONGEST_NAME and text.isprintable()


def position_digest(game: Game) -> str:
    """Return a fingerprint of a position: 48 bits of SHA-256 as hexadecimal digits."""
    position = game.turn, game.over, game.winner, game.people(), [tuple(shuttle) for shuttle in game.shuttles()]
    return hashlib.sha256(repr(position).encode()).hexdigest()[:12]


def check_memory(graph: Graph, rules: Rules) -> None:
    """ReplayError for a graph whose shuttles (turns of flight by directed edges, 8 bytes each) need too much memory."""
    turns = rules.turns_per_weight * max((edge.weight for edge in graph.edges), default=1)
    if (needed := 16 * turns * len(graph.edges)) > _MOST_MEMORY:
        raise ReplayError(
            f"its game needs {needed / 2**20:,.0f} MiB of memory; at most {_MOST_MEMORY // 2**20} are allowed"
        )


def _moves(turns: Any) -> tuple[tuple[Move, ...], ...]:
    """Return the moves of every turn; they are counted before they are converted."""
    if not isinstance(turns, list):
        raise ReplayError(f"moves must be a list of turns, not {show(turns)}")
    if sum(len(moves) for moves in turns if isinstance(moves, list)) > _MOST_MOVES:
        raise ReplayError(f"the game has more than {_MOST_MOVES:,} moves")
    for number, moves in enumerate(turns, 1):
        right = isinstance(moves, list) and all(isinstance(move, list) and len(move) == 3 for move in moves)
        if not right or not all(type(value) is int for move in moves for value in move):
            form = "[source, destination, people] in whole numbers"
            raise ReplayError(f"the moves of turn {number} must be a list of {form}")
    return tuple(tuple(Move(*move) for move in moves) for moves in turns)


def _check_work(graph: Graph, rules: Rules, moves: Sequence[Sequence[Move]]) -> None:
    """ReplayError for a game that takes too long to re-run; each move counts with the turns of its flight."""
    flights = {(edge.a, edge.b): edge.weight * rules.turns_per_weight for edge in graph.edges}
    work = len(moves) * len(graph.planets)
    for turn, orders in enumerate(moves):
        left = len(moves) - turn
        for source, destination, _ in orders:
            work += min(left, flights.get((min(source, destination), max(source, destination)), 0))
    if len(moves) > _MOST_TURNS or sum(map(len, moves)) > _MOST_MOVES or work > _MOST_WORK:
        raise ReplayError(
            f"the game is too long for a replay: {len(moves):,} turns by {len(graph.planets):,} planets and "
            f"{sum(map(len, moves)):,} moves (`planetwars docs trust` has the bounds)"
        )


def rules_of(data: Any) -> Rules:
    """Return rules from plain data, of a preset or custom. ReplayError for anything else."""
    parts = {"name": "", "coexistence": False, "turns_per_weight": 1, "max_turns": None}
    if not isinstance(data, dict) or data.keys() != parts.keys():
        raise ReplayError(f"the rules must be {', '.join(parts)}, not {str(data)[:80]}; presets: {', '.join(PRESETS)}")
    try:
        return Rules(**checked_settings("the rules", parts, data, _BOUNDS))
    except ConfigError as fault:
        raise ReplayError(str(fault)) from None


def _result(game: Game, forfeit: Forfeit | None) -> dict[str, Any]:
    """Return what a replay records of the end of a game."""
    winner = game.winner
    if forfeit:
        winner = 3 - forfeit.player if forfeit.player else 0
    return {"winner": winner, "turns": game.turn, "cut_off": game.cut_off}


def _forfeit(data: Any) -> Forfeit | None:
    if data is None:
        return None
    if not isinstance(data, list) or len(data) != 2 or type(data[0]) is not int or data[0] not in (0, 1, 2):
        raise ReplayError(f"forfeit must be a player (1, 2; 0: both) and a reason, not {str(data)[:40]!r}")
    if not _is_line(data[1]):
        raise ReplayError(f"the reason of a forfeit must be printable and at most {_LONGEST_NAME} long")
    return Forfeit(*data)
