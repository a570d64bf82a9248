"""Isolation of strategies from files: each game runs in its own process, which gets the map and views and returns moves.

A fault costs the turn or the game by the rules of docs/isolation.md, and is recorded as a `Fault`. A supervisor
(confinement/) starts the process and ends it with everything it started; worker.py runs inside.
"""

import contextlib
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from planetwars_env.arena import protocol
from planetwars_env.arena.machine_code import compile_for
from planetwars_env.arena.process import EndedError, Process, ResourceLimits, Spent
from planetwars_env.arena.sandbox import Sandbox, choose_sandbox
from planetwars_env.bots.known_map import KnownMap
from planetwars_env.bots.notes import checked_notes
from planetwars_env.bots.source_files import canonical_source, read_source, source_label
from planetwars_env.engine.rules import Rules
from planetwars_env.graphs.graph import Graph
from planetwars_env.text import clean_name, clean_text
from planetwars_env.view import Move, View

__all__ = ["Fault", "ForfeitError", "Isolated", "ResourceLimits"]


_PLACE = re.compile(r'^ *File "([^"\n]+)", line (\d+)', re.MULTILINE)
_FOREIGN = frozenset({"site-packages", "planetwars_env", f"python{sys.version_info[0]}.{sys.version_info[1]}"})
"""Folders of code that is not the strategy's."""


