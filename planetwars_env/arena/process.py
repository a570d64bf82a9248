"""The owner's end of a foreign strategy's process: what it may use, how it is started, spoken to and ended."""

import contextlib
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planetwars_env.arena import wire
from planetwars_env.arena.sandbox import PACKAGE, Sandbox, confined, jail_command, visible_paths

LOG = 8_000
"""Characters kept of what a strategy prints, the last ones."""
_ANSWER = 2_000_000
"""Bytes an answer may have: enough for `Limits.moves` moves."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a strategy may use. Seconds are of the clock, bytes of one process.

    ``turn``: for one `take_turn`; ``begin``: for the constructor and `reset`; ``load``: for its file; ``grace``: for the way
    there and back, after which it counts as hanging. ``faults``: the fault that costs the game.
    """

    turn: float = 1.0
    begin: float = 5.0
    load: float = 20.0
    grace: float = 0.5
    memory: int = 512 * 2**20
    processes: int = 256
    open_files: int = 64
    file_bytes: int = 16 * 2**20
    moves: int = 10_000
    faults: int = 3


class EndedError(Exception):
    """The process is gone, or is no longer worth listening to; with the fault's kind and text."""


class Process:
    """The owner's end of a strategy's process: the channel, the log, and the leash."""

    def __init__(self, strategy: str, limits: Limits, sandbox: Sandbox) -> None:
        self._channel, theirs = socket.socketpair()
        log_read, log_write = os.pipe()
        os.set_blocking(log_read, False)
        self._log_end, self._log, self._buffer, self._number = log_read, b"", b"", 0
        plan = _plan(strategy, limits, sandbox, theirs.fileno())
        self._warden = subprocess.Popen(
            jail_command(plan),
            stdin=subprocess.PIPE,
            stdout=log_write,
            stderr=log_write,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
            env={"PATH": os.defpath},
        )
        theirs.close()
        os.close(log_write)

    def tell(self, request: dict[str, Any]) -> None:
        """Send a request that has no answer."""
        self._send(wire.encode(request), time.monotonic() + 1)

    def ask(self, request: dict[str, Any] | None, seconds: float) -> dict[str, Any]:
        """The answer to a request (None: the first greeting); EndedError where there is none in time, or a senseless one."""
        deadline = time.monotonic() + seconds
        if request is not None:
            self._number += 1
            self._send(wire.encode({"n": self._number, **request}), deadline)
        line = self._receive(deadline)
        try:
            answer = wire.decode(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict) or answer.get("n") != self._number:
            raise EndedError(
                "garbage", f"no answer of the strategy's process, but {line[:300]!r}\n{self._last_words()}"
            )
        return answer

    def close(self) -> None:
        """Let the warden end everything, and wait for it."""
        if self._warden.stdin is None or self._warden.stdin.closed:
            return
        self._warden.stdin.close()
        try:
            self._warden.wait(8)
        except subprocess.TimeoutExpired:
            self._warden.kill()
            self._warden.wait()
        self._channel.close()
        os.close(self._log_end)

    def _send(self, line: bytes, deadline: float) -> None:
        rest = memoryview(line)
        while rest:
            self._wait(select.POLLOUT, deadline)
            try:
                rest = rest[self._channel.send(rest, socket.MSG_DONTWAIT) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self._death() from None

    def _receive(self, deadline: float) -> bytes:
        while b"\n" not in self._buffer:
            if len(self._buffer) > _ANSWER:
                raise EndedError("garbage", f"an answer of more than {_ANSWER} bytes")
            self._wait(select.POLLIN, deadline)
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

    def _wait(self, event: int, deadline: float) -> None:
        """Until the channel is ready; what is printed meanwhile is read, so that printing never blocks."""
        poll = select.poll()
        poll.register(self._channel, event)
        poll.register(self._log_end, select.POLLIN)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise EndedError("hanging", f"no answer in time, and no end by itself\n{self._last_words()}")
            ready = [fd for fd, _ in poll.poll(left * 1000)]
            if self._log_end in ready and not self._read_log():
                poll.unregister(self._log_end)
            if self._channel.fileno() in ready:
                return

    def _read_log(self) -> bool:
        """Read what was printed; False at its end."""
        try:
            part = os.read(self._log_end, 1 << 16)
        except BlockingIOError:
            return True
        self._log = (self._log + part)[-LOG:]
        return bool(part)

    def _death(self) -> EndedError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._warden.wait(1)
        return EndedError("dead", f"the process ended ({self._warden.returncode})\n{self._last_words()}")

    def _last_words(self) -> str:
        deadline = time.monotonic() + 0.2
        while time.monotonic() < deadline and select.select([self._log_end], [], [], 0)[0] and self._read_log():
            pass
        text = self._log.decode(errors="replace")
        return f"it printed last:\n{text}" if text else "it printed nothing"


def _plan(strategy: str, limits: Limits, sandbox: Sandbox, channel: int) -> dict[str, object]:
    """What the warden is told (jail.py)."""
    visible = visible_paths(strategy)
    program = [sys.executable, "-P", "-u", "-m", "planetwars_env.arena.worker", str(channel), strategy]
    return {
        "program": confined(program, sandbox, visible),
        "environment": _environment(),
        "folder": tempfile.gettempdir(),
        "visible": visible,
        "namespaces": sandbox is Sandbox.NAMESPACES,
        "channel": channel,
        "limits": {
            "RLIMIT_AS": limits.memory,
            "RLIMIT_NPROC": limits.processes,
            "RLIMIT_NOFILE": limits.open_files,
            "RLIMIT_FSIZE": limits.file_bytes,
            "RLIMIT_CORE": 0,
        },
    }


def _environment() -> Mapping[str, str]:
    """Nothing of the owner's own; one thread for NumPy, whose pools would count against the memory."""
    threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
    places = [str(PACKAGE.parent), *(path for path in sys.path if path and Path(path).is_dir())]
    return {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(places)),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        **threads,
    }
