"""Foreign strategies, each in a process of its own: only the chart and the view go in, only moves come out.

What a strategy does wrong costs it the turn or the game by the rules of docs/arena.md, and is recorded as a `Fault`. The
process is started by a warden (jail.py), which ends it with everything it started; worker.py is what runs inside.
"""

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
from typing import Any, NamedTuple, NoReturn

from planetwars_env.arena import wire
from planetwars_env.arena.sandbox import PACKAGE, Sandbox, confined, find_sandbox, jail_command, visible_paths
from planetwars_env.bots.chart import Chart
from planetwars_env.engine.rules import Rules
from planetwars_env.graphs.graph import Graph
from planetwars_env.view import Move, View

_LOG = 8_000
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
    processes: int = 64
    open_files: int = 64
    file_bytes: int = 16 * 2**20
    moves: int = 10_000
    faults: int = 3


class Fault(NamedTuple):
    """What ``strategy`` did wrong on ``turn`` (0: before the first). ``forfeits``: "turn" or "game".

    ``kind``: "load", "begin", "late", "exception", "garbage", "flood", "hanging" or "dead"; ``text``: the traceback, or
    what came instead of moves, and what the strategy printed last where its process is gone.
    """

    strategy: str
    turn: int
    kind: str
    forfeits: str
    text: str


class ForfeitError(Exception):
    """A strategy has lost its game by a fault, which is the last in its ``faults``."""


class _EndedError(Exception):
    """The process is gone, or is no longer worth listening to; with the fault's kind and text."""


class Isolated:
    """A strategy from a file or ``module:Class``, as a `Strategy`; it is loaded at once, and again where it has died.

    `reset` begins a game and must be called before every one. `reset` and `take_turn` raise ForfeitError where the game is
    lost, and nothing else that the strategy could cause. ``faults``: those of this game. Close it, or use it in a ``with``.
    """

    def __init__(self, strategy: str, limits: Limits | None = None, sandbox: Sandbox | None = None) -> None:
        self.strategy = str(Path(strategy).resolve()) if strategy.endswith(".py") else strategy
        self.limits = limits or Limits()
        self.sandbox = find_sandbox() if sandbox is None else sandbox
        self.name = Path(strategy).stem if strategy.endswith(".py") else strategy
        self.compete = True
        self.faults: list[Fault] = []
        self._process: _Process | None = None
        self._broken: str | None = None
        self._turn = 0
        with contextlib.suppress(ForfeitError):
            self._start()

    def reset(self, graph: Graph | Chart, player: int, rules: Rules, seed: int) -> None:
        """Begin a game; of the graph only its chart is handed on."""
        self.faults, self._turn = [], 0
        process = self._process or self._start()
        limits = self.limits
        begin = {
            "chart": wire.write_chart(graph if isinstance(graph, Chart) else Chart.of(graph)),
            "player": player,
            "rules": [rules.name, rules.coexistence, rules.turns_per_weight, rules.max_turns],
            "seed": seed,
            "seconds": limits.begin,
            "turn_seconds": limits.turn,
            "most_moves": limits.moves,
        }
        answer = self._ask(process, {"begin": begin}, limits.begin)
        if "fault" in answer:
            self._end_game()
            self._lose("begin", _text(answer))

    def take_turn(self, view: View) -> list[Move]:
        """The strategy's moves, none where it forfeits the turn."""
        self._turn = view.turn
        process = self._process
        if process is None:
            raise RuntimeError("the strategy's game is over: reset begins the next one")
        answer = self._ask(process, {"turn": wire.write_view(view)}, self.limits.turn)
        if "fault" in answer:
            kind = str(answer["fault"])
            return self._forgive(kind if kind in ("late", "garbage") else "exception", _text(answer))
        return self._checked(answer.get("moves"))

    def end_game(self) -> None:
        """Tell the strategy's process that the game is over."""
        self._end_game()

    def close(self) -> None:
        """End the process and everything it started."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def __enter__(self) -> "Isolated":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> "_Process":
        """A new process with the strategy loaded; a strategy that cannot be loaded is not tried again."""
        if self._broken is not None:
            self._lose("load", self._broken)
        process = _Process(self.strategy, self.limits, self.sandbox)
        try:
            answer = process.ask(None, self.limits.load + self.limits.grace)
        except _EndedError as ended:
            process.close()
            self._broken = f"{ended.args[0]} while it was loaded\n{ended.args[1]}"
            self._lose("load", self._broken)
        if "fault" in answer:
            process.close()
            self._broken = _text(answer)
            self._lose("load", self._broken)
        self.name, self.compete = str(answer.get("name", self.name))[:100], bool(answer.get("compete", True))
        self._process = process
        return process

    def _ask(self, process: "_Process", request: dict[str, Any], seconds: float) -> dict[str, Any]:
        try:
            return process.ask(request, seconds + self.limits.grace)
        except _EndedError as ended:
            self.close()
            self._lose(*ended.args)

    def _checked(self, moves: Any) -> list[Move]:
        """The moves, if that is what they are: lists of three whole numbers of at most 64 bits."""
        wrong = _fault_in(moves)
        if wrong:
            return self._forgive("garbage", f"{wrong} in the answer {str(moves)[:300]}")
        if len(moves) > self.limits.moves:
            self._forgive("flood", f"more than {self.limits.moves} moves, of which the first {self.limits.moves} count")
        return [Move(*move) for move in moves[: self.limits.moves]]

    def _forgive(self, kind: str, text: str) -> list[Move]:
        """Record a fault that costs the turn; the last one allowed costs the game."""
        if len(self.faults) + 1 >= self.limits.faults:
            self._end_game()
            self._lose(kind, text)
        self.faults.append(Fault(self.name, self._turn, kind, "turn", text))
        return []

    def _lose(self, kind: str, text: str) -> NoReturn:
        self.faults.append(Fault(self.name, self._turn, kind, "game", text))
        raise ForfeitError(f"{self.name} forfeits the game on turn {self._turn}: {kind}")

    def _end_game(self) -> None:
        if self._process is not None:
            try:
                self._process.tell({"end": True})
            except _EndedError:
                self.close()


class _Process:
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
        """The answer to a request (None: the first greeting); _EndedError where there is none in time, or a senseless one."""
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
            raise _EndedError(
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
                raise _EndedError("garbage", f"an answer of more than {_ANSWER} bytes")
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
                raise _EndedError("hanging", f"no answer in time, and no end by itself\n{self._last_words()}")
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
        self._log = (self._log + part)[-_LOG:]
        return bool(part)

    def _death(self) -> _EndedError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._warden.wait(1)
        return _EndedError("dead", f"the process ended ({self._warden.returncode})\n{self._last_words()}")

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


def _fault_in(moves: Any) -> str:
    """What is wrong with moves that came through the channel, nothing for good ones; illegal ones are good enough here."""
    if not isinstance(moves, list):
        return "no list of moves"
    for move in moves:
        if not isinstance(move, list) or len(move) != 3:
            return f"{str(move)[:100]} is no move"
        if not all(type(number) is int and abs(number) < wire.FARTHEST for number in move):
            return f"{str(move)[:100]} is no move of three whole numbers of 64 bits"
    return ""


def _text(answer: dict[str, Any]) -> str:
    return str(answer.get("text", ""))[-_LOG:]
