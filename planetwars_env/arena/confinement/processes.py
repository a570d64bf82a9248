"""Processes below another one, read from /proc: found, measured, stopped, continued and killed."""

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Collection, Iterable
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
    """Usage of one process, or of several.

    ``seconds``: of CPU time, with ``waited``: those of children that it waited for; ``tasks``: live processes and threads;
    ``memory``: bytes that are in memory, shared ones for each process again.
    """

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
        self.began = set[int]()  # since the last stop
        self._stopped = set[int]()
        self._seen: dict[int, Usage] = {}
        self._lost = 0.0

    def stop(self) -> Usage | None:
        """Stop every process and return their usage; None where new ones begin faster than they can be stopped."""
        stopped, equal = set[int](), 0
        for _ in range(_ROUNDS):
            new = set(self._pids()) - stopped
            _signal(new, signal.SIGSTOP)
            stopped |= new
            equal = 0 if new else equal + 1
            if self._alone or equal == _EQUAL:
                self._stopped = stopped
                return self.usage()
        return None

    def resume(self) -> bool:
        """Let the processes that `stop` has stopped go on; False where others began meanwhile, which nobody stopped."""
        now, self.began = set(self._pids()), set()
        _signal(now, signal.SIGCONT)
        return not self._stopped or now <= self._stopped

    def usage(self) -> Usage:
        """Return the usage of all processes. Those that ended since the last look count as they were then."""
        now = {pid: usage for pid in self._pids() if (usage := _usage(pid))}
        ended = sum(usage.seconds for pid, usage in self._seen.items() if pid not in now)
        waited = sum(usage.waited - self._seen[pid].waited for pid, usage in now.items() if pid in self._seen)
        self._lost += max(0.0, ended - waited)
        self.began |= now.keys() - self._seen.keys()
        self._seen = now
        total = Usage(*map(sum, zip(Usage(0, 0, 0, 0), *now.values(), strict=True)))
        return total._replace(seconds=total.seconds + self._lost)

    def _pids(self) -> Collection[int]:
        return self._stopped if self._alone and self._stopped else descendants(self.root)


def descendants(root: int) -> list[int]:
    """Return the processes below ``root``, parents before children, from the kernel's lists by thread."""
    pids = [root]
    for pid in pids:
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208  # names are all that is wanted
                with contextlib.suppress(OSError):
                    pids += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
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


def prctl(option: int, value: int) -> None:
    """The system call, where there is one."""
    if hasattr(libc, "prctl"):
        libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0)


def call(name: str, *arguments: object) -> int:
    """Call a function of the C library; OSError with its name where the system refuses."""
    answer = getattr(libc, name)(*arguments)
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return answer


def _usage(pid: int) -> Usage | None:
    """Return the usage of a process, None if it has ended."""
    try:
        fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        own, waited = sum(map(int, fields[11:13])) / _TICKS, sum(map(int, fields[13:15])) / _TICKS
        tasks, memory = (0, 0) if fields[0] in b"ZX" else (int(fields[17]), int(fields[21]) * _PAGE)
        return Usage(own + waited, waited, tasks, memory)
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
