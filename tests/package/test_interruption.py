"""Killed at any moment, on a full disk or a read-only one: what was finished is there, the rest goes on, the message says how."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

import planetwars_env as pw
from planetwars_env.arena.confinement.supervisor import remove_stale_folders
from planetwars_env.arena.sandbox import Sandbox, find_sandbox
from planetwars_env.files import remove_unfinished_files, replacement_file, write_atomically
from planetwars_env.learn.agent import load_agent
from planetwars_env.learn.config import load_config
from planetwars_env.learn.run import train
from planetwars_env.learn.tensors import load_checkpoint
from scripts.verification.kill_tests.commands import COMMANDS, CONFIG, check_whole
from scripts.verification.kill_tests.leftovers import (
    adopt_orphans,
    folders_of,
    marked,
    processes_of,
    shared_memory_of,
    wait_for_no_process_of,
)
from scripts.verification.kill_tests.restarts import play_chain, play_whole
from support import command_line
from support.disks import disk, full, read_only
from support.paths import HOSTILE, ROOT, SPREADER
from support.training_configs import After


def run(*arguments: object) -> tuple[int, str]:
    """Exit status, and what was said, on one line without breaks."""
    result = command_line.run(*arguments)
    assert "Traceback" not in result.output and not isinstance(result.exception, OSError | ValueError | sqlite3.Error)
    return result.exit_code, "".join(result.output.split("\n"))


# --- killed -------------------------------------------------------------------------------------------------------


CHAINS = int(os.environ.get("PLANETWARS_KILL_CHAINS", "1"))
"""Times that each command is killed up to six times and then finishes; `make kills` asks for more."""


@pytest.mark.timeout(900 * CHAINS)
@pytest.mark.parametrize(
    ("name", "kills"), [("graphs", 2), *(pytest.param(name, 6, marks=pytest.mark.slow) for name in COMMANDS)]
)
def test_what_is_killed_again_and_again_comes_to_the_same(name: str, kills: int, tmp_path: Path) -> None:
    """Weights (with evaluations on the way) and boards are the same to the last byte, tables to the last number."""
    whole = play_whole(name, tmp_path / "whole")
    chains = [play_chain(name, number, kills, tmp_path / f"killed-{number}", whole) for number in range(CHAINS)]
    assert all(chain.good for chain in chains) and any(chain.kills for chain in chains), chains


def test_what_a_killed_command_leaves_is_seen(tmp_path: Path) -> None:
    """A process that left the session, a temporary folder, shared memory."""
    program = """
import os, tempfile, time
from pathlib import Path
tempfile.mkdtemp()
Path(f"/dev/shm/test-{os.getpid()}").touch()
if os.fork() == 0:
    os.setsid()
    time.sleep(60)
