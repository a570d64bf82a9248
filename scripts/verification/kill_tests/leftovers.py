"""Processes and folders that a command left behind, found by a mark in their environment or by a path."""

import contextlib
import os
import re
import time
from pathlib import Path

from planetwars_env.arena.confinement.processes import descendants, prctl

_SUBREAPER = 36  # prctl(2)
_SUPERVISOR = b"confinement.supervisor"
_WORKER = b"joblib.externals.loky"
MARK = "PLANETWARS_TEST_MARK"


def marked(folder: Path) -> dict[str, str]:
    """The environment of a command whose processes `processes_of` finds again; its temporary folders lie in ``folder``."""
    (folder / "tmp").mkdir(exist_ok=True)
    return {**os.environ, MARK: str(folder), "TMPDIR": str(folder / "tmp")}


def adopt_orphans() -> None:
    """Become the parent of processes whose own has ended, so that `processes_of` finds those of strategies."""
    prctl(_SUBREAPER, 1)


def supervised() -> list[int]:
    """Processes of strategies that descend from this one, and their supervisors, whose command lines name no user's files.

    Those of workers that joblib keeps for the next tournament of this process do not count.
    """
    found, kept = [], set[int]()
    for process in descendants(os.getpid()):
        with contextlib.suppress(OSError):
            command = Path(f"/proc/{process}/cmdline").read_bytes()
            if _WORKER in command:
                kept.update(descendants(process))
            if _SUPERVISOR in command:
                found.append(process)
    return [process for process in found if process not in kept]


def processes_of(folder: Path) -> list[str]:
    """The processes that carry the mark of ``folder``, or were given a path in it, and those of strategies."""
    found, wanted = [f"{process}: of a strategy" for process in supervised()], str(folder).encode()
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int(entry.name) == os.getpid() or (entry / "stat").read_text().rpartition(")")[2].split()[0] in "ZX":
                continue
            command = (entry / "cmdline").read_bytes()
            if wanted in command or MARK.encode() + b"=" + wanted in (entry / "environ").read_bytes():
                found.append(f"{entry.name}: {command[:200]!r}")
    return found


def folders_of(folder: Path) -> list[str]:
    """The command's temporary files, without the file of four bytes with which Python tries such a folder."""
    return sorted(path.name for path in (folder / "tmp").iterdir() if path.is_dir() or path.stat().st_size > 4)


def wait_for_no_process_of(folder: Path, seconds: float = 10) -> list[str]:
    """The processes that are still there after ``seconds``: none as a rule, and then at once."""
    deadline = time.monotonic() + seconds
    while (left := processes_of(folder)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def shared_memory_of(process: int) -> list[str]:
    """Semaphores and folders in shared memory that are named after a process, as joblib names them."""
    place = Path("/dev/shm")
    names = [path.name for path in place.iterdir()] if place.is_dir() else []
    return sorted(name for name in names if str(process) in re.split(r"[^0-9]+", name))
