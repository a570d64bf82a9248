"""One kill test: a command is killed and restarted until it is done, and compared with an uninterrupted run."""

import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from scripts.verification.kill_tests.commands import COMMANDS, ROOT, check_whole, outcome, prepare
from scripts.verification.kill_tests.leftovers import (
    adopt_orphans,
    folders_of,
    marked,
    shared_memory_of,
    wait_for_no_process_of,
)

WITHIN = 10.0
"""Seconds after a kill in which everything that was started must have ended."""
_CACHES = ("torchinductor_", "numba_cache", "matplotlib-")
"""Beginnings of the names of folders that libraries make in the temporary folder and mean to stay."""
_PATIENCE = 250
"""Seconds that a command may take which nobody kills."""


class Chain(NamedTuple):
    """``kills`` of one command, which then finished.

    ``same``: whether it came to the same as one that was left alone; ``left``: processes, temporary folders and shared memory
    found ``WITHIN`` seconds after a kill or the end; ``damaged``: files that could not be read; ``said``: of a failed command.
    """

    kills: int = 0
    same: bool = False
    left: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()
    said: str = ""

    @property
    def good(self) -> bool:
        """Whether all is as it should be."""
        return self.same and not self.left and not self.damaged


class Whole(NamedTuple):
    """A command that was left alone: what it came to, how long it took, and the libraries' caches that it left."""

    outcome: bytes
    seconds: float
    caches: frozenset[str]


def play_whole(name: str, folder: Path) -> Whole:
    """Run a command without interruption; ValueError where it fails."""
    prepare(folder)
    begun = time.monotonic()
    if _finish(_start(name, folder)) != 0:
        raise ValueError(f"{name} fails without being killed:\n{_said(folder)}")
    seconds = time.monotonic() - begun
    caches = frozenset(one for one in left_behind(folder, 0) if one.startswith(_CACHES))
    return Whole(outcome(COMMANDS[name], folder), seconds, caches)


def play_chain(name: str, number: int, most: int, folder: Path, whole: Whole) -> Chain:
    """Kill and restart a command up to ``most`` times, by signals and at moments drawn from its name and ``number``."""
    chance, chain = random.Random(f"{name} {number}"), Chain()
    prepare(folder)
    status, killed = 0, True
    while killed:
        process = _start(name, folder)
        again = chain.kills < most
        status = _kill(process, chance, folder / "run", whole.seconds) if again else _finish(process)
        killed = again and status != 0
        chain = chain._replace(
            kills=chain.kills + killed,
            left=(*chain.left, *(one for one in left_behind(folder, process.pid) if one not in whole.caches)),
            damaged=(*chain.damaged, *_damaged(folder / "run")),
        )
    same = status == 0 and outcome(COMMANDS[name], folder) == whole.outcome
    return chain._replace(same=same, said="" if same else f"exit status {status}\n{_said(folder)}")


def left_behind(folder: Path, process: int) -> list[str]:
    """Remains of a command that has ended, ``WITHIN`` seconds after its end at the latest."""
    left = wait_for_no_process_of(folder, WITHIN)
    return [*left, *folders_of(folder), *shared_memory_of(process)]


def _start(name: str, folder: Path) -> subprocess.Popen[bytes]:
    adopt_orphans()
    environment = {**marked(folder), "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    with (folder / "said.txt").open("wb") as said:
        return subprocess.Popen(
            COMMANDS[name].command(folder),
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )


def _kill(process: subprocess.Popen[bytes], chance: random.Random, folder: Path, seconds: float) -> int:
    """End it at any moment of the ``seconds`` that it takes, or just after it has written something; its exit status."""
    at_a_write, moment, after = chance.random() < 0.5, chance.random(), chance.random() * chance.choice([0.01, 0.1])
    begun, before = time.monotonic(), _stamp(folder)
    while process.poll() is None and time.monotonic() < begun + (_PATIENCE if at_a_write else moment * seconds):
        if at_a_write and _stamp(folder) != before:
            time.sleep(after)
            break
        time.sleep(0.002)
    process.send_signal(chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
    return _finish(process)


def _finish(process: subprocess.Popen[bytes]) -> int:
    try:
        return process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        return process.wait()


def _stamp(folder: Path) -> int:
    """Changes with every file that is written: the latest of them, and how many there are."""
    found = []
    for path in folder.iterdir():
        with suppress(FileNotFoundError):  # a draft that has got its name meanwhile
            found.append(path.stat().st_mtime_ns)
    return hash((len(found), max(found, default=0)))


def _damaged(folder: Path) -> list[str]:
    try:
        check_whole(folder)
    except Exception as fault:
        return [f"{type(fault).__name__}: {fault}"]
    return []


def _said(folder: Path) -> str:
    return (folder / "said.txt").read_text(errors="replace")[-4000:]
