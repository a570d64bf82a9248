"""Benchmark: its tracks, the games of an entry, the file of its results, and the check of that file (docs/benchmark.md)."""

import base64
import hashlib
import json
import lzma
import platform
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import product
from pathlib import Path
from shutil import rmtree
from typing import Any, NamedTuple

import numpy as np

from planetwars_env.arena.contestants import contestant_of, fingerprint_player, load_players
from planetwars_env.arena.evaluation import plan_evaluation, scheduled_games
from planetwars_env.arena.game_store import IN_MEMORY, GameKey, GameStore, load_replay
from planetwars_env.arena.games import play_match
from planetwars_env.arena.isolation import ResourceLimits
from planetwars_env.arena.plan import TournamentPlan, prepare_plan
from planetwars_env.arena.results import bootstrap_interval, interquartile_mean, wilson
from planetwars_env.arena.round_robin import play_missing, run_tournament
from planetwars_env.arena.tournament import open_store
from planetwars_env.bots.catalogue import Kind, Player, kind_of, parse_player, resolve_player
from planetwars_env.bots.entry_points import make_scratch, play_bot
from planetwars_env.engine.rules import PLANETWARS
from planetwars_env.engine.state import Array
from planetwars_env.files import parse_json, read_file, write_atomically
from planetwars_env.graphs.catalogue import load_graph, load_pool
from planetwars_env.graphs.generators import GraphGenerator
from planetwars_env.graphs.graph import Graph
from planetwars_env.move_counts import counts_of_replay, total
from planetwars_env.replay import Forfeit, Replay, ReplayError
from planetwars_env.shipped import PACKAGE_VERSION, agent_names
from planetwars_env.view import Move

VERSION = 1
_LARGEST, _MOST_VALUES, _LARGEST_MOVES = 64 * 2**20, 1_000_000, 512 * 2**20
"""Most bytes and JSON values of a file, and most bytes of its moves."""
_COLUMNS, _MOST_TURNS = 7, 500
_FIXED_BOTS = "noop", "ai1", "ai2", "ai3", "advisor"
"""Bots without random numbers, whose every move `check` makes again."""
_NAME = 100
MEASURED = "player"
"""Label of the measured player in the games."""

PINNED = {
    "random": "3263e80e85bd3d87",
    "ai1": "8eb016e7bb101341",
    "ai2": "03fd84c8a92cd5fc",
    "ai3": "d23ade91ad0362fe",
    "planner": "ab30f9590c79d840",
    "graph-planetwars-small": "afaef8eb3a2d49c2",
    "graph-planetwars": "a41ad20ab21d519e",
}
"""The frozen opponents and their digests (`digest_of_player`)."""

TRAINED_ON = {"10": 10, "50": 50, "100": 100, "500": 500, "endless": 0}
"""Numbers of training graphs of the track "generalise": the first ones of `train`; endless: made by a generator."""


@dataclass(frozen=True)
class Track:
    """Track of the benchmark. Each player plays every opponent on ``graphs`` graphs of each pool, as either player.

    ``reference``: by opponent, the win rates of random and ai3, which count as 0 and 100; {}: win rates count as they are.
    """

    opponents: tuple[str, ...]
    pools: tuple[str, ...]
    graphs: int
    max_turns: int | None = None
    reference: Mapping[str, tuple[float, float]] = field(default_factory=dict)


TRACKS = {
    "learn": Track(
        ("ai3", "planner", "graph-planetwars-small", "graph-planetwars"), ("fair", "test", "large"), graphs=20
    ),
    "exploit": Track((), ("fair",), graphs=100),
    "generalise": Track(("ai3",), ("trained", "test", "20", "30", "60"), graphs=50),
    "offline": Track(
        ("ai1", "ai2", "ai3"),
        ("test",),
        graphs=50,
        reference={"ai1": (0.07, 0.96), "ai2": (0.04, 0.73), "ai3": (0.01, 0.46)},
    ),
    "language": Track(("random", "ai1", "ai2", "ai3"), ("named",), graphs=4, max_turns=200),
}


