"""Killed at any moment, on a full disk or a read-only one: what was finished is there, the rest goes on, the message says how."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from disks import disk, full, read_only
from doing import CONFIG, commands
from leftovers import folders_of, marked, wait_for_no_process_of
from typer.testing import CliRunner

import planetwars_env as pw
from planetwars_env.cli.main import app
from planetwars_env.files import draft_of, remove_drafts, write_atomically
from planetwars_env.graphs.catalogue import data_root
from planetwars_env.graphs.dot import read_dots
from planetwars_env.learn.agent import load_agent
from planetwars_env.learn.checkpoint import load_checkpoint
from planetwars_env.learn.config import load_config
from planetwars_env.learn.training import train

HERE = Path(__file__).resolve().parent


def run(*arguments: object) -> tuple[int, str]:
    """Exit status, and what was said, on one line without breaks."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert "Traceback" not in result.output and not isinstance(result.exception, OSError | ValueError | sqlite3.Error)
    return result.exit_code, "".join(result.output.split("\n"))


# --- killed -------------------------------------------------------------------------------------------------------


def start(work: str, folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, str(HERE / "doing.py"), work, str(folder)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )


def kill_at_random(work: str, folder: Path, kills: int, seed: int) -> int:
    """Work that is begun again after every kill, until it is done; how often it was killed. All it left was whole each time."""
    chance, killed = random.Random(seed), 0
    folder.mkdir()
    for _ in range(kills):
        process = start(work, folder)
        before, patience = stamp(folder / "run"), time.monotonic() + 120
        while process.poll() is None and stamp(folder / "run") == before and time.monotonic() < patience:
            time.sleep(0.002)  # the kill falls on or after its first write
        time.sleep(chance.random() * chance.choice([0.0, 0.01, 0.1, 0.5]))
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        check_whole(folder / "run")
    process = start(work, folder)
    out, _ = process.communicate(timeout=250)
    assert process.returncode == 0, out
    check_whole(folder / "run")
    return killed


def stamp(folder: Path) -> int:
    """Changes with every file that is written: the latest of them, and how many there are."""
    found = []
    for path in [folder, *folder.iterdir()] if folder.is_dir() else []:
        with suppress(FileNotFoundError):  # a draft that has got its name meanwhile
            found.append(path.stat().st_mtime_ns)
    return hash((len(found), max(found, default=0)))


def check_whole(folder: Path) -> None:
    """Every file that has its name can be read to its end."""
    if (folder / "weights.safetensors").exists():
        load_agent(folder)
    if (folder / "checkpoint.safetensors").exists():
        load_checkpoint(folder)
    for path in folder.glob("[!.]*.json"):
        json.loads(path.read_text())
    for path in folder.glob("[!.]*.dot"):
        assert path.read_bytes() == (data_root() / path.name).read_bytes()
    for path in folder.glob("[!.]*.sqlite"):
        with sqlite3.connect(path) as base:
            assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        base.close()


def outcome(work: str, folder: Path) -> Any:
    """What the work comes to, without the clock."""
    if work in ("train", "train a little"):
        return (folder / "weights.safetensors").read_bytes()
    if work == "maps":
        return {path.name: path.read_bytes() for path in folder.glob("*.dot")}
    return json.loads((folder / {"evaluate": "results.json", "rank": "ranking.json"}[work]).read_text())


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("work", "kills"),
    [
        ("train a little", 1),
        ("maps", 2),
        pytest.param("train", 10, marks=pytest.mark.slow),
        pytest.param("evaluate", 5, marks=pytest.mark.slow),
        pytest.param("rank", 10, marks=pytest.mark.slow),
        pytest.param("maps", 20, marks=pytest.mark.slow),
    ],
)
def test_what_is_killed_again_and_again_comes_to_the_same(work: str, kills: int, tmp_path: Path) -> None:
    """Weights (with evaluations on the way) and boards are the same to the last byte, games and tables to the last number."""
    killed = kill_at_random(work, tmp_path / "killed", kills, seed=kills)
    assert killed or work == "maps"
    (tmp_path / "whole").mkdir()
    process = start(work, tmp_path / "whole")
    assert process.communicate(timeout=250) and process.returncode == 0
    assert outcome(work, tmp_path / "killed" / "run") == outcome(work, tmp_path / "whole" / "run")
    print(f"{work}: killed {killed} times")


