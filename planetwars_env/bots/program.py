"""Strategies in any language: programs that answer the lines of protocol.py (docs/languages.md)."""

import shlex
import subprocess
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from planetwars_env.bots import protocol
from planetwars_env.engine.rules import Rules
from planetwars_env.graphs.graph import Graph
from planetwars_env.text import clean_name
from planetwars_env.view import KnownMap, Move, View


def command_words(name: str) -> list[str]:
    """Return the words of a command ``cmd:WORDS``, in which quotation marks work as in a shell."""
    return shlex.split(name.removeprefix("cmd:"))


def program_label(words: Sequence[str], folder: str = "") -> str:
    """Return the name of the first file or folder in a command, by which it is known until it has told its own name."""
    files = [word for word in words if Path(folder, word).exists()]
    return clean_name(Path((files or words or ["program"])[0]).stem)


class ProgramError(ValueError):
    """A program that cannot be started, has ended, or gives an answer against the protocol."""


class Program:
    """A program that runs in this process's care, without limits. It is ended with this object."""

    def __init__(self, words: Sequence[str], folder: str) -> None:
        self._label = " ".join(words)
        own = Path(folder, words[0])
        try:
            command, pipe = [str(own) if own.is_file() else words[0], *words[1:]], subprocess.PIPE
            self._process = subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe)
        except OSError as fault:
            raise ProgramError(f"{self._label} cannot be started: {fault.strerror or fault}") from fault
        weakref.finalize(self, self._end, self._process)
        self.name = self.ask(protocol.HELLO).get("name", program_label(words, folder))
        if not isinstance(self.name, str):
            raise ProgramError(f"the name that {words[0]} tells must be a text, not {self.name!r:.100}")

    @staticmethod
    def _end(process: "subprocess.Popen[bytes]") -> None:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and return the answer to it; ProgramError for an end and for an answer that is not a JSON object."""
        assert self._process.stdin is not None and self._process.stdout is not None
        line = b""
        try:
            self._process.stdin.write(protocol.encode(request))
            self._process.stdin.flush()
            line = self._process.stdout.readline(protocol.LARGEST_LINE + 1)
        except BrokenPipeError:
            pass
        what = f'to "{request["type"]}"'
        if len(line) > protocol.LARGEST_LINE:
            raise ProgramError(f"{self._label} answered {what} with more than {protocol.LARGEST_LINE:,} bytes")
        if not line.endswith(b"\n"):
            try:
                status = f"status {self._process.wait(1)}"
            except subprocess.TimeoutExpired:
                status = "its output closed"
            raise ProgramError(f"{self._label} ended with {status} instead of an answer {what}")
        answer = protocol.decode(line)
        if answer is None:
            raise ProgramError(f"{self._label} answered {what} with {line[:200]!r}, which is not a JSON object")
        return answer


def program_strategy(words: Sequence[str], folder: str) -> type[Any]:
    """Return the class of strategies that a command plays; the process that was asked its name plays the first game."""
    ready = [Program(words, folder)]

    class ProgramStrategy:
        name = ready[0].name

        def __init__(self) -> None:
            self._program = ready.pop() if ready else Program(words, folder)

        def reset(self, graph: Graph | KnownMap, player: int, rules: Rules, seed: int) -> None:
            known = graph if isinstance(graph, KnownMap) else KnownMap.of(graph)
            self._program.ask(protocol.begin(known, player, rules, seed))

        def take_turn(self, view: View) -> list[Move]:
            answer = self._program.ask(protocol.turn(view))
            if fault := protocol.fault_in(answer.get("moves")):
                raise ProgramError(f"{fault}; the program answered {answer!r:.200}")
            return [Move(*move) for move in answer["moves"]]

    return ProgramStrategy