class ScoreError(ValueError):
    """A file that is not a result of the benchmark, or whose games or figures are not those of the protocol."""


class Checked(NamedTuple):
    """Result of a check."""

    games: int  # replayed
    equal: int  # turns of the sample with the same moves when played again
    moves: int  # all turns of the sample
    problem: str  # why no game was played again, or ""


def graphs_of(track: str, trained_on: str) -> list[Graph]:
    """Return the graphs of a track, each named by its pool: "fair/0", "60/3", "trained/7"."""
    count, graphs = TRACKS[track].graphs, []
    for pool in TRACKS[track].pools:
        if pool == "named":
            drawn: Sequence[Graph] = [load_graph(name) for name in ("duel", "line", "k4", "rings")]
        elif pool == "trained":
            seen = TRAINED_ON[trained_on]
            drawn = load_pool("train")[:seen] if seen else GraphGenerator("classic", count=count)
        elif pool.isdigit():
            kind = "classic" if pool == "20" else "large"
            drawn = GraphGenerator(kind, count=count, seed=VERSION, planets=int(pool))
        else:
            drawn = load_pool(pool)
        graphs += [Graph(f"{pool}/{i}", drawn[i].planets, drawn[i].edges) for i in range(min(count, len(drawn)))]
    return graphs


def digest_of_player(player: str | Player) -> str:
    """Return 16 hexadecimal digits: of a bot's moves in four games, of an agent's weights, of a strategy's files."""
    parsed = parse_player(player)
    if parsed.kind.learned:
        return hashlib.sha256((parsed.folder / "weights.safetensors").read_bytes()).hexdigest()[:16]
    if parsed.kind is not Kind.BOT:
        return fingerprint_player(parsed)
    games = [play_match(parsed, "random", f"test/{i}", seed=i, max_turns=100).moves for i in range(4)]
    return hashlib.sha256(json.dumps(games).encode()).hexdigest()[:16]


def check_opponents(names: Sequence[str]) -> dict[str, str]:
    """Return the digests of frozen opponents; ScoreError for one that plays otherwise than when it was frozen."""
    digests = {parse_player(name).name: digest_of_player(name) for name in names}
    for name, digest in digests.items():
        if name in PINNED and digest != PINNED[name]:
            raise ScoreError(
                f"{name} is not the opponent of the benchmark, version {VERSION}: its digest is {digest}, not {PINNED[name]}"
            )
    return digests


@dataclass(frozen=True)
class Entry:
    """Entry of the benchmark: ``players``, one for each seed of a method, on a track.

    ``steps``: of the training of each, 0 where unknown. ``target``: the exploited player on the track "exploit", else "".
    ``notes``: that are kept in the file, such as the data set.
    """

    track: str
    name: str
    players: tuple[str, ...]
    steps: tuple[int, ...]
    trained_on: str = "500"
    target: str = ""
    notes: Mapping[str, Any] | None = None

    @property
    def opponents(self) -> tuple[str, ...]:
        """The opponents: those of the track, or the target."""
        return (self.target,) if self.target else TRACKS[self.track].opponents


def plan_games(track: str, trained_on: str, opponents: Sequence[str], player: str) -> TournamentPlan:
    """Return the games of a player on a track; ValueError for unknown names."""
    graphs, measured = graphs_of(track, trained_on), contestant_of(player)
    if measured.isolated:
        load_players([measured], ResourceLimits())
    limits, playable = measured.make().limits if measured.batched else None, []
    for graph in graphs:
        with suppress(ValueError):
            if limits:
                limits.check([graph])
            playable.append(graph)
    if not playable:
        raise ValueError(f"{player} can play none of the graphs: its limits are too small")
    contestants = [measured._replace(name=MEASURED), *map(resolve_player, opponents)]
    limit = TRACKS[track].max_turns
    return plan_evaluation(contestants, playable, 2 * len(playable), max_turns=limit, keep_moves=True)


