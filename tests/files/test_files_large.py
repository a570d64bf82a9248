"""Small files with large costs are refused before anything is made: with a limit on memory, and in seconds."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import planetwars_env as pw
from planetwars_env.replay import ReplayError

MEMORY, SECONDS = 2 * 2**30, 120
"""A bound on the address space; libraries take most of it. The attacks took 4 GiB and minutes."""
PROGRAM = """
import resource, sys
from planetwars_env.cli.main import main
resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
for words in {commands!r}:
    sys.argv = ["planetwars", *words]
    try:
        main()
    except SystemExit as end:
        print("status", end.code, file=sys.stderr)
"""


def assert_refused(attacks: dict[str, list[str]]) -> None:
    """Each command refuses its file with the message that stands before it, in time and within the memory."""
    program = PROGRAM.format(memory=MEMORY, commands=[*attacks.values()])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=SECONDS, check=False)
    answers = done.stderr.split("status 1\n")
    assert len(answers) == len(attacks) + 1 and not answers.pop(), done.stderr
    for answer, fault in zip(answers, attacks, strict=True):
        assert "Error: " in answer and fault in answer and "Traceback" not in answer and len(answer) < 1_000


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    return pw.play_match("noop", "noop", "duel", seed=1, max_turns=5).to_dict()


def packed(path: Path, text: str) -> str:
    path.write_bytes(gzip.compress(text.encode(), 9))
    assert path.stat().st_size < 300_000
    return str(path)


def without_moves(data: dict[str, Any], turns: int) -> str:
    """A replay of many turns in which nothing happens."""
    whole = {**data, "moves": [], "digests": [], "turns": turns, "max_turns": turns}
    text = json.dumps(whole, separators=(",", ":"))
    return text.replace('"moves":[]', '"moves":[' + ",".join(["[]"] * turns) + "]")


def test_replays_with_large_costs_are_refused(data: dict[str, Any], tmp_path: Path) -> None:
    """Among them a board of two planets a thousand turns apart: each move is in the air, and drawn, for a thousand turns."""
    graph = {**data["graph"], "edges": [{**data["graph"]["edges"][0], "weight": 1000}]}
    a, b = graph["edges"][0]["a"], graph["edges"][0]["b"]
    flights = {**data, "graph": graph, "moves": [[[a, b, 1], [b, a, 1]]] * 5_000, "turns": 5_000, "max_turns": 5_000}
    texts = {
        "1,000,000 turns": without_moves(data, 1_000_000),
        "6,000,000 values": "[" + "[]," * 20_000_000 + "[]]",
        "64 MiB": " " * (100 * 2**20),
        "2,000 turns": without_moves(data, 20_000),
        "too long": json.dumps(flights),
    }
    attacks = {
        fault: ["watch", packed(tmp_path / f"{i}.json.gz", text)] for i, (fault, text) in enumerate(texts.items())
    }
    attacks["1,000,000 turns"] += ["--out", str(tmp_path / "game.html")]
    attacks["2,000 turns"] += ["--out", str(tmp_path / "game.gif")]
    assert_refused(attacks)
    assert not [*tmp_path.glob("game.*")]


def test_a_game_that_could_not_be_read_again_is_not_saved(data: dict[str, Any], tmp_path: Path) -> None:
    replay = replace(pw.Replay.from_dict(data), moves=((),) * 100_001)
    with pytest.raises(ReplayError, match="too long"):
        replay.save(tmp_path / "game.json")
    assert not (tmp_path / "game.json").exists()


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a system without devices")
def test_devices_are_not_read_and_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    out = ["--out", str(tmp_path / "out")]
    for suffix in ("json", "dot", "py"):
        (tmp_path / f"zero.{suffix}").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.json")
    assert_refused(
        {
            "zero.json": ["watch", str(tmp_path / "zero.json")],
            "pipe.json: this is not a regular file": ["watch", str(tmp_path / "pipe.json")],
            "zero.dot": ["rank", "random", "ai1", "--graphs", str(tmp_path), *out],
            "zero.py": ["rank", "random", str(tmp_path / "zero.py"), *out],
        }
    )


MARKS = "2,000,000 words and marks"


def dense(count: int) -> str:
    """Statements in another form than save_dot's, which are read token by token."""
    return "".join(f"{a}--{a + 1}[weight=1]" for a in range(count))


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (lambda: "graph g {" + dense(400_000) + "}", MARKS),
        pytest.param(lambda: "graph g {" + ";" * 30_000_000 + "}", MARKS, marks=pytest.mark.slow),
        pytest.param(lambda: "graph g { 1 [" + "a=1," * 7_000_000 + "] }", MARKS, marks=pytest.mark.slow),
        (lambda: ("graph{1[habit=1,size=1,base=1]2[habit=1,size=1,base=2]}\n") * 500_000, "10,000 graphs"),
    ],
)
def test_a_large_text_of_a_board_is_refused_in_time(make: Callable[[], str], fault: str, tmp_path: Path) -> None:
    path = tmp_path / "boards.dot"
    path.write_text(make())
    assert_refused({fault: ["rank", "random", "ai1", "--graphs", str(path), "--out", str(tmp_path / "out")]})
