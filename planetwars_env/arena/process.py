"""Process of an isolated strategy as its owner handles it: limits, start, requests and end."""

import contextlib
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from planetwars_env.arena import protocol
from planetwars_env.arena.confinement.processes import ProcessTree, Usage
from planetwars_env.arena.sandbox import (
    Sandbox,
    confined,
    end_supervisor,
    hidden_paths,
    start_supervisor,
    visible_paths,
)
from planetwars_env.bots.program import PREFIX
from planetwars_env.engine import kernel_cache
from planetwars_env.engine.sources import PACKAGE

LOG = 8_000
"""Characters of a strategy's output that are kept, the last ones."""
_ANSWER = 2_000_000
"""Largest answer in bytes: enough for `ResourceLimits.moves` moves."""


_PROGRAM_THREADS = 40
"""Processes and threads of a program in another language: the runtimes of Java and JavaScript start up to twenty."""
_LOOK = 0.05
"""Seconds between two measurements while waiting for an answer."""


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """Limits of a strategy. Seconds are CPU time of all its processes together; bytes are of one process.

    ``turn``: for one `take_turn`, and for what went on since the last one; ``begin``: for the constructor and `reset`;
    ``load``: for its file. By the clock each may take ``clock`` times as long, for a processor that is shared: no less than
    ``processes``, which counts threads too. ``tolerance``: what it may be late. ``grace``: what it has to answer, after the time
    of the clock or twice the CPU time, before it counts as hanging. ``faults``: the fault that costs the game.
    ``unsafe``: run where the machine can confine nothing.
    """

    turn: float = 1.0
    begin: float = 5.0
    load: float = 10.0
    clock: float = 10.0
    tolerance: float = 0.1
    grace: float = 0.5
    memory: int = 512 * 2**20
    processes: int = 8
    open_files: int = 64
    file_bytes: int = 16 * 2**20
    moves: int = 10_000
    faults: int = 3
    unsafe: bool = False


class EndedError(Exception):
    """The end of a process, or an answer that ends it; arguments: kind and text of the fault."""


class Spent(NamedTuple):
    """Time of an answer: ``cpu`` seconds since the answer before, and wall-clock seconds (``clock``)."""

    cpu: float
    clock: float


class _Waiting(NamedTuple):
    """Deadlines of an answer: on the wall clock, and in CPU seconds since the start."""

    until: float
    cpu: float