def test_a_writer_that_is_killed_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    program = f"""
import os, signal
from planetwars_env.files import draft_of
with draft_of({str(tmp_path / "file")!r}) as draft:
    draft.write_bytes(b"half of the n")
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", program], cwd=HERE.parent, check=False).returncode == -signal.SIGKILL
    assert (tmp_path / "file").read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 2
    remove_drafts(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_writer_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")

    def fail() -> None:
        with draft_of(tmp_path / "file") as draft:
            draft.write_bytes(b"new")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "file").read_bytes() == b"new"
    write_atomically("/dev/null", b"new")
    assert Path("/dev/null").is_char_device()


def test_an_error_names_the_file_that_was_wanted(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as fault:
        write_atomically(tmp_path / "nowhere" / "file", b"")
    assert fault.value.filename == str(tmp_path / "nowhere" / "file")


# --- full -----------------------------------------------------------------------------------------------------------


def files_of(folder: Path) -> dict[str, bytes]:
    """Those that have a name of their own."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.name[0] != "."}


def test_training_on_a_full_disk_stops_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(CONFIG)
    with disk(tmp_path / "disk") as place:
        folder = place / "run"
        assert run("train", "--config", tmp_path / "tiny.yaml", "--steps", 256, "--out", folder)[0] == 0
        before = files_of(folder)
        with full(place):
            status, said = run("train", "--out", folder, "--resume", "--steps", 512)
            assert (
                status == 1
                and "No space left" in said
                and f"Error: {folder}/" in said
                and f"planetwars train --out {folder} --resume" in said
            )
            assert before == files_of(folder)
        assert run("train", "--out", folder, "--resume", "--steps", 512)[0] == 0
        assert "run.lock" not in files_of(folder) and not list(folder.glob(".draft*"))
        assert load_checkpoint(folder)[1]["steps"] == 512


class Filling:
    """Watches a run, and fills its disk after some steps."""

    def __init__(self, place: Path, steps: int) -> None:
        self.place, self.steps, self.held = place, steps, ExitStack()

    def begins(self, steps: int, total: int) -> None:
        pass

    def trained(self, steps: int, win_rate: float | None, steps_per_second: float) -> None:
        if steps == self.steps:
            self.held.enter_context(full(self.place))

    def evaluated(self, steps: int, results: list[Any], sampled: list[Any]) -> None:
        pass


def test_a_disk_that_fills_while_training_leaves_the_last_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(CONFIG)
    config = load_config(tmp_path / "tiny.yaml")
    config = replace(config, schedule=replace(config.schedule, steps=640))
    with disk(tmp_path / "disk") as place:
        folder, watcher = place / "run", Filling(place, 384)
        with watcher.held, pytest.raises(OSError, match="No space left") as fault:
            train(config, folder, watcher=watcher)
        assert fault.value.filename and str(folder) in str(fault.value.filename)
        assert load_checkpoint(folder)[1]["steps"] == 256 and load_agent(folder)
        assert train(config, folder, resume=True).steps == 640
        whole = train(config, tmp_path / "whole")
        assert whole.steps == 640 and outcome("train", folder) == outcome("train", tmp_path / "whole")


def test_a_tournament_on_a_full_disk_keeps_its_games_and_goes_on(tmp_path: Path) -> None:
    with disk(tmp_path / "disk") as place:
        command = ["rank", "random", "ai1", "--graphs", "test", "--jobs", 1, "--out", place / "run", "--games"]
        assert run(*command, 20)[0] == 0
        with full(place):
            status, said = run(*command, 200)
            assert status == 1 and "full" in said and "the same command goes on" in said
        status, said = run(*command, 200)
        assert status == 0 and "of 200 games are there already" in said