class Fault(NamedTuple):
    """Fault of ``strategy`` on ``turn`` (0: before the first). ``forfeits``: "turn" or "game".

    ``kind``: "load", "begin", "late", "exception", "garbage", "flood", "crowd", "hanging" or "dead"; ``text``: the
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
    """A strategy from a file, folder, .zip or ``module:Class``, as a `Strategy`; it is loaded at once, and for every later game.

    Its process sees a copy of its files as they were at the beginning, and no other file of the user.

    `reset` begins a game and must be called before every one. `reset` and `take_turn` raise ForfeitError where the game is
    lost, and nothing else that the strategy could cause. ``faults``: those of this game. Close it, or use it in a ``with``.
    ``seconds``: by the clock, for the last turn. NoSandboxError where the machine cannot confine it and ``limits`` do not
    allow that.
    """

    def __init__(self, strategy: str, limits: ResourceLimits | None = None, sandbox: Sandbox | None = None) -> None:
        self.strategy = canonical_source(strategy)
        self.limits = limits or ResourceLimits()
        self.sandbox = choose_sandbox(self.limits.unsafe) if sandbox is None else sandbox
        self.name = source_label(strategy)
        self.compete = True
        self.faults: list[Fault] = []
        self._process: Process | None = None
        self._broken: str | None = None
        self._turn = 0
        self._used, self._printed = False, ""
        self._notes: list[tuple[int | None, str]] = []
        self.seconds = 0.0
        self._files = contextlib.ExitStack()
        self._told: list[str] | None = None
        with contextlib.suppress(ForfeitError):
            self._start()

    def reset(self, graph: Graph | KnownMap, player: int, rules: Rules, seed: int) -> None:
        """Begin a game; of the graph only its known_map is handed on."""
        self.faults, self._turn = [], 0
        if self._used:
            self.end_game()
        process, self._used = self._process or self._start(), True
        limits = self.limits
        begin = {
            "known_map": protocol.write_map(graph if isinstance(graph, KnownMap) else KnownMap.of(graph)),
            "player": player,
            "rules": [rules.name, rules.coexistence, rules.turns_per_weight, rules.max_turns],
            "seed": seed,
            "seconds": limits.begin,
            "turn_seconds": limits.turn,
            "clock": limits.clock,
            "most_moves": limits.moves,
        }
        answer, spent = self._ask(process, {"begin": begin}, limits.begin)
        late = self._lateness(spent, limits.begin)
        if "fault" in answer or late:
            self.end_game()
            self._lose("begin", answer.get("text", "") or late)

    def take_turn(self, view: View) -> list[Move]:
        """Return the strategy's moves, none if it forfeits the turn."""
        self._turn = view.turn
        process = self._process
        if process is None:
            raise RuntimeError("the strategy's game is over: reset begins the next one")
        answer, spent = self._ask(process, {"turn": protocol.write_view(view)}, self.limits.turn)
        self._notes, self.seconds = checked_notes(answer.get("notes")), spent.clock
        if "fault" in answer:
            kind = answer["fault"]
            return self._forgive(kind if kind in ("late", "garbage") else "exception", answer.get("text", ""))
        if late := self._lateness(spent, self.limits.turn):
            return self._forgive("late", late)
        return self._checked(answer.get("moves"))

    def end_game(self) -> None:
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

    def take_notes(self) -> list[tuple[int | None, str]]:
        """Return the notes of the last turn (bots/notes.py), and forget them."""
        notes, self._notes = self._notes, []
        return notes

    def close(self) -> None:
        """End the process and everything it started, and remove the copy of the files."""
        self.end_game()
        self._files.close()
        self._told = None

    def __enter__(self) -> "Isolated":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> "Process":
        """Start a process and load the strategy; a strategy that cannot be loaded is not tried again."""
        if self._broken is not None:
            self._lose("load", self._broken)
        process = Process(self._unpacked(), self.limits, self.sandbox)
        try:
            answer, spent = process.ask(None, self.limits.load)
        except EndedError as ended:
            process.close()
            self._broken = f"{ended.args[0]} while it was loaded\n{ended.args[1]}"
            self._lose("load", self._broken)
        late = self._lateness(spent, self.limits.load)
        if "fault" in answer or late:
            printed = process.take_printed()
            process.close()
            text = answer.get("text", "") or late
            self._broken = clean_text(f"{text}\nIt printed:\n{printed}" if printed else text)
            self._lose("load", self._broken)
        self.name, self.compete = clean_name(answer.get("name", self.name)), bool(answer.get("compete", True))
        self._process = process
        return process

    def _unpacked(self) -> list[str]:
        """Return the worker's arguments, once the files have been copied to a folder of their own."""
        from planetwars_env.arena.confinement.folders import temporary_folder  # not there on Windows

        if self._told is None:
            try:
                source = read_source(self.strategy)
            except (OSError, ValueError) as fault:
                self._broken = clean_text(fault)
                self._lose("load", self._broken)
            self._told = [self.strategy]
            if source is not None:
                compile_for(source.files.values())
                folder = self._files.enter_context(temporary_folder(tempfile.gettempdir()))
                source.write_to(folder)
                self._told += [folder, source.place, source.entry, source.cls]
        return self._told

    def _ask(self, process: "Process", request: dict[str, Any], seconds: float) -> tuple[dict[str, Any], Spent]:
        try:
            return process.ask(request, seconds)
        except EndedError as ended:
            self.end_game()
            self._lose(*ended.args)

    def _lateness(self, spent: Spent, seconds: float) -> str:
        """Return a sentence on a time limit that was exceeded, empty if none was."""
        limits = self.limits
        clock = seconds * limits.clock
        if spent.cpu <= seconds + limits.tolerance and spent.clock <= clock + limits.tolerance:
            return ""
        return (
            f"it took {spent.cpu:.2f} s of CPU time where {seconds:g} s are allowed, and {spent.clock:.2f} s by the clock "
            f"where {clock:g} s are"
        )

    def _checked(self, moves: Any) -> list[Move]:
        """Return the moves if they are lists of three whole numbers of at most 64 bits."""
        wrong = _fault_in(moves)
        if wrong:
            return self._forgive("garbage", f"{wrong} in the answer {clean_name(moves, 300)}")
        if len(moves) > self.limits.moves:
            self._forgive("flood", f"more than {self.limits.moves} moves, of which the first {self.limits.moves} count")
        return [Move(*move) for move in moves[: self.limits.moves]]

    def _forgive(self, kind: str, text: object) -> list[Move]:
        """Record a fault that costs the turn; the last fault allowed costs the game."""
        if len(self.faults) + 1 >= self.limits.faults:
            self.end_game()
            self._lose(kind, text)
        self._record(kind, "turn", text)
        return []

    def _record(self, kind: str, forfeits: str, text: object) -> None:
        """Record a fault; its text comes from the strategy."""
        self.faults.append(Fault(self.name, self._turn, kind, forfeits, clean_text(text)))

    def _lose(self, kind: str, text: object) -> NoReturn:
        self._record(kind, "game", text)
        raise ForfeitError(f"{self.name} forfeits the game on turn {self._turn}: {kind}")


def _fault_in(moves: Any) -> str:
    """Return the fault in the form of an answer, empty for moves; whether they are legal is for the game."""
    if not isinstance(moves, list):
        return "no list of moves"
    for move in moves:
        if not isinstance(move, list) or len(move) != 3:
            return f"{clean_name(move)} is no move"
        if not all(type(number) is int and abs(number) < protocol.FARTHEST for number in move):
            return f"{clean_name(move)} is no move of three whole numbers of 64 bits"
    return ""
