"""Strategies in any language: programs that read requests as lines of JSON and answer each with one (docs/languages.md)."""

import json
import os
import shlex
import subprocess
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from planetwars_env.bots.known_map import KnownMap
from planetwars_env.engine.rules import Rules
from planetwars_env.graphs.graph import Graph
from planetwars_env.view import Move, View

PREFIX = "cmd:"
"""Beginning of a player's name that stands for a program: ``cmd:./my_bot`` or ``cmd:node bot.js``."""
PROTOCOL = 1
"""Version of the protocol; a change that old programs would not survive raises it."""
_LARGEST = 2_000_000
"""Bytes of an answer."""


def command_words(name: str) -> list[str]:
    """Return the words of a command ``cmd:WORDS``, in which quotation marks work as in a shell."""
    return shlex.split(name.removeprefix(PREFIX))


def program_label(words: Sequence[str], folder: str = "") -> str:
    """Return the name of the first file or folder in a command, by which it is known until it has told its own name."""
    files = [word for word in words if Path(folder, word).exists()]
    return Path((files or words or [PREFIX])[0]).stem


class ProgramError(ValueError):
    """A program that cannot be started, has ended, or gives an answer against the protocol."""


class Program:
    """A running program. It is ended with this object."""

    def __init__(self, words: Sequence[str], folder: str) -> None:
        self._label = " ".join(words)
        own = Path(folder, words[0])
        try:
            self._process = subprocess.Popen(
                [str(own) if own.is_file() else words[0], *words[1:]],
                cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
            )  # fmt: skip
        except OSError as fault:
            raise ProgramError(f"{self._label} cannot be started: {fault.strerror or fault}") from fault
        weakref.finalize(self, _end, self._process)
        self._unsent, self._unread, self._owed = b"", b"", 0

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and return the answer to it; ProgramError for an end and for an answer that is no JSON object.

        A request may be interrupted by an exception, as one that takes too long is: its late answer is then passed over.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        self._unsent += json.dumps(request, separators=(",", ":")).encode() + b"\n"
        self._owed += 1
        try:
            while self._unsent:
                self._unsent = self._unsent[os.write(self._process.stdin.fileno(), self._unsent) :]
        except BrokenPipeError:
            raise self._ended(request) from None
        while self._owed:
            while b"\n" not in self._unread:
                part = os.read(self._process.stdout.fileno(), 1 << 16)
                if not part:
                    raise self._ended(request)
                self._unread += part
                if len(self._unread) > _LARGEST:
                    raise ProgramError(f"{self._label} answered with more than {_LARGEST:,} bytes")
            line, _, self._unread = self._unread.partition(b"\n")
            self._owed -= 1
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            shown = line[:200].decode(errors="replace")
            raise ProgramError(f'{self._label} answered "{request["type"]}" with {shown!r}, which is no JSON object')
        return answer

    def _ended(self, request: Mapping[str, Any]) -> ProgramError:
        self._owed, self._unsent = 0, b""
        try:
            status = f"status {self._process.wait(1)}"
        except subprocess.TimeoutExpired:
            status = "its output closed"
        return ProgramError(f'{self._label} ended with {status} instead of an answer to "{request["type"]}"')


def program_strategy(name: str, folder: str) -> type[Any]:
    """Return the class of strategies that the command ``name`` plays in ``folder``.

    The program is started once to ask its name, and that process plays the first game; every later game starts another.
    """
    words = command_words(name)
    ready = [_start(words, folder)]

    class ProgramStrategy:
        """One game of a program."""

        name = ready[0][1]

        def __init__(self) -> None:
            self._program, _ = ready.pop() if ready else _start(words, folder)

        def reset(self, graph: Graph | KnownMap, player: int, rules: Rules, seed: int) -> None:
            """Tell the program of its game."""
            known = graph if isinstance(graph, KnownMap) else KnownMap.of(graph)
            self._program.ask(
                {
                    "type": "begin",
                    "player": player,
                    "rules": {
                        "name": rules.name,
                        "coexistence": rules.coexistence,
                        "turns_per_weight": rules.turns_per_weight,
                        "max_turns": rules.max_turns,
                    },
                    "seed": seed,
                    "planets": [{"id": one.id, "x": one.x, "y": one.y} for one in known.planets],
                    "edges": [{"a": one.a, "b": one.b, "weight": one.weight} for one in known.edges],
                }
            )

        def take_turn(self, view: View) -> list[Move]:
            """Return the program's moves as it wrote them; the caller checks their form."""
            answer = self._program.ask(
                {
                    "type": "turn",
                    "turn": view.turn,
                    "planets": [
                        {
                            "id": one.id,
                            "owner": one.owner,
                            "people": one.people,
                            "size": one.size,
                            "habitability": one.habitability,
                            "base": one.base,
                        }
                        for one in view.planets
                        if one.visible
                    ],
                    "shuttles": [one._asdict() for one in view.shuttles],
                }
            )
            if not isinstance(answer.get("moves"), list):
                raise ProgramError(f'the answer to "turn" has no list "moves": {answer!r:.200}')
            return answer["moves"]

    return ProgramStrategy


def _start(words: Sequence[str], folder: str) -> tuple[Program, str]:
    program = Program(words, folder)
    answer = program.ask({"type": "hello", "protocol": PROTOCOL})
    name = answer.get("name", program_label(words, folder))
    if not isinstance(name, str):
        raise ProgramError(f"the name that {words[0]} tells must be a text, not {name!r:.100}")
    return program, name


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a program that no strategy plays with any more."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