class Process:
    """A strategy's process with its channel, log and parent pipe. It is stopped (SIGSTOP) between two answers.

    ``told``: the strategy, and the folder with its files, as worker.py takes them.
    """

    def __init__(self, told: Sequence[str], limits: ResourceLimits, sandbox: Sandbox) -> None:
        other_language = told[0].startswith(PREFIX)
        if other_language:
            limits = replace(limits, processes=max(limits.processes, _PROGRAM_THREADS))
        self._limits = limits
        self._channel, theirs = socket.socketpair()
        log_read, log_write = os.pipe()
        os.set_blocking(log_read, False)
        self._log_end, self._log, self._printed, self._buffer, self._number = log_read, b"", b"", b"", 0
        plan = _plan(told, other_language, limits, sandbox, theirs.fileno())
        self._supervisor = start_supervisor(plan, log_write)
        theirs.close()
        os.close(log_write)
        self._tree, self._used = ProcessTree(self._supervisor.pid), 0.0

    def ask(self, request: dict[str, Any] | None, seconds: float) -> tuple[dict[str, Any], Spent]:
        """Send a request (None: wait for the greeting); return the answer and its time.

        EndedError where there is none in the time that ``seconds`` of CPU time allow, or a senseless one.
        """
        start, limits = time.monotonic(), self._limits
        waiting = _Waiting(start + seconds * limits.clock + limits.grace, self._used + 2 * seconds + limits.grace)
        self._tree.resume()
        if request is not None:
            self._number += 1
            self._send(protocol.encode({"n": self._number, **request}), waiting)
        line = self._receive(waiting)
        clock = time.monotonic() - start
        usage = self._tree.stop()
        self._check_crowd(usage)
        spent, self._used = Spent(usage.seconds - self._used, clock), usage.seconds
        return self._understood(line), spent

    def _understood(self, line: bytes) -> dict[str, Any]:
        try:
            answer = protocol.decode(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict) or answer.get("n") != self._number:
            raise EndedError(
                "garbage", f"no answer of the strategy's process, but {line[:300]!r}\n{self._last_words()}"
            )
        return answer

    def take_printed(self) -> str:
        """Return what was printed since the last call, at most the last `LOG` bytes."""
        self._drain(0)
        text, self._printed = self._printed.decode(errors="replace"), b""
        return text

    def close(self) -> None:
        """Let the supervisor end all processes, and wait for it."""
        if self._supervisor.stdin is None or self._supervisor.stdin.closed:
            return
        end_supervisor(self._supervisor)
        self._channel.close()
        os.close(self._log_end)

    def _send(self, line: bytes, waiting: _Waiting) -> None:
        rest = memoryview(line)
        while rest:
            self._wait(select.POLLOUT, waiting)
            try:
                rest = rest[self._channel.send(rest, socket.MSG_DONTWAIT) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self._death() from None

    def _receive(self, waiting: _Waiting) -> bytes:
        while b"\n" not in self._buffer:
            if len(self._buffer) > _ANSWER:
                raise EndedError("garbage", f"an answer of more than {_ANSWER} bytes")
            self._wait(select.POLLIN, waiting)
            try:
                part = self._channel.recv(1 << 16, socket.MSG_DONTWAIT)
            except BlockingIOError:
                continue
            except OSError:
                part = b""
            if not part:
                raise self._death()
            self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _wait(self, event: int, waiting: _Waiting) -> None:
        """Wait for the channel, and read the log meanwhile, so that printing never blocks."""
        poll = select.poll()
        poll.register(self._channel, event)
        poll.register(self._log_end, select.POLLIN)
        look = time.monotonic() + _LOOK
        while True:
            ready = [fd for fd, _ in poll.poll(max(0, 1000 * (look - time.monotonic())))]
            if self._log_end in ready and not self._read_log():
                poll.unregister(self._log_end)
            if self._channel.fileno() in ready:
                return
            if time.monotonic() >= look:
                self._check_patience(waiting)
                look = time.monotonic() + _LOOK

    def _check_patience(self, waiting: _Waiting) -> None:
        """EndedError where waiting is over."""
        usage = self._tree.usage()
        self._check_crowd(usage)
        if time.monotonic() > waiting.until or usage.seconds > waiting.cpu:
            raise EndedError("hanging", f"no answer in time, and no end by itself\n{self._last_words()}")

    def _check_crowd(self, usage: Usage) -> None:
        # Two processes are those of the confinement.
        if usage.tasks > self._limits.processes + 2:
            raise EndedError("crowd", f"more than {self._limits.processes} processes and threads at once")

    def _read_log(self) -> bool:
        """Read the log; False at its end."""
        try:
            part = os.read(self._log_end, 1 << 16)
        except BlockingIOError:
            return True
        self._log, self._printed = (self._log + part)[-LOG:], (self._printed + part)[-LOG:]
        return bool(part)

    def _death(self) -> EndedError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._supervisor.wait(1)
        return EndedError("dead", f"the process ended ({self._supervisor.returncode})\n{self._last_words()}")

    def _drain(self, seconds: float) -> None:
        """Read what is in the log, for at most ``seconds``, once at least."""
        deadline = time.monotonic() + seconds
        while select.select([self._log_end], [], [], 0)[0] and self._read_log() and time.monotonic() < deadline:
            pass

    def _last_words(self) -> str:
        self._drain(0.2)
        text = self._log.decode(errors="replace")
        return f"it printed last:\n{text}" if text else "it printed nothing"


def _plan(
    told: Sequence[str], other_language: bool, limits: ResourceLimits, sandbox: Sandbox, channel: int
) -> dict[str, object]:
    """Return the supervisor's plan (confinement/supervisor.py)."""
    visible = visible_paths(told[1] if len(told) > 1 else "")
    hidden = hidden_paths(visible)
    program = [sys.executable, "-P", "-u", "-m", "planetwars_env.arena.worker", str(channel), *told]
    return {
        "program": confined(program, sandbox, visible, hidden, other_language),
        "environment": _environment(),
        "folder": tempfile.gettempdir(),
        "visible": visible,
        "hidden": hidden,
        "proc": other_language,  # Java finds its libraries there
        "namespaces": sandbox is Sandbox.NAMESPACES,
        "confined": sandbox is not Sandbox.NONE,
        "channel": channel,
        "owner": os.getpid(),
        "limits": {
            # Java and JavaScript reserve addresses that they never write to.
            "RLIMIT_DATA" if other_language else "RLIMIT_AS": limits.memory,
            "RLIMIT_NPROC": limits.processes,
            "RLIMIT_NOFILE": limits.open_files,
            "RLIMIT_FSIZE": limits.file_bytes,
            "RLIMIT_CORE": 0,
        },
    }


def _environment() -> Mapping[str, str]:
    """Return an environment without the owner's variables; NumPy gets one thread, since pools count against the memory."""
    threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
    places = [str(PACKAGE.parent), *(path for path in sys.path if path and Path(path).is_dir())]
    return {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(places)),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PLANETWARS_STRATEGY": "1",
        **({kernel_cache.READ_ONLY: folder} if (folder := kernel_cache.cache_folder()) else {}),
        **threads,
    }
