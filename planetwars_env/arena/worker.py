"""Worker process of an isolated strategy, started by confinement/supervisor.py: ``python -m ...worker CHANNEL STRATEGY ...``.

It reads requests from the channel, a socket, and answers with one line each (bots/protocol.py). It plays one game:
a process for each keeps games from knowing of each other. Output goes to the log of the owner. The owner
trusts nothing in this process, since the strategy may change it.
"""

import faulthandler
import linecache
import os
import random
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from itertools import islice
from operator import index
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from planetwars_env.bots import loading, protocol
from planetwars_env.bots.notes import take_notes
from planetwars_env.bots.source_files import SourceFiles
from planetwars_env.bots.strategy import player_competes, player_name
from planetwars_env.engine.rules import Rules

_CALLERS = (__file__, loading.__file__, "<frozen importlib")
"""Files whose lines call a strategy and say nothing about it."""


class TooLateError(BaseException):
    """The end of the time for a turn, raised inside the strategy by a signal."""


class NoMoveError(Exception):
    """An answer of the strategy that is not a list of moves."""


def main(channel: int, strategy: str, *files: str) -> None:
    """Load the strategy and play its game, until the channel is closed.

    ``files``: the folder with its files, where they came from, the file to import, and its class or "" (`SourceFiles`).
    """
    faulthandler.enable()
    link = socket.socket(fileno=channel)
    link.set_inheritable(False)
    requests = link.makefile("rb")

    def next_request() -> dict[str, Any]:
        line = requests.readline()
        return (protocol.decode(line) or {}) if line else {}

    def answer(request: dict[str, Any], said: dict[str, Any]) -> None:
        link.sendall(protocol.encode({"n": request["n"], **said}))

    _seed_everything(0)
    if not (hello := next_request()):
        return
    try:
        make = _load(strategy, *files)
        answer(hello, {"name": player_name(make), "compete": player_competes(make)})
    except BaseException:
        answer(hello, {"fault": "import", "text": _traceback()})
        return
    if not (begin := next_request()):
        return
    for number in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(number, _too_late)
    known, limits = protocol.read_map(begin), begin["limits"]

    def start() -> Any:
        strategy = make()
        if hasattr(strategy, "reset"):
            strategy.reset(known, begin["player"], Rules(**begin["rules"]), begin["seed"])
        return strategy

    _seed_everything(begin["seed"])
    player, fault = _timed(start, limits["begin"], limits["clock"])
    answer(begin, fault)
    while player is not None and (request := next_request()):
        view = protocol.read_view(request, known, begin["player"])
        moves, fault = _timed(
            lambda view=view: _plain(player.take_turn(view), limits["moves"] + 1), limits["turn"], limits["clock"]
        )
        notes = take_notes(player)
        answer(request, {**(fault if moves is None else {"moves": moves}), **({"notes": notes} if notes else {})})


def _load(strategy: str, folder: str = "", place: str = "", entry: str = "", cls: str = "") -> Any:
    """Return the class that plays; ValueError for one that cannot play here."""
    if folder:
        paths = [Path(parent, name).relative_to(folder) for parent, _, names in os.walk(folder) for name in names]
        files = {path.as_posix(): b"" for path in paths}
        for path in (one for one in files if one.endswith(".py")):  # tracebacks look under the name that the user knows
            lines = Path(folder, path).read_text(errors="replace").splitlines(keepends=True)
            linecache.cache[str(Path(place, path))] = len(lines), None, lines, path
        make = loading.load_from_folder(strategy, folder, SourceFiles(place, entry, cls, files))
    else:
        make = loading.load_strategy(strategy, None)
    if isinstance(make, type) and not hasattr(make, "take_turn"):
        raise ValueError(f"{strategy} holds a policy, and only strategies play in a process of their own: --in-process")
    return make


def _plain(moves: Any, most: int) -> list[list[int]]:
    """Return the first ``most`` moves in whole numbers; NoMoveError for anything else. Errors of a generator are raised."""
    try:
        iterator = iter(moves)
    except TypeError:
        raise NoMoveError(f"take_turn returned {moves!r:.200}, which is not a list of moves") from None
    plain = []
    for move in islice(iterator, most):
        try:
            source, destination, people = (index(number) for number in move)
        except (TypeError, ValueError):
            raise NoMoveError(
                f"{move!r:.200} is not a move: return (source, destination, people), three integers"
            ) from None
        if max(abs(source), abs(destination), abs(people)) >= protocol.FARTHEST:
            raise NoMoveError("a move holds a number beyond 64 bits")
        plain.append([source, destination, people])
    return plain


def _timed(act: Callable[[], Any], seconds: float, clock: float) -> tuple[Any, dict[str, Any]]:
    """Return the result of ``act``, or None and its fault.

    It has ``seconds`` of CPU time, and ``clock`` times as many on the wall clock.
    """
    try:
        try:
            signal.setitimer(signal.ITIMER_PROF, seconds)
            signal.setitimer(signal.ITIMER_REAL, seconds * clock)
            return act(), {}
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
    except TooLateError:
        return None, {"fault": "late", "text": _traceback()}
    except NoMoveError as fault:
        return None, {"fault": "garbage", "text": str(fault)}
    except BaseException:
        return None, {"fault": "exception", "text": _traceback()}


def _traceback() -> str:
    """Return the text of the current exception from the strategy's first line on, without the lines that called it."""
    error = traceback.TracebackException(*sys.exc_info())  # type: ignore[arg-type]
    one: traceback.TracebackException | None = error
    while one is not None:
        own = [frame for frame in one.stack if not frame.filename.startswith(_CALLERS)]
        one.stack = traceback.StackSummary.from_list(own)
        one = one.__cause__ or one.__context__
    return "".join(error.format() if error.stack else error.format_exception_only())


def _too_late(number: int, frame: FrameType | None) -> NoReturn:
    raise TooLateError("the time for this turn is over")


def _seed_everything(seed: int) -> None:
    """Seed the global random number generators of Python and NumPy, for strategies that use them."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
