"""Processes below another one, read from /proc: found, measured, stopped, continued and killed."""

import contextlib
import ctypes
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

PDEATHSIG = 1  # prctl(2)
_ROUNDS = 20
"""Looks at most for processes that began while others were being stopped: a stopped one starts none."""
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_LISTS = Path(f"/proc/self/task/{os.getpid()}/children").exists()
libc: Any = None if sys.platform == "win32" else ctypes.CDLL(None, use_errno=True)
"""The C library; None on Windows, where strategies are not isolated."""


class Usage(NamedTuple):
    """Usage of processes: CPU ``seconds``, with those of children that they waited for; ``tasks``: live processes and threads."""

    seconds: float
    tasks: int


class _Stat(NamedTuple):
    parent: int
    usage: Usage


class ProcessTree:
    """All processes that descend from ``root``, which is not one of them."""

    def __init__(self, root: int) -> None:
        self.root = root
        self._stopped: list[int] = []

    def stop(self) -> Usage:
        """Stop every process and return their usage. It looks again for processes that began meanwhile."""
        stopped: set[int] = set()
        pids = descendants(self.root)
        for _ in range(_ROUNDS):
            new = [pid for pid in pids if pid not in stopped]
            if not new:
                break
            _signal(new, signal.SIGSTOP)
            stopped.update(new)
            pids = descendants(self.root)
        self._stopped = pids
        return _usage(pids)

    def resume(self) -> None:
        """Let the processes that `stop` has stopped go on."""
        _signal(self._stopped, signal.SIGCONT)
        self._stopped = []

    def usage(self) -> Usage:
        """Return the usage of all processes."""
        return _usage(descendants(self.root))


def descendants(root: int) -> list[int]:
    """Return the processes below ``root``, parents before children."""
    pids = [root]
    for pid in pids:
        pids += _children(pid)
    return pids[1:]


def kill_descendants(root: int, seconds: float = 5) -> None:
    """Kill and reap until no process is left. ``root`` is this process, a subreaper, so that orphans come to it."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        _signal(descendants(root), signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)


def die_with(owner: int) -> None:
    """Let the kernel kill this process when its parent ends; end at once where the parent is no longer ``owner``."""
    prctl(PDEATHSIG, signal.SIGKILL)
    if os.getppid() != owner:
        os._exit(1)


def prctl(option: int, value: int) -> None:
    """The system call, where there is one."""
    if hasattr(libc, "prctl"):
        libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0)


def _children(pid: int) -> list[int]:
    """Return the children of a process, from the kernel's lists by thread, or from all processes if it keeps none."""
    if not _LISTS:
        stats = ((child, _stat(child)) for child in map(int, filter(str.isdigit, _listing("/proc"))))
        return [child for child, stat in stats if stat and stat.parent == pid]
    pids: list[int] = []
    for thread in _listing(f"/proc/{pid}/task"):
        with contextlib.suppress(OSError):
            pids += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    return pids


def _usage(pids: list[int]) -> Usage:
    usages = [stat.usage for pid in pids if (stat := _stat(pid))]
    return Usage(sum(usage.seconds for usage in usages), sum(usage.tasks for usage in usages))


def _stat(pid: int) -> _Stat | None:
    """Return the statistics of a process, None if it has ended."""
    try:
        fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        dead = fields[0] in b"ZX"
        seconds = sum(map(int, fields[11:15])) / _TICKS
        return _Stat(int(fields[1]), Usage(seconds, 0 if dead else int(fields[17])))
    except (OSError, ValueError, IndexError):
        return None


def _listing(folder: str) -> list[str]:
    with contextlib.suppress(OSError):
        return os.listdir(folder)  # noqa: PTH208  # names are all that is wanted, many times a second
    return []


def _read(path: str) -> bytes:
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 1 << 16)
    finally:
        os.close(file)


def _signal(pids: list[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