def play(entry: Entry, out: Path, jobs: int = -1, on_games: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Play the games of an entry, and write and return its results; finished games wait beside ``out`` until all are there.

    A forfeited game is lost. Agents that do not lie below the file's folder are copied there. ``on_games``: as in
    `run_tournament`, for each player.
    """
    digests, rows, replays, players, forfeits = check_opponents(entry.opponents), [], list[Replay](), [], []
    folder = out.parent / f"{out.name}.games"
    for number, (player, steps) in enumerate(zip(entry.players, entry.steps, strict=True)):
        begun, digest = time.monotonic(), digest_of_player(player)
        here = parse_player(player).kind is Kind.LANGUAGE_MODEL
        with open_store(folder / f"{number}-{digest}") as store:  # an edited player begins anew
            plan = plan_games(entry.track, entry.trained_on, entry.opponents, player)
            plan = run_tournament(plan, store, None if here else jobs, on_games)
            for row in scheduled_games(plan, store):
                side, replay = 1 if row.key.first == MEASURED else 2, load_replay(store, row.key)
                if replay.forfeit:
                    forfeits.append([len(rows), *replay.forfeit])
                rows.append([number, row.key[2 - side], row.key.graph, side, replay.seed, replay.winner, replay.turns])
                replays.append(replay)
        seconds = round(time.monotonic() - begun, 1)
        players.append({"player": _place_of(player, out, number), "digest": digest, "steps": steps, "seconds": seconds})
    libraries = {library: version(library) for library in ("numba", "numpy")}
    machine = {"python": platform.python_version(), "machine": platform.machine()}
    result = {
        "benchmark": VERSION,
        "track": entry.track,
        "name": entry.name,
        "versions": {"planetwars-env": PACKAGE_VERSION, **libraries, **machine},
        "trained_on": entry.trained_on,
        "target": entry.target and _place_of(entry.target, out, len(players)),
        "notes": dict(entry.notes or {}),
        "players": players,
        "opponents": digests,
        "games": rows,
        "forfeits": forfeits,
        "moves": _packed([replay.moves for replay in replays]),
    }
    result = {**result, "scores": scores_of(result), "digest": _digest(result)}
    lines = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in result.items())
    write_atomically(out, ("{\n" + ",\n".join(lines) + "\n}\n").encode())
    rmtree(folder, ignore_errors=True)
    return result


def _place_of(player: str, out: Path, number: int) -> str:
    """Return a player's name for the file: a path as seen from the file's folder where it lies below it, or an agent's copy."""
    parsed = parse_player(player)
    place = (parsed.folder if parsed.kind.learned else Path(parsed.spec)).resolve()
    if parsed.kind in (Kind.BOT, Kind.LANGUAGE_MODEL, Kind.CLASS) or parsed.spec in agent_names():
        return parsed.spec
    beside = out.parent.resolve()
    if parsed.kind is Kind.AGENT and not place.is_relative_to(beside):
        copy = beside / out.stem / str(number)
        copy.mkdir(parents=True, exist_ok=True)
        for name in ("config.yaml", "weights.safetensors"):
            write_atomically(copy / name, (place / name).read_bytes())
        place = copy
    return f"./{place.relative_to(beside).as_posix()}" if place.is_relative_to(beside) else place.name


def _packed(games: Sequence[Sequence[Sequence[Move]]]) -> str:
    """Return the moves of games in text, half as long as compressed JSON.

    It has the columns game, player, source, turn, destination, people, and the place in the turn less that in the order of
    rows; the last row of a game is its number of turns by a player 2. Rows are sorted, turns are differences, and the bytes
    of a column lie together by their value.
    """
    tables = [np.zeros((0, _COLUMNS), np.int32)]
    for number, turns in enumerate(games):
        rows = [(number, 2, 0, len(turns), 0, 0, 0)]
        for t, turn in enumerate(turns):
            in_order = sorted(enumerate(turn), key=lambda placed: placed[1])
            rows += [
                (number, t % 2, source, t, destination, people, place - order)
                for order, (place, (source, destination, people)) in enumerate(in_order)
            ]
        tables.append(np.clip(np.array(sorted(rows)), -(2**31), 2**31 - 1).astype("<i4"))
    columns = np.concatenate(tables).T.copy()
    columns[3] = np.diff(columns[3], prepend=0)
    data = columns.view(np.uint8).reshape(_COLUMNS, -1, 4).transpose(0, 2, 1).tobytes()
    return base64.b85encode(lzma.compress(data)).decode()


def _unpacked(text: str) -> Iterator[list[list[Move]]]:
    """Yield the moves of games, in their order. ValueError for another text than `_packed` gives."""
    unpacker = lzma.LZMADecompressor(memlimit=2**27)
    data = unpacker.decompress(base64.b85decode(text), _LARGEST_MOVES)
    if not unpacker.eof or len(data) % (4 * _COLUMNS):
        raise ValueError("its moves are cut short or too many")
    columns: Array = (
        np.frombuffer(data, np.uint8).reshape(_COLUMNS, 4, -1).transpose(0, 2, 1).copy().view("<i4")[..., 0]
    )
    columns[3] = np.cumsum(columns[3])
    first = 0
    for number, last in enumerate(np.flatnonzero(columns[1] == 2).tolist()):
        length = int(columns[3, last])
        games, times = columns[0, first : last + 1], columns[3, first:last]
        if not 0 <= length <= _MOST_TURNS or (games != number).any() or ((times < 0) | (times >= length)).any():
            raise ValueError(f"the moves of game {number} are not in order")
        turns: list[list[tuple[int, Move]]] = [[] for _ in range(length)]
        for _, _, source, t, destination, people, moved in columns[:, first:last].T.tolist():
            turns[t].append((len(turns[t]) + moved, Move(source, destination, people)))
        yield [[move for _, move in sorted(turn)] for turn in turns]
        first = last + 1


def _digest(result: Mapping[str, Any]) -> str:
    """Return the SHA-256 of everything but the digest itself, in 16 hexadecimal digits."""
    kept = {key: value for key, value in result.items() if key not in ("digest", "scores")}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:16]


