"""Commands of the kill tests: their arguments and their results."""

import csv
import io
import json
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from planetwars_env.learn.agent import load_agent
from planetwars_env.learn.tensors import load_checkpoint
from planetwars_env.shipped import data_root

ROOT = Path(__file__).resolve().parents[3]
CONFIG = """
task: {opponents: [random], graphs: rings, fractions: [0.5, 1.0], max_turns: 40}
network: {width: 8, rounds: 1}
learner: {num_envs: 8, num_steps: 16, minibatch_size: 64, update_epochs: 1}
schedule: {steps: 4096, checkpoint_every: 128, evaluate_every: 200, evaluation_opponents: [ai3], evaluation_games: 2}
"""
"""A training run of seconds, with evaluations that fall between its checkpoints."""
SCHEME = "{games: 4, max_turns: 60, seed: 0, disturb: false}"
"""A grading of seconds."""
_STRATEGIES = {"honest": ROOT / "tests/honest/spreader.py", "hostile": ROOT / "tests/hostile/collector.py"}
"""An honest strategy, and one that leaves files and processes wherever it can."""


class Command(NamedTuple):
    """Command that writes into the folder ``run`` of a folder of its own.

    ``command``: its arguments. ``result``: file name of its result, or a pattern. ``same``: what two runs have in common of a
    result.
    """

    command: Callable[[Path], list[str]]
    result: str
    same: Callable[[bytes], bytes] = bytes


def prepare(folder: Path) -> None:
    """Make a new folder with the inputs of the commands."""
    if folder.exists():
        shutil.rmtree(folder)
    (folder / "run").mkdir(parents=True)
    (folder / "tiny.yaml").write_text(CONFIG)
    (folder / "scheme.yaml").write_text(SCHEME)
    for name, path in _STRATEGIES.items():
        shutil.copy(path, folder / f"{name}.py")


def outcome(case: Command, folder: Path) -> bytes:
    """Return the result of a finished command, without the folder's own name, which errors of strategies contain."""
    paths = sorted((folder / "run").glob(case.result))
    return b"\0".join(
        path.name.encode() + case.same(path.read_bytes().replace(str(folder).encode(), b"")) for path in paths
    )


def check_whole(folder: Path) -> None:
    """Raise the reader's error for a file that is not whole."""
    if (folder / "weights.safetensors").exists():
        load_agent(folder)
    if (folder / "checkpoint.safetensors").exists():
        load_checkpoint(folder)
    for path in folder.glob("[!.]*.json"):
        json.loads(path.read_text())
    for path in folder.glob("[!.]*.dot"):
        if path.read_bytes() != (data_root() / path.name).read_bytes():
            raise ValueError(f"{path} is not what is shipped")
    for path in folder.glob("[!.]*.sqlite"):
        _check_base(path)


def _check_base(path: Path) -> None:
    base = sqlite3.connect(path)
    try:
        if base.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            raise ValueError(f"{path} is damaged")
    finally:
        base.close()


def _planetwars(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "planetwars_env", *map(str, arguments)]


def _rank(folder: Path) -> list[str]:
    players = folder / "honest.py", folder / "hostile.py", "ai1"
    options = "--graphs", "test", "--games", 6, "--max-turns", 60, "--jobs", 2, "--seed", 0
    return _planetwars("rank", *players, *options, "--out", folder / "run")


def _grade(folder: Path) -> list[str]:
    options = "--scheme", folder / "scheme.yaml", "--jobs", 2
    return _planetwars("grade", folder / "honest.py", *options, "--out", folder / "run" / "grade.json")


def _without_seconds(results: bytes) -> bytes:
    """Return a grading without the seconds that it took, of which no two have the same."""
    return json.dumps(json.loads(results) | {"seconds": None}).encode()


def _train(folder: Path) -> list[str]:
    begun = (folder / "run" / "checkpoint.safetensors").exists()
    again = ["--resume"] if begun else ["--config", folder / "tiny.yaml"]
    return _planetwars("train", "--out", folder / "run", "--steps", 2048, *again)


def _evaluate(folder: Path) -> list[str]:
    opponents = "ai1", folder / "honest.py"
    return _planetwars(
        "evaluate", "ai2", "--opponents", *opponents, "--games", 6, "--out", folder / "run" / "results.json"
    )


def _ladder(folder: Path) -> list[str]:
    (folder / "submissions").mkdir(exist_ok=True)
    for name in _STRATEGIES:
        shutil.copy(folder / f"{name}.py", folder / "submissions")
    options = "--once", "--bots", "random", "--games", 8, "--max-turns", 40, "--jobs", 2
    return _planetwars("ladder", folder / "submissions", *options, "--out", folder / "run")


def _who_played_enough(standings: bytes) -> bytes:
    """Return the names and who has played 8 games at least: the seed of a ladder is a secret, so that its games differ."""
    rows = csv.DictReader(io.StringIO(standings.decode()))
    return repr(sorted((row["contestant"], int(row["played"]) >= 8) for row in rows)).encode()


def _make(folder: Path) -> list[str]:
    make = sys.executable, "-m", "scripts.release.make_graphs"
    return [*make, "--pool", "test", "--pool", "validation", "--out", str(folder / "run")]


COMMANDS = {
    "rank": Command(_rank, "ranking.json"),
    "grade": Command(_grade, "grade.json", _without_seconds),
    "ladder": Command(_ladder, "site/standings.csv", _who_played_enough),
    "train": Command(_train, "weights.safetensors"),
    "evaluate": Command(_evaluate, "results.json"),
    "graphs": Command(_make, "*.dot"),
}
