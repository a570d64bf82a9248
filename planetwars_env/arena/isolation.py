"""Isolation of strategies from files: each game runs in its own process, which gets the map and views and returns moves.

A fault costs the turn or the game by the rules of docs/isolation.md, and is recorded as a `Fault`. A supervisor
(confinement/) starts the process and ends it with everything it started. Inside runs worker.py, or a program in another
language; both answer the lines of bots/protocol.py.
"""

import contextlib
import os
import re
import select
import shutil
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from planetwars_env.arena import sandbox as sandboxes
from planetwars_env.arena.confinement.filters import HAS_FILTER
from planetwars_env.arena.confinement.processes import ProcessTree, Usage
from planetwars_env.arena.confinement.supervisor import PLACE
from planetwars_env.arena.sandbox import Sandbox
from planetwars_env.bots import notes, protocol
from planetwars_env.bots.catalogue import Player, parse_player
from planetwars_env.engine import kernel_cache
from planetwars_env.game import Game
from planetwars_env.text import clean_name, clean_text
from planetwars_env.view import KnownMap, Move

LOG = 8_000
"""Characters of a strategy's output that are kept, the last ones."""
_WORKER = ("planetwars_env.arena.worker", "planetwars_env.bots.strategy", "numpy")
"""Modules that every game of a strategy in Python begins with; the first plays."""
_PROGRAM_THREADS = 40
"""Processes and threads of a program in another language: the runtimes of Java and JavaScript start up to twenty."""
_CONFINEMENT = 64 * 2**20
"""Memory of the processes of the confinement."""
_LOOK = 0.05
"""Seconds between two measurements while waiting for an answer."""
_PLACE = re.compile(r'^ *File "([^"\n]+)", line (\d+)', re.MULTILINE)
_FOREIGN = frozenset({"site-packages", "planetwars_env", f"python{sys.version_info[0]}.{sys.version_info[1]}"})
"""Folders of code that is not the strategy's."""
_NO_MEMORY = re.compile(r"MemoryError|bad_alloc|[Cc]annot allocate memory|failed to map segment|DefaultCPUAllocator")
_COMPILED = re.compile(rb"\b(Game|Belief|rollout|load_player|play_match)\b")
"""Names in the files of a strategy that calls kernels: its process can read machine code, but keep none."""


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """Limits of a strategy. Seconds are CPU time of all its processes together.

    ``turn``: for one `take_turn`, and for what went on since the last one; ``begin``: for the constructor and `reset`;
    ``load``: for its file. By the clock each may take ``clock`` times as long, for a processor that is shared: no less than
    ``processes``, which counts threads too. ``tolerance``: what it may be late. ``grace``: what it has to answer, after the time
    of the clock or twice the CPU time, before it counts as hanging. ``memory``: bytes that all its processes together hold, and
    addresses of one process in Python; torch alone takes 600 MiB of them. ``faults``: the fault that costs the game.
    ``unsafe``: run where the machine can confine nothing.
    """

    turn: float = 1.0
    begin: float = 5.0
    load: float = 10.0
    clock: float = 10.0
    tolerance: float = 0.1
    grace: float = 0.5
    memory: int = 2048 * 2**20
    processes: int = 8
    open_files: int = 64
    file_bytes: int = 16 * 2**20
    moves: int = 10_000
    faults: int = 3
    unsafe: bool = False


class Fault(NamedTuple):
    """Fault of ``strategy`` on ``turn`` (0: before the first). ``forfeits``: "turn" or "game".

    ``kind``: "load", "begin", "late", "exception", "garbage", "flood", "crowd", "memory", "hanging" or "dead"; ``text``: the
    traceback, or what came instead of moves, and what the strategy printed last where its process is gone.
    """

    strategy: str
    turn: int
    kind: str
    forfeits: str
    text: str

    @property
    def summary(self) -> str:
        """The last line of the text, with the strategy's line that it comes from."""
        last = (self.text.strip().splitlines() or [""])[-1]
        places = [(Path(file), line) for file, line in _PLACE.findall(self.text)]
        own = [f" ({file.name}, line {line})" for file, line in places if not _FOREIGN.intersection(file.parts)]
        return last + (own or [""])[-1]