def test_commands_that_write_one_file_keep_the_old_one_on_a_full_disk(tmp_path: Path) -> None:
    with disk(tmp_path / "disk") as place:
        evaluate = (
            "evaluate",
            "random",
            "--opponents",
            "noop",
            "--graphs",
            "duel",
            "--games",
            2,
            "--out",
            place / "r.json",
        )
        maps = "graphs", "make", "--pool", "fair", "--out", place
        watch = "watch", tmp_path / "game.json", "--out", place / "game.html"
        pw.play_match("random", "ai1", "duel", max_turns=20).save(tmp_path / "game.json")
        for command in (evaluate, maps, watch):
            assert run(*command)[0] == 0
        before = files_of(place)
        with full(place):
            for command in (evaluate, maps, watch):
                status, said = run(*command)
                assert status == 1 and "No space left" in said and str(place) in said
            filled = files_of(place)
            del filled["filler"]
            assert filled == before
        assert read_dots(place / "fair.dot")


# --- read-only --------------------------------------------------------------------------------------------------------


def test_a_read_only_folder_is_one_sentence_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(CONFIG)
    pw.play_match("random", "ai1", "duel", max_turns=20).save(tmp_path / "game.json")
    with disk(tmp_path / "disk") as place:
        assert run("train", "--config", tmp_path / "tiny.yaml", "--steps", 128, "--out", place / "run")[0] == 0
        assert run("rank", "random", "noop", "--graphs", "duel", "--jobs", 1, "--out", place / "rank")[0] == 0
        before = files_of(place / "run"), files_of(place / "rank")
        with read_only(place):
            on_a_board = "random", "noop", "--graphs", "duel"
            for command in (
                ("train", "--out", place / "run", "--resume", "--steps", 256),
                ("train", "--config", tmp_path / "tiny.yaml", "--out", place / "new"),
                ("evaluate", on_a_board[0], "--opponents", *on_a_board[1:], "--games", 2, "--out", place / "r.json"),
                ("rank", *on_a_board, "--jobs", 1, "--out", place / "rank"),
                ("rank", *on_a_board, "--jobs", 1, "--out", place / "new"),
                ("graphs", "make", "--pool", "fair", "--out", place),
                ("watch", tmp_path / "game.json", "--out", place / "game.html"),
            ):
                status, said = run(*command)
                told = any(word in said for word in ("Read-only", "readonly", "unable to open"))
                assert status == 1 and told and str(place) in said, said
            assert run("evaluate", place / "run", "--opponents", "noop", "--graphs", "duel", "--games", 2)[0] == 0
        assert before == (files_of(place / "run"), files_of(place / "rank"))


def test_the_work_of_this_file_is_what_users_type() -> None:
    assert commands("rank", Path("x"))[0] == "rank"


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_a_tournament_that_is_ended_soon_after_its_start_leaves_no_process_and_no_folder(
    end: signal.Signals, tmp_path: Path
) -> None:
    """At seeded moments of its first seconds, with two workers and strategies from files."""
    chance = random.Random(int(end))
    strategies = [HERE / "honest" / "spreader.py", HERE / "hostile" / "collector.py"]
    command = ["rank", *strategies, "--graphs", "test", "--games", 100, "--jobs", 2, "--out", tmp_path / "run"]
    program = [sys.executable, "-m", "planetwars_env.cli.main", *map(str, command)]
    for _ in range(6):
        process = subprocess.Popen(
            program,
            env=marked(tmp_path),
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(0.5 + 4 * chance.random())
        if end is signal.SIGINT:
            os.killpg(process.pid, end)
        else:
            process.send_signal(end)
        process.wait(30)
        assert wait_for_no_process_of(tmp_path) == []
        assert [name for name in folders_of(tmp_path) if name.startswith("planetwars-")] == []
