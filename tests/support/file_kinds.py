"""Files of every kind that the package reads, how each is read, and hostile versions of them; for test_files_hostile."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from hypothesis import strategies as st

import planetwars_env as pw
from planetwars_env.arena.game_store import FinishedGame, GameKey, GameStore, GameStoreError, TurnTimes, load_replay
from planetwars_env.arena.isolation import Fault
from planetwars_env.arena.standings import compute_standings
from planetwars_env.bots.notes import TurnNotes
from planetwars_env.graphs.dot import DotError, read_dots, save_dot
from planetwars_env.learn.agent import Agent, AgentError, load_agent, save_agent
from planetwars_env.learn.config import TrainConfig
from planetwars_env.learn.run import HISTORY, History
from planetwars_env.learn.tensors import load_checkpoint, save_checkpoint
from planetwars_env.learn.zoo import load_results
from planetwars_env.move_counts import NO_MOVES, MoveCounts
from planetwars_env.replay import ReplayError
from planetwars_env.view import Move
from scripts.release.zoo import training_of, write_results
from scripts.release.zoo_card import with_table

TINY = {"task": {"graphs": "rings", "fractions": [0.5, 1.0]}, "network": {"width": 8, "rounds": 1}}


class Kind(NamedTuple):
    """``name``: the file's, in its folder; ``write`` makes a good one, ``read`` reads it all; ``error``: the documented one."""

    name: str
    write: Callable[[Path], Any]
    read: Callable[[Path], Any]
    error: type[Exception]


def _write_replay(path: Path) -> None:
    pw.play_match("random", "ai1", "duel", seed=3, max_turns=40).save(path)


def _write_store(path: Path) -> None:
    graph = pw.load_graph("duel")
    with GameStore(path) as store:
        store.save_metadata("conditions", {"rules": {"name": "PLANETWARS", "coexistence": False, "turns_per_weight": 1,
                                                  "max_turns": None}, "max_turns": 4, "seed": 0})  # fmt: skip
        store.save_metadata("graphs", {"duel": ["duel", graph.to_dict()]})
        faults = ([Fault("a", 3, "raised", "turn", "no such planet")], [])
        moves = [[Move(1, 2, 1)], [], [], []]
        sides = (MoveCounts(1), NO_MOVES), ("", ""), (TurnTimes(2, 0.3, 0.2), TurnTimes(2, 0.1, 0.1))
        notes = (TurnNotes(1, 1, ("I go",), ((2, "here"),), "printed", "", 0.2, 0),)
        for n in range(6):
            ended = n % 3, 4, "limit", f"fingerprint {n}", 0, (False, True)
            store.add([FinishedGame(GameKey("a", "b", "duel", n), *ended, moves, faults, *sides, notes)])


def _read_store(path: Path) -> Any:
    with GameStore(path) as store:
        for key in sorted(store.keys()):
            load_replay(store, key, console=True)
        return compute_standings(store, ["a", "b"])


def _write_agent(path: Path) -> None:
    torch.manual_seed(0)
    config = TrainConfig.from_dict(TINY)
    save_agent(path.parent, config, Agent("tiny", config).network.state_dict(), {"steps": "1"})


def _write_checkpoint(path: Path) -> None:
    arrays = {"network/a": np.arange(300, dtype=np.float32), "rng/0": np.arange(90, dtype=np.uint8)}
    save_checkpoint(path.parent, arrays, {"steps": 7, "history": {"training": [], "validation": []}})


def _read_checkpoint(path: Path) -> Any:
    arrays, values = load_checkpoint(path.parent)
    return {name: (part.dtype.str, part.tolist()) for name, part in arrays.items()}, values


def _write_results(path: Path) -> None:
    side = {"games": 10, "wins": 5, "draws": 1, "losses": 4, "win_rate": 0.5, "mean_turns": 60.5}
    one = {"opponent": "ai1", **side, "ci_low": 0.2, "ci_high": 0.8, "as_player_1": side, "as_player_2": side}
    training = {"steps": 5, "games": 6, "minutes": 1.5, "machine": "an abacus"}
    growth = {"PLANETWARS": [(20.5, 0.5)]}
    results = {"package": "1", "training": training, "growth": growth, "results": {"PLANETWARS": {"test": [one]}}}
    write_results(path.parent, results)


