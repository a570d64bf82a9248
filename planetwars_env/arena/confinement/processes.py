"""Processes below another one, read from /proc: found, measured, stopped, continued and killed."""

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

PDEATHSIG = 1  # prctl(2)
_EQUAL = 3
"""Looks in which no process began, before all count as stopped: one look may pass by a process whose parent just ends."""
_ROUNDS = 50
"""Looks at most for processes that began while others were being stopped: a stopped one starts none."""
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_PAGE = os.sysconf("SC_PAGESIZE") if hasattr(os, "sysconf") else 4096
libc: Any = None if sys.platform == "win32" else ctypes.CDLL(None, use_errno=True)
"""The C library; None on Windows, where strategies are not isolated."""


class Usage(NamedTuple):
    """Usage of processes.

    ``seconds``: of CPU time, with those of children that have ended; ``tasks``: live processes and threads; ``began``:
    processes that began since the last stop; ``memory``: bytes that are in memory, shared ones for each process again.
    """

    seconds: float
    tasks: int
    began: int
    memory: int


class _Stat(NamedTuple):
    """Of one process; ``waited``: CPU seconds of the children that it waited for, which ``seconds`` contain."""

    seconds: float
    waited: float
    tasks: int
    memory: int


class ProcessTree:
    """All processes that descend from ``root``, which is not one of them.

    ``alone``: a filter refuses new ones, so that those of the first stop are all there will be.
    """

    def __init__(self, root: int, alone: bool = False) -> None:
        self.root, self._alone = root, alone
        self._all: list[int] = []
        self._stopped: set[int] = set()
        self._seen: dict[int, _Stat] = {}
        self._began: set[int] = set()
        self._lost = 0.0

    def stop(self) -> Usage | None:
        """Stop every process and return their usage; None where new ones begin faster than they can be stopped."""
        if self._alone:
            self._all = self._pids()
            _signal(self._all, signal.SIGSTOP)
            return self.usage()
        stopped: set[int] = set()
        equal = 0
        for _ in range(_ROUNDS):
            new = set(descendants(self.root)) - stopped
            _signal(new, signal.SIGSTOP)
            stopped |= new
            equal = 0 if new else equal + 1
            if equal == _EQUAL:
                usage = self.usage()
                self._stopped, self._began = stopped, set()
                return usage
        return None

    def resume(self) -> bool:
        """Let the processes that `stop` has stopped go on; False where others began meanwhile, which nobody stopped."""
        now = set(self._pids())
        _signal(now, signal.SIGCONT)
        return not self._stopped or now <= self._stopped

    def usage(self) -> Usage:
        """Return the usage of all processes. Those that ended since the last look count as they were then."""
        now = {pid: stat for pid in self._pids() if (stat := _stat(pid))}
        ended = sum(stat.seconds for pid, stat in self._seen.items() if pid not in now)
        waited = sum(stat.waited - self._seen[pid].waited for pid, stat in now.items() if pid in self._seen)
        self._lost += max(0.0, ended - waited)
        self._began |= now.keys() - self._seen.keys()
        self._seen = now
        stats = now.values()
        return Usage(
            self._lost + sum(stat.seconds for stat in stats),
            sum(stat.tasks for stat in stats),
            len(self._began),
            sum(stat.memory for stat in stats),
        )

    def _pids(self) -> list[int]:
        return self._all or descendants(self.root)


def descendants(root: int) -> list[int]:
    """Return the processes below ``root``, parents before children."""
    pids = [root]
    for pid in pids:
        pids += _children(pid)
    return pids[1:]


def kill_descendants(root: int, seconds: float = 5) -> bool:
    """Kill and reap until no process is left. ``root`` is this process, a subreaper, so that orphans come to it.

    False where one is left after ``seconds``.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        _signal(descendants(root), signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return True
        time.sleep(0.001)
    return False


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
    """Return the children of a process, from the kernel's lists by thread."""
    pids: list[int] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208  # names are all that is wanted, many times a second
    except OSError:
        return []
    for thread in threads:
        with contextlib.suppress(OSError):
            pids += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    return pids


def _stat(pid: int) -> _Stat | None:
    """Return the statistics of a process, None if it has ended."""
    try:
        fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        dead = fields[0] in b"ZX"
        own, waited = sum(map(int, fields[11:13])) / _TICKS, sum(map(int, fields[13:15])) / _TICKS
        tasks, memory = (0, 0) if dead else (int(fields[17]), int(fields[21]) * _PAGE)
        return _Stat(own + waited, waited, tasks, memory)
    except (OSError, ValueError, IndexError):
        return None


def _read(path: str) -> bytes:
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 1 << 16)
    finally:
        os.close(file)


def _signal(pids: Iterable[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