class ForfeitError(Exception):
    """The loss of a game by a fault, which is the last of the strategy's ``faults``."""


class Isolated:
    """A strategy from a file, folder, .zip or ``module:Class``, or a program, as a `GamePlayer`.

    It is loaded at once, and for every later game. Its process sees a copy of its files as they were at the beginning, and no
    other file of the user.

    `begin` must be called before every game. It and `moves` raise ForfeitError where the game is lost, and nothing else that
    the strategy could cause. ``faults``: those of this game. Close it, or use it
    in a ``with``. ``seconds``: by the clock, for the last turn. NoSandboxError where the machine cannot confine it and
    ``limits`` do not allow that.
    """

    def __init__(
        self, strategy: Player | str, limits: ResourceLimits | None = None, sandbox: Sandbox | None = None
    ) -> None:
        self.player = parse_player(strategy)
        self.limits = limits or ResourceLimits()
        self.sandbox = sandboxes.choose_sandbox(self.limits.unsafe) if sandbox is None else sandbox
        self.name, self.compete = self.player.name, True
        self.faults: list[Fault] = []
        self.seconds = 0.0
        self._supervisor: sandboxes.Supervisor | None = None
        self._process: Process | None = None
        self._broken: str | None = None
        self._side, self._turn, self._told = 0, 0, 0
        self._used, self._printed = False, ""
        self._notes: list[tuple[int | None, str]] = []
        self._task: _Task | None = None
        with contextlib.suppress(ForfeitError):
            self._start()

    def notes(self, turn: int) -> notes.TurnNotes:
        """Return the notes since the last call as those of ``turn``, with the first fault since then."""
        fault = ""
        if len(self.faults) > self._told:
            first, number, most = self.faults[self._told], self._told + 1, self.limits.faults
            which = f"fault {number} of {most}"
            if first.forfeits == "game":
                which = "the fault that costs the game" if number < most else f"{which}, which costs the game"
            fault = f"{which}, on turn {first.turn}: {first.kind}\n{first.text}".rstrip()
        self._told = len(self.faults)
        kept, self._notes = self._notes, []
        return notes.notes_of_turn(
            turn, self._side, kept, printed=self.take_printed(), fault=fault, seconds=self.seconds
        )

    def begin(self, game: Game, player: int, seed: int) -> None:
        """Begin a game, as ``player`` 1 or 2; of its graph only the map is handed on."""
        self.faults, self._side, self._turn, self._told = [], player, 0, 0
        if self._used:
            self.end()
        process, self._used = self._process or self._start(), True
        limits, rules = self.limits, replace(game.rules, max_turns=game.max_turns)
        request = protocol.begin(KnownMap.of(game.graph), player, rules, seed)
        if not process.program:
            request["limits"] = {
                "begin": limits.begin, "turn": limits.turn, "clock": limits.clock, "moves": limits.moves,
            }  # fmt: skip
        answer = self._ask(process, request, limits.begin)
        if "fault" in answer:
            self.end()
            self._lose("begin", answer.get("text", ""))

    def moves(self, game: Game) -> list[Move]:
        """Return the moves of this turn, none if the strategy forfeits it."""
        self._turn = game.turn
        process = self._process
        if process is None:
            raise RuntimeError("the strategy's game is over: begin the next one")
        answer = self._ask(process, protocol.turn(game.view(self._side)), self.limits.turn)
        self._notes, self.seconds = notes.checked_notes(answer.get("notes")), process.seconds
        if "fault" in answer:
            kind = answer["fault"]
            return self._forgive(kind if kind in ("late", "garbage") else "exception", answer.get("text", ""))
        moves: Any = answer.get("moves")
        if wrong := protocol.fault_in(moves):
            return self._forgive("garbage", f"{wrong} in the answer {clean_name(moves, 300)}")
        if len(moves) > self.limits.moves:
            self._forgive("flood", f"more than {self.limits.moves} moves, of which the first {self.limits.moves} count")
        return [Move(*move) for move in moves[: self.limits.moves]]

    def end(self) -> None:
        """End the process of this game and everything it started, so that nothing of it remains for the next one."""
        if self._process is not None:
            self._printed += self._process.take_printed()
            self._process.close()
            self._process = None

    def take_printed(self) -> str:
        """Return what the strategy printed since the last call, harmless to show; of much the end."""
        text = self._printed + (self._process.take_printed() if self._process is not None else "")
        self._printed = ""
        return clean_text(text)

    def close(self) -> None:
        """End the process and everything it started, and its supervisor."""
        self.end()
        if self._supervisor is not None:
            self._supervisor.close()
            self._supervisor = None

    def __enter__(self) -> "Isolated":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> "Process":
        """Start a process and load the strategy; a strategy that cannot be loaded is not tried again."""
        if self._broken is not None:
            self._lose("load", self._broken)
        if self._task is None:
            try:
                self._task = _task_of(self.player)
            except (OSError, ValueError) as fault:
                self._refuse(str(fault))
        limits = self.limits
        if self._task.program:
            limits = replace(limits, processes=max(limits.processes, _PROGRAM_THREADS))
        if self._supervisor is None or not self._supervisor.lives:
            self.close()
            self._supervisor = _supervise(self._task, limits, self.sandbox)
        process = Process(self._supervisor, self._task.program, limits, self.sandbox)
        try:
            answer = process.ask(protocol.HELLO, self.limits.load)
        except EndedError as ended:
            process.close()
            self._refuse(f"{ended.text}\n{_LOADING.get(ended.kind, ended.kind + ' while it was loaded')}")
        name = answer.get("name", self.name)
        fault = answer.get("text", "it gives no reason") if "fault" in answer else ""
        if not isinstance(name, str):
            fault = f"the name that it tells must be a text, not {clean_name(name)}"
        if fault:
            printed = process.take_printed()
            process.close()
            self._refuse(f"It printed:\n{printed}\n{fault}" if printed else fault)
        self.name, self.compete = clean_name(name), bool(answer.get("compete", True))
        self._process = process
        return process

    def _refuse(self, text: str) -> NoReturn:
        """Note why the strategy cannot be loaded."""
        self._broken = self._explained(clean_text(text))
        self._lose("load", self._broken)

    def _ask(self, process: "Process", request: dict[str, Any], seconds: float) -> dict[str, Any]:
        try:
            return process.ask(request, seconds)
        except EndedError as ended:
            self.end()
            self._lose(ended.kind, ended.text)

    def _forgive(self, kind: str, text: object) -> list[Move]:
        """Record a fault that costs the turn; the last fault allowed costs the game."""
        if len(self.faults) + 1 >= self.limits.faults:
            self.end()
            self._lose(kind, text)
        self._record(kind, "turn", text)
        return []

    def _lose(self, kind: str, text: object) -> NoReturn:
        self._record(kind, "game", text)
        raise ForfeitError(f"{self.name} forfeits the game on turn {self._turn}: {kind}")

    def _record(self, kind: str, forfeits: str, text: object) -> None:
        """Record a fault; its text comes from the strategy."""
        self.faults.append(Fault(self.name, self._turn, kind, forfeits, self._explained(clean_text(text))))

    def _explained(self, text: str) -> str:
        """Return the text of a fault, with a sentence on the limit where memory was missing."""
        if not _NO_MEMORY.search(text) or "--memory" in text:
            return text
        return (
            f"The limit of memory may be too small: a strategy's process has {self.limits.memory // 2**20} MiB "
            f"(--memory MIB, or ResourceLimits(memory=BYTES)).\n{text}"
        )