def _read_results(path: Path) -> Any:
    results = load_results(path.parent)
    with_table("# Agents\n", {"tiny": results})
    return results


def _write_history(path: Path) -> None:
    history = History([{"steps": 4096, "seconds": 90.0, "games": 70, "win_rate": 0.5}])
    path.write_text(json.dumps(vars(history)))


KINDS = {
    "graph": Kind("board.dot", lambda path: save_dot(pw.load_graph("rings"), path), read_dots, DotError),
    "replay": Kind("game.json", _write_replay, lambda path: pw.Replay.load(path, verify=True), ReplayError),
    "packed replay": Kind("game.json.gz", _write_replay, lambda path: pw.Replay.load(path, verify=True), ReplayError),
    "tournament": Kind("games.sqlite", _write_store, _read_store, GameStoreError),
    "weights": Kind("weights.safetensors", _write_agent, lambda path: load_agent(path.parent), AgentError),
    "configuration": Kind("config.yaml", _write_agent, lambda path: load_agent(path.parent), AgentError),
    "checkpoint": Kind("checkpoint.safetensors", _write_checkpoint, _read_checkpoint, AgentError),
    "results": Kind("results.json", _write_results, _read_results, AgentError),
    "history": Kind(HISTORY, _write_history, lambda path: training_of(path.parent, "an abacus"), AgentError),
}


@st.composite
def damages(draw: st.DrawFn) -> Callable[[bytes], bytes]:
    """Damages of a file: bytes changed, cut off, doubled, filled with zeros, or put in front."""
    seed = draw(st.integers(0, 2**32))
    kind = draw(st.sampled_from(["flip", "flips", "cut", "repeat", "zeros", "insert", "number"]))

    def damage(data: bytes) -> bytes:
        chance, spoilt = random.Random(seed), bytearray(data)
        a, b = sorted((chance.randrange(len(data)), chance.randrange(len(data))))
        if kind in ("flip", "flips"):
            for _ in range(1 if kind == "flip" else 30):
                spoilt[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        elif kind == "cut":
            del spoilt[a:]
        elif kind == "repeat":
            spoilt[b:b] = spoilt[a:b]
        elif kind == "zeros":
            spoilt[a:b] = bytes(b - a)
        elif kind == "insert":
            spoilt[a:a] = chance.randbytes(chance.randrange(1, 64))
        else:  # a length or count that claims too much
            spoilt[a : a + 8] = chance.choice([b"\xff" * 8, b"\x7f" + b"\xff" * 7, b"99999999", b"-1e9999,"])
        return bytes(spoilt)

    return damage


def deep(levels: int) -> list[Any]:
    """Lists in lists."""
    nest: list[Any] = []
    for _ in range(levels):
        nest = [nest]
    return nest


HOSTILE = [
    None, True, -1, 0, 2**31, 2**63, 10**30, 1e308, float("nan"), float("inf"), "", "x" * 300, "\x1b[2J", "\ud800", "\0",
    [], {}, [[]], {"a": 1}, [1, 2, 3], deep(50),
]  # fmt: skip


def replaced(data: Any, place: int, value: Any) -> Any:
    """JSON with its ``place``-th part, counted through, replaced by ``value``."""
    data, spots = json.loads(json.dumps(data)), []

    def walk(part: Any) -> None:
        keys = part.keys() if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else []
        for key in list(keys):
            spots.append((part, key))
            walk(part[key])

    walk(data)
    part, key = spots[place % len(spots)]
    part[key] = value
    return data


def make(kind: Kind, folder: Path) -> Path:
    """A good file of its kind, alone in ``folder`` but for what belongs to it."""
    folder.mkdir(parents=True, exist_ok=True)
    kind.write(folder / kind.name)
    return folder / kind.name


def put(path: Path, data: bytes) -> None:
    """Replace a file; of a database also what SQLite keeps beside it."""
    for beside in ("-wal", "-shm"):
        path.with_name(path.name + beside).unlink(missing_ok=True)
    path.write_bytes(data)