time.sleep(60)
"""
    process = subprocess.Popen([sys.executable, "-c", program], env=marked(tmp_path), start_new_session=True)
    while len(processes_of(tmp_path)) < 2:
        time.sleep(0.01)
    process.kill()
    process.wait()
    try:
        assert len(wait_for_no_process_of(tmp_path, 0.2)) == 1
        assert len(folders_of(tmp_path)) == 1 and shared_memory_of(process.pid) == [f"test-{process.pid}"]
    finally:
        Path(f"/dev/shm/test-{process.pid}").unlink()
        os.kill(int(processes_of(tmp_path)[0].partition(":")[0]), signal.SIGKILL)


def test_a_damaged_file_is_seen(tmp_path: Path) -> None:
    check_whole(tmp_path)
    for name, content in (("results.json", b"{"), ("test.dot", b"graph"), ("games.sqlite", b"no database")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises((ValueError, sqlite3.DatabaseError)):
            check_whole(tmp_path)
        (tmp_path / name).unlink()


def test_a_writer_that_is_killed_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    program = f"""
import os, signal
from planetwars_env.files import replacement_file
with replacement_file({str(tmp_path / "file")!r}) as draft:
    draft.write_bytes(b"half of the n")
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == -signal.SIGKILL
    assert (tmp_path / "file").read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 2
    remove_unfinished_files(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_writer_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")

    def fail() -> None:
        with replacement_file(tmp_path / "file") as draft:
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
            assert status == 1 and "No space left" in said and f"Error: {folder}/" in said
            assert f"planetwars train --out {folder} --resume" in said
            assert before == files_of(folder)
        assert run("train", "--out", folder, "--resume", "--steps", 512)[0] == 0
        assert "run.lock" not in files_of(folder) and not list(folder.glob(".draft*"))
        assert load_checkpoint(folder)[1]["steps"] == 512


def test_a_disk_that_fills_while_training_leaves_the_last_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(CONFIG)
    config = load_config(tmp_path / "tiny.yaml")
    config = replace(config, schedule=replace(config.schedule, steps=640))
    with disk(tmp_path / "disk") as place:
        folder = place / "run"
        with ExitStack() as held, pytest.raises(OSError, match="No space left") as fault:
            train(config, folder, callback=After(3, lambda: held.enter_context(full(place))))
        assert fault.value.filename and str(folder) in str(fault.value.filename)
        assert load_checkpoint(folder)[1]["steps"] == 256 and load_agent(folder)
        assert train(config, folder, resume=True).steps == 640
        whole = train(config, tmp_path / "whole")
        assert whole.steps == 640
        weights = [(place / "weights.safetensors").read_bytes() for place in (folder, tmp_path / "whole")]
        assert weights[0] == weights[1]


def test_a_tournament_on_a_full_disk_keeps_its_games_and_goes_on(tmp_path: Path) -> None:
    with disk(tmp_path / "disk") as place:
        command = ["rank", "random", "ai1", "--graphs", "test", "--jobs", 1, "--out", place / "run", "--games"]
        assert run(*command, 20)[0] == 0
        with full(place):
            status, said = run(*command, 200)
            assert status == 1 and "full" in said and "run the same command again" in said
        status, said = run(*command, 200)
        assert status == 0 and "of 200 games were played before" in said


def test_commands_that_write_one_file_keep_the_old_one_on_a_full_disk(tmp_path: Path) -> None:
    with disk(tmp_path / "disk") as place:
        on_a_board = "random", "--opponents", "noop", "--graphs", "duel"
        evaluate = "evaluate", *on_a_board, "--games", 2, "--out", place / "r.json"
        watch = "watch", tmp_path / "game.json", "--out", place / "game.html"
        pw.play_match("random", "ai1", "duel", max_turns=20).save(tmp_path / "game.json")
        for command in (evaluate, watch):
            assert run(*command)[0] == 0
        before = files_of(place)
        with full(place):
            for command in (evaluate, watch):
                status, said = run(*command)
                assert status == 1 and "No space left" in said and str(place) in said
            filled = files_of(place)
            del filled["filler"]
            assert filled == before


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
                ("watch", tmp_path / "game.json", "--out", place / "game.html"),
                ("demo", "--steps", 128, "--out", place / "new"),
            ):
                status, said = run(*command)
                told = any(word in said for word in ("Read-only", "readonly", "unable to open"))
                assert status == 1 and told and str(place) in said, said
            assert run("evaluate", place / "run", "--opponents", "noop", "--graphs", "duel", "--games", 2)[0] == 0
        assert before == (files_of(place / "run"), files_of(place / "rank"))


def test_ctrl_c_while_modules_load_prints_no_traceback() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "planetwars_env", "rank", "--help"]
    for module in (b"gymnasium", b"typer"):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert process.stderr is not None
        while module not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGINT)
        assert b"Traceback" not in process.communicate(timeout=30)[1] and process.returncode == 130


@pytest.mark.parametrize("times", [1, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_tournament_that_is_ended_soon_after_its_start_leaves_no_process_and_no_folder(
    end: signal.Signals, times: int, tmp_path: Path
) -> None:
    """At seeded moments of its first seconds, with two workers and strategies from files."""
    adopt_orphans()
    chance = random.Random(int(end) + times)
    strategies = [SPREADER, HOSTILE / "collector.py"]
    command = ["rank", *strategies, "--graphs", "test", "--games", 100, "--jobs", 2, "--out", tmp_path / "run"]
    program = [sys.executable, "-m", "planetwars_env", *map(str, command)]
    for _ in range(times):
        process = subprocess.Popen(
            program, env=marked(tmp_path), start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(0.5 + 4 * chance.random())
        if end is signal.SIGINT:
            os.killpg(process.pid, end)
        else:
            process.send_signal(end)
        # Python ends itself by SIGINT if the interruption met an `exec`, as of dataclasses; a shell says 130 for it, too.
        assert process.wait(30) in (130, -end, -signal.SIGINT)
        assert wait_for_no_process_of(tmp_path) == []
        if end is signal.SIGKILL and find_sandbox() is not Sandbox.NAMESPACES:
            remove_stale_folders(str(tmp_path / "tmp"))  # as the next command does that loads a strategy
        assert [name for name in folders_of(tmp_path) if name.startswith("planetwars-")] == []