class _Task(NamedTuple):
    """Work of a strategy's process.

    ``command``: of a ``program`` in another language, else the arguments of worker.py after the channel; `PLACE` stands for the
    folder of its ``files``.
    """

    command: Sequence[str]
    files: Mapping[str, bytes] = {}
    program: bool = False


def _task_of(player: Player) -> _Task:
    """Read the files of a strategy; OSError or ValueError where they cannot be read."""
    source = player.files()
    if source is None:
        return _Task([player.spec])
    if source.command:
        first, *others = source.command
        own = Path(first).as_posix() in source.files
        path = f"{PLACE}/{first}" if own else str(shutil.which(first, path=os.defpath))
        return _Task([path, *others], source.files, program=True)
    if any(_COMPILED.search(data) for data in source.files.values()):
        _compile()
    return _Task([player.spec, PLACE, source.place, source.entry, source.cls], source.files)


class EndedError(Exception):
    """The end of a process, or an answer that ends it: the ``kind`` and ``text`` of the fault."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(kind, text)
        self.kind, self.text = kind, text


_LOADING = {
    "hanging": "loading does not end: look for a loop or a sleep outside of the class",
    "dead": "its process ended while it was loaded",
}


class Process:
    """A strategy's process with its channel. It is stopped (SIGSTOP) between two answers. ``seconds``: by the clock, of the last.

    The channel is a socket: of the worker a private one, of a ``program`` its standard input and output.
    """

    def __init__(
        self, supervisor: sandboxes.Supervisor, program: bool, limits: ResourceLimits, sandbox: Sandbox
    ) -> None:
        self.program, self._limits, self._supervisor = program, limits, supervisor
        self._log, self._printed, self._buffer = b"", b"", b""
        self._number, self._owed, self._used, self.seconds = -1, 0, 0.0, 0.0
        self._channel = supervisor.start()
        self._tree = ProcessTree(supervisor.process.pid, alone=HAS_FILTER and not (program or sandbox is Sandbox.NONE))

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Send a request; return the answer, with the fault "late" where it took more than ``seconds`` of CPU time allow.

        EndedError where there is none long after that time, or a senseless one. A program that is late by the clock is passed
        over, as is its answer when it comes.
        """
        start, grace = time.monotonic(), self._limits.grace
        self._until, self._most = start + seconds * self._limits.clock + grace, self._used + 2 * seconds + grace
        if not self._tree.resume():
            raise EndedError("crowd", "it began processes in the opponent's turn, when all of its own were stopped")
        self._number += 1
        self._send(protocol.encode(request if self.program else {**request, "n": self._number}))
        self._owed += 1
        line = b""
        while self._owed and (line := self._receive(request["type"])):
            self._owed -= 1
        self.seconds = time.monotonic() - start
        usage = self._tree.stop()
        if usage is None:
            raise EndedError("crowd", "its processes begin others faster than they can be stopped")
        self._check_usage(usage)
        cpu, self._used = usage.seconds - self._used, usage.seconds
        if self._owed:
            return {"fault": "late", "text": f"no answer after {self.seconds:.1f} s by the clock"}
        answer = protocol.decode(line)
        if self.program and answer is None:
            text = f'the answer to "{request["type"]}" is not a JSON object: {line[:200]!r}'
            return {"fault": "garbage", "text": text}
        if answer is None or not (self.program or answer.get("n") == self._number):
            raise EndedError(
                "garbage", f"{self._last_words()}\nno answer of the strategy's process, but {line[:300]!r}"
            )
        clock, tolerance = seconds * self._limits.clock, self._limits.tolerance
        if "fault" in answer or (cpu <= seconds + tolerance and self.seconds <= clock + tolerance):
            return answer
        text = (
            f"it took {cpu:.2f} s of CPU time where {seconds:g} s are allowed, and {self.seconds:.2f} s by the clock where "
            f"{clock:g} s are"
        )
        return {**answer, "fault": "late", "text": text}

    def take_printed(self) -> str:
        """Return what was printed since the last call, at most the last `LOG` bytes."""
        self._drain(0)
        text, self._printed = self._printed.decode(errors="replace"), b""
        return text

    def close(self) -> None:
        """Let the supervisor end all processes, and wait for it."""
        self._channel.close()
        self._supervisor.end()

    def _send(self, line: bytes) -> None:
        rest = memoryview(line)
        while rest:
            self._wait(select.POLLOUT)
            try:
                rest = rest[self._channel.send(rest, socket.MSG_DONTWAIT) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self._death("") from None

    def _receive(self, what: str) -> bytes:
        """Return the next line with its end; nothing where a program is late."""
        while b"\n" not in self._buffer:
            if len(self._buffer) > protocol.LARGEST_LINE:
                raise EndedError("garbage", f"an answer of more than {protocol.LARGEST_LINE:,} bytes")
            if not self._wait(select.POLLIN, may_be_late=self.program and what == "turn"):
                return b""
            try:
                part = self._channel.recv(1 << 16, socket.MSG_DONTWAIT)
            except BlockingIOError:
                continue
            except OSError:
                part = b""
            if not part:
                raise self._death(f' instead of an answer to "{what}"')
            self._buffer += part
        end = self._buffer.index(b"\n") + 1
        line, self._buffer = self._buffer[:end], self._buffer[end:]
        return line

    def _wait(self, event: int, may_be_late: bool = False) -> bool:
        """Wait for the channel, and read the log meanwhile, so that printing never blocks. False for one that may be late."""
        poll = select.poll()
        poll.register(self._channel, event)
        poll.register(self._supervisor.log, select.POLLIN)
        look = time.monotonic() + _LOOK
        while True:
            ready = [fd for fd, _ in poll.poll(max(0, 1000 * (look - time.monotonic())))]
            if self._supervisor.log in ready and not self._read_log():
                poll.unregister(self._supervisor.log)
            if self._channel.fileno() in ready:
                return True
            if time.monotonic() < look:
                continue
            usage, look = self._tree.usage(), time.monotonic() + _LOOK
            self._check_usage(usage)
            late = time.monotonic() > self._until
            if usage.seconds > self._most or (late and not may_be_late):
                raise EndedError("hanging", f"{self._last_words()}\nno answer in time, and no end by itself")
            if late:
                return False

    def _check_usage(self, usage: Usage) -> None:
        most, memory = self._limits.processes, self._limits.memory
        # Two processes are those of the confinement.
        if usage.tasks > most + 2:
            raise EndedError("crowd", f"more than {most} processes and threads at once")
        if usage.began > most + 2:
            raise EndedError("crowd", f"more than {most} processes began in one turn")
        if usage.memory > memory + _CONFINEMENT:
            raise EndedError(
                "memory", f"more than {memory // 2**20} MiB of memory, all its processes together (--memory)"
            )

    def _read_log(self) -> bool:
        """Read the log; False at its end."""
        try:
            part = os.read(self._supervisor.log, 1 << 16)
        except BlockingIOError:
            return True
        self._log, self._printed = (self._log + part)[-LOG:], (self._printed + part)[-LOG:]
        return bool(part)

    def _death(self, instead: str) -> EndedError:
        status = self._supervisor.status(1)
        return EndedError("dead", f"{self._last_words()}\nthe process ended with status {status}{instead}")

    def _drain(self, seconds: float) -> None:
        """Read what is in the log, for at most ``seconds``, once at least."""
        deadline = time.monotonic() + seconds
        while select.select([self._supervisor.log], [], [], 0)[0] and self._read_log() and time.monotonic() < deadline:
            pass

    def _last_words(self) -> str:
        self._drain(0.2)
        text = self._log.decode(errors="replace")
        return f"it printed last:\n{text}" if text else "it printed nothing"


def _supervise(task: _Task, limits: ResourceLimits, sandbox: Sandbox) -> sandboxes.Supervisor:
    """Start the supervisor of a strategy, with none of the owner's variables, and with limits of resources."""
    machine_code = kernel_cache.cache_folder()
    environment = {
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PLANETWARS_STRATEGY": "1",
        **({kernel_cache.READ_ONLY: machine_code} if machine_code else {}),
        # One thread, since pools count against the memory.
        **{f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")},
    }
    resources = {
        # Java and JavaScript reserve addresses that they never write to.
        "RLIMIT_DATA" if task.program else "RLIMIT_AS": limits.memory,
        "RLIMIT_NPROC": limits.processes,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_FSIZE": limits.file_bytes,
        "RLIMIT_CORE": 0,
    }
    modules = () if task.program else _WORKER
    return sandboxes.Supervisor(task.command, sandbox, task.files, modules, environment, resources)


@cache
def _compile() -> None:
    """Compile games, beliefs, rollouts and bots, which takes some seconds once per version of the package."""
    from planetwars_env.bots.belief import Belief
    from planetwars_env.bots.bot_games import rollout
    from planetwars_env.bots.catalogue import load_player
    from planetwars_env.graphs.catalogue import load_graph

    game = Game(load_graph("duel"), max_turns=4)
    belief = Belief(game.view(1), game.rules, seed=0)
    position = belief.sample()
    position.observe()
    bot = load_player("ai3")
    bot.reset(position.graph, 1, position.rules, 0)
    position.play(bot.take_turn(position.view(1)))
    rollout(position, ("ai3", "random"), turns=1)
    position.play([])
    belief.update(position.view(1))
