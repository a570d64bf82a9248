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
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from planetwars_env.arena.confinement.processes import ProcessTree, Usage
from planetwars_env.arena.confinement.supervisor import PLACE
from planetwars_env.arena.sandbox import Sandbox, Supervisor, choose_sandbox
from planetwars_env.bots import notes, protocol
from planetwars_env.bots.catalogue import Kind, Player, parse_player
from planetwars_env.engine import kernel_cache
from planetwars_env.game import Game
from planetwars_env.text import clean_name, clean_text
from planetwars_env.view import KnownMap, Move

_WORKER = ("planetwars_env.arena.worker", "numpy")
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


class Isolated(contextlib.AbstractContextManager["Isolated", None]):
    """A strategy from a file, folder, .zip or ``module:Class``, or a program, as a `GamePlayer`.

    It is loaded at once, and for every later game. Its process sees a copy of its files as they were at the beginning, and no
    other file of the user.

    `begin` must be called before every game. It and `moves` raise ForfeitError where the game is lost, and nothing else that
    the strategy could cause. ``faults``: those of this game. ``seconds``: by the clock, for the last turn. Close it, or use it
    in a ``with``. NoSandboxError where the machine cannot confine it and ``limits`` do not allow that.
    """

    def __init__(
        self, strategy: Player | str, limits: ResourceLimits | None = None, sandbox: Sandbox | None = None
    ) -> None:
        self.player = parse_player(strategy)
        self.limits = limits or ResourceLimits()
        if self.player.kind is Kind.PROGRAM:
            self.limits = replace(self.limits, processes=max(self.limits.processes, _PROGRAM_THREADS))
        self.sandbox = choose_sandbox(self.limits.unsafe) if sandbox is None else sandbox
        self.name, self.compete = self.player.name, True
        self.faults: list[Fault] = []
        self.seconds = 0.0
        self._supervise: Callable[[], Supervisor] | None = None
        self._supervisor: Supervisor | None = None
        self._process: Process | None = None
        self._broken: object = ""
        self._side, self._turn, self._told, self._used = 0, 0, 0, False
        self._notes: list[tuple[int | None, str]] = []
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
        printed = self.take_printed()
        return notes.notes_of_turn(turn, self._side, kept, printed=printed, fault=fault, seconds=self.seconds)

    def begin(self, game: Game, player: int, seed: int) -> None:
        """Begin a game, as ``player`` 1 or 2; of its graph only the map is handed on."""
        self.faults, self._side, self._turn, self._told = [], player, 0, 0
        if self._used:
            self.end()
        process, self._used = self._process or self._start(), True
        limits, rules = self.limits, replace(game.rules, max_turns=game.max_turns)
        request = protocol.begin(KnownMap.of(game.graph), player, rules, seed)
        if self.player.kind is not Kind.PROGRAM:
            request["limits"] = {name: getattr(limits, name) for name in ("begin", "turn", "clock", "moves")}
        answer = self._ask(process, request, limits.begin)
        if "fault" in answer:
            raise self._lost("begin", answer.get("text", ""))

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
            self._process.close()
            self._process = None

    def take_printed(self) -> str:
        """Return what the strategy printed since the last call, harmless to show; of much the end."""
        if self._supervisor is None:
            return ""
        text, self._supervisor.printed = self._supervisor.said(), b""
        return clean_text(text)

    def close(self) -> None:
        """End the process and everything it started, and its supervisor."""
        self.end()
        if self._supervisor is not None:
            self._supervisor.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> "Process":
        """Start a process and load the strategy; a strategy that cannot be loaded is not tried again."""
        try:
            self._supervise = self._supervise or _supervision(self.player, self.limits, self.sandbox)
        except (OSError, ValueError) as problem:
            self._broken = problem
        if self._broken or self._supervise is None:
            raise self._lost("load", self._broken)
        if self._supervisor is None or not self._supervisor.lives:
            self.close()
            self._supervisor = self._supervise()
        process = self._process = Process(self._supervisor, self.limits)
        try:
            answer = process.ask(protocol.HELLO, self.limits.load)
        except EndedError as ended:
            kind, text = ended.args
            hint = "loading does not end: look for a loop or a sleep outside of the class"
            self._broken = f"{text}\n{hint if kind == 'hanging' else f'{kind} while it was loaded'}"
        else:
            name = answer.get("name", self.name)
            if "fault" not in answer and isinstance(name, str):
                self.name, self.compete = clean_name(name), bool(answer.get("compete", True))
                return process
            wrong = f"the name that it tells must be a text, not {clean_name(name)}"
            fault = (answer.get("text") or "it gives no reason") if "fault" in answer else wrong
            printed = self.take_printed()
            self._broken = f"It printed:\n{printed}\n{fault}" if printed else fault
        raise self._lost("load", self._broken)

    def _ask(self, process: "Process", request: dict[str, Any], seconds: float) -> dict[str, Any]:
        try:
            return process.ask(request, seconds)
        except EndedError as ended:
            raise self._lost(*ended.args) from None

    def _forgive(self, kind: str, text: object) -> list[Move]:
        """Record a fault that costs the turn; the last fault allowed costs the game."""
        if len(self.faults) + 1 >= self.limits.faults:
            raise self._lost(kind, text)
        self._record(kind, "turn", text)
        return []

    def _lost(self, kind: str, text: object) -> ForfeitError:
        """End the game by a fault, and return the error to raise."""
        self.end()
        self._record(kind, "game", text)
        return ForfeitError(f"{self.name} forfeits the game on turn {self._turn}: {kind}")

    def _record(self, kind: str, forfeits: str, text: object) -> None:
        """Record a fault; its text comes from the strategy. It gets a sentence on the limit where memory was missing."""
        text = clean_text(text)
        if _NO_MEMORY.search(text) and "--memory" not in text:
            text = (
                f"The limit of memory may be too small: a strategy's process has {self.limits.memory // 2**20} MiB "
                f"(--memory MIB, or ResourceLimits(memory=BYTES)).\n{text}"
            )
        self.faults.append(Fault(self.name, self._turn, kind, forfeits, text))