def scores_of(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of a result, from its games alone: win rates by player and task, and what the track counts.

    A task is an opponent on a pool. Where a policy's limits forbid a pool, it has won none of its games.
    """
    name, track, won = result["track"], TRACKS[result["track"]], [Counter[str]() for _ in result["players"]]
    games = Counter(graph.name.split("/")[0] for graph in graphs_of(name, result["trained_on"]))
    for number, opponent, graph, side, _, winner, _ in result["games"]:
        won[number][f"{opponent} on {graph.split('/')[0]}"] += winner == side
    tasks = {f"{opponent} on {pool}": 2 * games[pool] for opponent, pool in product(result["opponents"], games)}
    rates = [{task: round(wins[task] / count, 4) for task, count in tasks.items()} for wins in won]
    table, scores = [list(rate.values()) for rate in rates], dict[str, Any](win_rates=rates)
    if name == "generalise":
        table = [[rate["ai3 on trained"] - rate["ai3 on test"]] for rate in rates]
    if name == "exploit":
        chosen = max(range(len(table)), key=lambda i: result["notes"]["validation"][i])
        table = [table[chosen]]
        scores["best"] = chosen
    if track.reference:
        scale = [track.reference[opponent] for opponent in result["opponents"]]
        table = [[(rate - low) / (high - low) for rate, (low, high) in zip(row, scale, strict=True)] for row in table]
    played = 2 * games.total()
    interval = wilson(played * table[0][0], played) if name == "exploit" else bootstrap_interval(table)
    scores["score"] = round(100 * interquartile_mean(table), 2)
    scores["interval"] = interval and [round(100 * bound, 2) for bound in interval]
    return scores


def illegal_moves(result: Mapping[str, Any]) -> dict[str, int]:
    """Return the moves that the players sent, and those that were dropped, by reason (`MoveCounts`)."""
    replays = zip(result["games"], replays_of(result), strict=True)
    return total(*(counts_of_replay(replay)[row[3] - 1] for row, replay in replays))._asdict()


def replays_of(result: Mapping[str, Any]) -> Iterator[Replay]:
    """Yield the games of a result, re-run from their moves. ValueError for one that does not end as recorded."""
    graphs = {graph.name: graph for graph in graphs_of(result["track"], result["trained_on"])}
    limit = TRACKS[result["track"]].max_turns or 500
    forfeits = {game: Forfeit(player, reason) for game, player, reason in result["forfeits"]}
    for number, (row, turns) in enumerate(zip(result["games"], _unpacked(result["moves"]), strict=True)):
        _, opponent, graph, side, seed, winner, last = row
        names = (MEASURED, opponent) if side == 1 else (opponent, MEASURED)
        forfeit = forfeits.get(number)
        if forfeit and forfeit.player != (3 - side if result["target"] else side):
            raise ValueError(f"game {number}: only the player of the entry can forfeit, not player {forfeit.player}")
        try:
            replay = Replay.of(graphs[graph], PLANETWARS, names, seed, limit, turns, forfeit)
            replay.verify()
        except (ReplayError, RuntimeError, TypeError) as fault:
            raise ValueError(f"game {number}, against {opponent} on {graph}: {fault}") from None
        if [replay.winner, replay.turns] != [winner, last]:
            raise ValueError(
                f"game {number}, against {opponent} on {graph}: its moves lead to winner {replay.winner} on turn "
                f"{replay.turns}, and the file says {winner} on turn {last}"
            )
        if opponent in _FIXED_BOTS:
            code = resolve_player(opponent).code
            for game, recorded in zip(replay.games(), replay.moves, strict=False):
                if game.player != side:
                    twin = game.copy()
                    board, state = twin.arrays
                    play_bot(state, board, 0, game.player - 1, code, make_scratch(board, state.people.dtype))
                    if sorted(twin.launched()) != sorted(recorded):
                        raise ValueError(f"game {number}: {opponent} would have made other moves on turn {game.turn}")
        yield replay


def read_result(path: Path) -> dict[str, Any]:
    """Read a file of results, whose games are not checked yet; ScoreError where it is none, OSError where it cannot be read."""
    with _score_errors(path):
        result = parse_json(read_file(path, _LARGEST), _MOST_VALUES)
        if not isinstance(result, dict) or result.get("benchmark") != VERSION or result.get("track") not in TRACKS:
            raise ValueError(f"it is not of the benchmark's version {VERSION}")
        if result["digest"] != _digest(result):
            raise ValueError("it was changed after it was written: its digest is another one")
        dict(result["notes"])
        texts = [result["name"], *map(str, result["versions"].values()), *result["opponents"]]
        texts += [player[key] for player in result["players"] for key in ("player", "digest")]
        texts += [reason for _, _, reason in result["forfeits"]]
        if not all(isinstance(text, str) and text.isprintable() and 0 < len(text) <= _NAME for text in texts):
            raise ValueError(f"names must be 1 to {_NAME} printable characters")
        numbers = [player[key] for player in result["players"] for key in ("steps", "seconds")]
        if not all(isinstance(number, int | float) and 0 <= number < 1e15 for number in numbers):
            raise ValueError("steps and seconds must be numbers")
        return result


@contextmanager
def _score_errors(path: Path) -> Iterator[None]:
    """Turn whatever a file that was not written by `play` leads to into a ScoreError that names it."""
    try:
        yield
    except OSError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, lzma.LZMAError) as fault:
        reason = f"it lacks {fault}" if isinstance(fault, LookupError) else fault
        raise ScoreError(f"{path} is not a result of the benchmark: {reason}") from None


def check(path: Path, sample: int = 20, on_game: Callable[[int], None] | None = None) -> Checked:
    """Check a file of results: its schedule, every game by its moves, its figures, and a sample played again.

    ``sample``: games that are played again, where the players are bots, shipped agents or lie beside the file. The moves
    of bots must be the same. ScoreError says what is wrong.
    """
    result, replays = read_result(path), list[Replay]()
    with _score_errors(path):
        if not result["target"] and tuple(result["opponents"]) != TRACKS[result["track"]].opponents:
            raise ValueError("the opponents are not those of the track")
        for name, digest in result["opponents"].items():
            if PINNED.get(name, digest) != digest:
                raise ValueError(f"{name} has the digest {digest}, and the benchmark's {name} {PINNED[name]}")
        check_opponents([name for name in result["opponents"] if name in PINNED])
        # Every player has played all games of the track, or none on graphs that are too large for it.
        graphs = [graph.name for graph in graphs_of(result["track"], result["trained_on"])]
        for number in range(len(result["players"])):
            played = [tuple(row[1:4]) for row in result["games"] if row[0] == number]
            pools = {graph.split("/")[0] for _, graph, _ in played}
            wanted = [graph for graph in graphs if graph.split("/")[0] in pools]
            if sorted(played) != sorted(product(result["opponents"], wanted, (1, 2))):
                raise ValueError(f"the games of player {number} are not those of the track {result['track']}")
        for replay in replays_of(result):
            replays.append(replay)
            if on_game:
                on_game(1)
        if result["scores"] != scores_of(result):
            raise ValueError("the scores are not those of the games")
        chosen = random.Random(result["digest"]).sample(range(len(replays)), min(sample, len(replays)))
        given = [_given(path, player["player"], player["digest"]) for player in result["players"]]
        target = result["target"] and _given(path, result["target"], *result["opponents"].values())
        names = [*(player["player"] for player in result["players"]), result["target"]]
        if missing := [name for name, place in zip(names, [*given, target], strict=True) if place is None]:
            return Checked(len(replays), 0, 0, f"{missing[0]} is not given, or another one by now")
        opponents, equal, moves = (str(target),) if target else tuple(result["opponents"]), 0, 0
        for number, player in enumerate(map(str, given)):
            keys = {}
            for i in (i for i in chosen if result["games"][i][0] == number):
                _, opponent, graph, side, *_ = result["games"][i]
                keys[i] = GameKey(*((MEASURED, opponent) if side == 1 else (opponent, MEASURED)), graph, 0)
            if not keys:
                continue
            with GameStore(IN_MEMORY) as store:
                plan = plan_games(result["track"], result["trained_on"], opponents, player)
                play_missing(prepare_plan(plan, store), store, list(keys.values()), None)
                again = {i: load_replay(store, key).moves for i, key in keys.items()}
            for i, turns in again.items():
                before = replays[i].moves
                moves += len(before)
                equal += sum(sorted(a) == sorted(b) for a, b in zip(before, turns, strict=False))
                if kind_of(player) is Kind.BOT and before != turns:
                    raise ValueError(f"game {i}, played again by {player}, has other moves")
        return Checked(len(replays), equal, moves, "")


def _given(path: Path, name: str, digest: str) -> str | None:
    """Return a bot, a shipped agent or what lies beside the file; None for others and where the digest is another one."""
    place = (path.parent / name).resolve()
    if name.startswith("./"):
        name = str(place) if place.is_relative_to(path.parent.resolve()) and place.exists() else ""
    elif kind_of(name) is not Kind.BOT and name not in agent_names():
        name = ""
    return name if name and digest_of_player(name) == digest else None
