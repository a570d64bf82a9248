"""Small files with large costs are refused before anything is made: with a limit on memory, and in seconds."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import planetwars_env as pw
from planetwars_env.replay import ReplayError

MEMORY, SECONDS = 2 * 2**30, 40
"""A bound on the address space; libraries take most of it. The attacks took 4 GiB and minutes."""
PROGRAM = """
import resource, sys
from planetwars_env.cli.main import main
resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
sys.argv = {arguments!r}
main()
"""


def refused(arguments: list[str]) -> str:
    """The message of a command that refuses its file, in time and within the memory."""
    program = PROGRAM.format(memory=MEMORY, arguments=["planetwars", *arguments])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert "Error: " in done.stderr
    assert len(done.stderr) < 1_000
    return done.stderr


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


def test_a_replay_of_millions_of_turns_is_refused(data: dict[str, Any], tmp_path: Path) -> None:
    file = packed(tmp_path / "game.json.gz", without_moves(data, 1_000_000))
    assert "turns" in refused(["watch", file, "--out", str(tmp_path / "game.html")])
    assert not (tmp_path / "game.html").exists()


def test_a_replay_of_many_values_is_refused_before_they_are_made(tmp_path: Path) -> None:
    file = packed(tmp_path / "game.json.gz", "[" + "[]," * 20_000_000 + "[]]")
    assert "6,000,000 values" in refused(["watch", file])


def test_a_replay_that_unpacks_to_more_than_fits_is_refused(tmp_path: Path) -> None:
    file = packed(tmp_path / "game.json.gz", " " * (100 * 2**20))
    assert "64 MiB" in refused(["watch", file])


def test_a_film_of_many_turns_is_refused(data: dict[str, Any], tmp_path: Path) -> None:
    file = packed(tmp_path / "game.json.gz", without_moves(data, 20_000))
    assert "2,000 turns" in refused(["watch", file, "--out", str(tmp_path / "game.gif")])


def test_flights_count_as_much_as_planets(data: dict[str, Any], tmp_path: Path) -> None:
    """A board of two planets a thousand turns apart: each move is in the air, and drawn, for a thousand turns."""
    graph = {**data["graph"], "edges": [{**data["graph"]["edges"][0], "weight": 1000}]}
    a, b = graph["edges"][0]["a"], graph["edges"][0]["b"]
    whole = {**data, "graph": graph, "moves": [[[a, b, 1], [b, a, 1]]] * 5_000, "turns": 5_000, "max_turns": 5_000}
    file = packed(tmp_path / "game.json.gz", json.dumps(whole))
    assert "too long" in refused(["watch", file])


def test_a_game_that_could_not_be_read_again_is_not_saved(data: dict[str, Any], tmp_path: Path) -> None:
    replay = pw.Replay.of(pw.load_graph("duel"), pw.PLANETWARS, ("a", "b"), 0, None, [[]] * 100_001)
    with pytest.raises(ReplayError, match="too long"):
        replay.save(tmp_path / "game.json")
    assert not (tmp_path / "game.json").exists()


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a system without devices")
@pytest.mark.parametrize("suffix", ["json", "dot", "py", "pipe"])
def test_devices_are_not_read_and_a_pipe_is_not_waited_for(suffix: str, tmp_path: Path) -> None:
    link, out = tmp_path / f"zero.{suffix.replace('pipe', 'json')}", str(tmp_path / "out")
    if suffix == "pipe":
        os.mkfifo(link)
    else:
        link.symlink_to("/dev/zero")
    commands = {
        "json": ["watch", str(link)],
        "dot": ["rank", "random", "ai1", "--graphs", str(tmp_path), "--out", out],
        "py": ["rank", "random", str(link), "--out", out],
    }
    assert "zero" in refused(commands[link.suffix[1:]])


MARKS = "2,000,000 words and marks"


def dense(count: int) -> str:
    """Statements in another form than save_dot's, which are read token by token."""
    return "".join(f"{a}--{a + 1}[weight=1]" for a in range(count))


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (lambda: "graph g {" + dense(1_000_000) + "}", MARKS),
        pytest.param(lambda: "graph g {" + ";" * 30_000_000 + "}", MARKS, marks=pytest.mark.slow),
        pytest.param(lambda: "graph g { 1 [" + "a=1," * 7_000_000 + "] }", MARKS, marks=pytest.mark.slow),
        (lambda: ("graph{1[habit=1,size=1,base=1]2[habit=1,size=1,base=2]}\n") * 500_000, "10,000 graphs"),
    ],
)
def test_a_large_text_of_a_board_is_refused_in_time(make: Callable[[], str], fault: str, tmp_path: Path) -> None:
    path = tmp_path / "boards.dot"
    path.write_text(make())
    command = ["rank", "random", "ai1", "--graphs", str(path), "--out", str(tmp_path / "out")]
    assert fault in refused(command)