class EndedError(Exception):
    """The end of a process, or an answer that ends it, with the kind and the text of the fault."""


class Process:
    """A strategy's process with its channel. It is stopped (SIGSTOP) between two answers. ``seconds``: by the clock, of the last.

    The channel is a socket: of the worker a private one, of a program its standard input and output.
    """

    def __init__(self, supervisor: Supervisor, limits: ResourceLimits) -> None:
        self._supervisor, self._limits, self._channel = supervisor, limits, supervisor.start()
        self._tree = ProcessTree(supervisor.process.pid, supervisor.alone)
        self._buffer, self._number, self._owed, self._used, self.seconds = b"", -1, 0, 0.0, 0.0

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Send a request; return the answer, with the fault "late" where it took more than ``seconds`` of CPU time allow.

        EndedError where there is none long after that time, or a senseless one. A program that is late by the clock is passed
        over, as is its answer when it comes.
        """
        start, program = time.monotonic(), self._supervisor.program
        clock, tolerance, grace = seconds * self._limits.clock, self._limits.tolerance, self._limits.grace
        if not self._tree.resume():
            raise self._ended("crowd", "it began processes in the opponent's turn, when all of its own were stopped")
        self._number += 1
        self._owed += 1
        if not program:
            request = {**request, "n": self._number}
        line = self._exchange(request, start + clock + grace, self._used + 2 * seconds + grace)
        self.seconds = time.monotonic() - start
        usage = self._tree.stop()
        if usage is None:
            raise self._ended("crowd", "its processes begin others faster than they can be stopped")
        self._check(usage)
        cpu, self._used = usage.seconds - self._used, usage.seconds
        if not line:
            return {"fault": "late", "text": f"no answer after {self.seconds:.1f} s by the clock"}
        answer = protocol.decode(line)
        if program and answer is None:
            text = f'the answer to "{request["type"]}" is not a JSON object: {line[:200]!r}'
            return {"fault": "garbage", "text": text}
        if answer is None or not (program or answer.get("n") == self._number):
            raise self._ended("garbage", f"no answer of the strategy's process, but {line[:300]!r}")
        if "fault" in answer or (cpu <= seconds + tolerance and self.seconds <= clock + tolerance):
            return answer
        text = f"it took {cpu:.2f} of {seconds:g} s of CPU time, and {self.seconds:.2f} of {clock:g} s by the clock"
        return {**answer, "fault": "late", "text": text}

    def close(self) -> None:
        """Let the supervisor end all processes, and wait for it."""
        self._channel.close()
        self._supervisor.end()

    def _exchange(self, request: dict[str, Any], until: float, most: float) -> bytes:
        """Send a request and return its answer with the end of the line, nothing where a program is late with its moves.

        ``until``: by the clock; ``most``: CPU seconds since the beginning. The log is read meanwhile, so that printing
        never blocks.
        """
        rest, look = memoryview(protocol.encode(request)), time.monotonic() + _LOOK
        channel, log, poll = self._channel, self._supervisor.log, select.poll()
        poll.register(log, select.POLLIN)
        while True:
            while not rest and (end := self._buffer.find(b"\n") + 1):
                line, self._buffer = self._buffer[:end], self._buffer[end:]
                self._owed -= 1
                if not self._owed:
                    return line
            if len(self._buffer) > protocol.LARGEST_LINE:
                raise self._ended("garbage", f"an answer of more than {protocol.LARGEST_LINE:,} bytes")
            poll.register(channel, select.POLLOUT if rest else select.POLLIN)
            ready = [fd for fd, _ in poll.poll(max(0, 1000 * (look - time.monotonic())))]
            if log.fileno() in ready and not self._supervisor.read_log():
                poll.unregister(log)
            if channel.fileno() in ready:
                moved = 0
                with contextlib.suppress(OSError):
                    if rest:
                        moved = channel.send(rest, socket.MSG_DONTWAIT)
                        rest = rest[moved:]
                    else:
                        part = channel.recv(1 << 16)
                        self._buffer, moved = self._buffer + part, len(part)
                if not moved:
                    what = f'with status {self._supervisor.status(1)} instead of an answer to "{request["type"]}"'
                    raise self._ended("dead", f"the process ended {what}")
            if time.monotonic() >= look:
                usage, look = self._tree.usage(), time.monotonic() + _LOOK
                self._check(usage)
                late = time.monotonic() > until
                may_be_late = self._supervisor.program and request["type"] == "turn" and not rest
                if usage.seconds > most or (late and not may_be_late):
                    raise self._ended("hanging", "no answer in time, and no end by itself")
                if late:
                    return b""

    def _check(self, usage: Usage) -> None:
        most, memory = self._limits.processes, self._limits.memory
        # Two processes are those of the confinement.
        if usage.tasks > most + 2:
            raise self._ended("crowd", f"more than {most} processes and threads at once")
        if len(self._tree.began) > most + 2:
            raise self._ended("crowd", f"more than {most} processes began in one turn")
        if usage.memory > memory + _CONFINEMENT:
            raise self._ended(
                "memory", f"more than {memory // 2**20} MiB of memory, all its processes together (--memory)"
            )

    def _ended(self, kind: str, text: str) -> EndedError:
        """Return the error to raise, with what was printed last."""
        printed = self._supervisor.said()
        return EndedError(kind, f"it printed last:\n{printed}\n{text}" if printed else f"it printed nothing\n{text}")


def _supervision(player: Player, limits: ResourceLimits, sandbox: Sandbox) -> Callable[[], Supervisor]:
    """Read the files of a strategy, and return what starts its supervisor. OSError or ValueError where they cannot be read.

    It gets none of the owner's variables, and limits of resources.
    """
    source = player.files()
    command, files, modules = [player.spec], source.files if source else {}, _WORKER
    if source and source.command:
        first, *others = source.command
        own = Path(first).as_posix() in files
        command = [f"{PLACE}/{first}" if own else str(shutil.which(first, path=os.defpath)), *others]
        modules = ()
    elif source:
        command += [PLACE, source.place, source.entry, source.cls]
        if any(_COMPILED.search(data) for data in files.values()):
            _compile()
    environment = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "PLANETWARS_STRATEGY": "1"}
    for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):  # one thread, since pools count against the memory
        environment[f"{library}_NUM_THREADS"] = "1"
    if machine_code := kernel_cache.cache_folder():
        environment[kernel_cache.READ_ONLY] = machine_code
    resources = {
        # Java and JavaScript reserve addresses that they never write to.
        "RLIMIT_AS" if modules else "RLIMIT_DATA": limits.memory,
        "RLIMIT_NPROC": limits.processes,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_FSIZE": limits.file_bytes,
        "RLIMIT_CORE": 0,
    }
    return partial(Supervisor, command, sandbox, files, modules, environment, resources)


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
