"""Worker process of an isolated strategy, started by confinement/supervisor.py: ``python -m ...worker CHANNEL STRATEGY ...``.

It reads requests from the channel, a socket, and answers with one line each (bots/protocol.py). It plays one game:
a process for each keeps games from knowing of each other. Output goes to the log of the owner. The owner
trusts nothing in this process, since the strategy may change it.
"""

import faulthandler
import linecache
import random
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Iterable
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
    """A result of the strategy that is not a list of moves."""


def main(channel: int, strategy: str, folder: str = "", place: str = "", entry: str = "", cls: str = "") -> None:
    """Load the strategy and play its game, until the channel is closed.

    ``folder``: with its files; ``place``, ``entry``, ``cls``: as in `SourceFiles`. Without them it is an installed module.
    """
    faulthandler.enable()
    link = socket.socket(fileno=channel)
    link.set_inheritable(False)
    requests = link.makefile("rb")

    def next_request() -> dict[str, Any]:
        return protocol.decode(requests.readline()) or {}

    def answer(request: dict[str, Any], said: dict[str, Any]) -> None:
        link.sendall(protocol.encode({"n": request["n"], **said}))

    _seed_everything(0)
    if not (hello := next_request()):
        return
    try:
        if folder:
            files = {path.relative_to(folder).as_posix(): b"" for path in Path(folder).rglob("*") if path.is_file()}
            for path in files:  # tracebacks look under the name that the user knows
                if path.endswith(".py"):
                    lines = Path(folder, path).read_text(errors="replace").splitlines(keepends=True)
                    linecache.cache[str(Path(place, path))] = len(lines), None, lines, path
            make = loading.load_from_folder(strategy, folder, SourceFiles(place, entry, cls, files))
        else:
            make = loading.load_strategy(strategy, None)
        if isinstance(make, type) and not hasattr(make, "take_turn"):
            raise ValueError(f"{strategy} holds a policy; only strategies play in a process of their own: --in-process")
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
    player, fault = _timed(limits, "begin", start)
    answer(begin, fault)
    while player is not None and (request := next_request()):
        view = protocol.read_view(request, known, begin["player"])
        moves, fault = _timed(limits, "turn", lambda view=view: _plain(player.take_turn(view), limits["moves"] + 1))
        notes = take_notes(player)
        answer(request, {**(fault if moves is None else {"moves": moves}), **({"notes": notes} if notes else {})})


def _plain(moves: Any, most: int) -> list[list[int]]:
    """Return the first ``most`` moves in whole numbers; NoMoveError for anything else. Errors of a generator are raised."""
    if not isinstance(moves, Iterable):
        raise NoMoveError(f"take_turn returned {moves!r:.200}, which is not a list of moves")
    plain: list[list[int]] = []
    for move in islice(moves, most):
        try:
            source, destination, people = map(index, move)
        except (TypeError, ValueError):
            raise NoMoveError(f"{move!r:.200} is not a move (source, destination, people) of three integers") from None
        plain.append([source, destination, people])
        if any(abs(number) >= protocol.FARTHEST for number in plain[-1]):
            raise NoMoveError("a move holds a number beyond 64 bits")
    return plain


def _timed(limits: dict[str, float], name: str, act: Callable[[], Any]) -> tuple[Any, dict[str, Any]]:
    """Return the result of ``act``, or None and its fault; ``name``: of its limit in CPU seconds."""
    try:
        try:
            signal.setitimer(signal.ITIMER_PROF, limits[name])
            signal.setitimer(signal.ITIMER_REAL, limits[name] * limits["clock"])
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
