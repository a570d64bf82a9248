"""Supervisor of one strategy: starts a confined process for each of its games, and ends all processes that it started.

`Supervisor` of sandbox.py starts it as a program. Standard input is a socket: first come its plan, a line of JSON,
and the strategy's files; then for each game a byte with the channel of the strategy, and a byte for its end. It answers
each game with one byte, the exit status, when nothing of the game is left. At the end of the socket, or of its owner, it kills
every descendant, those that left its process group included, and ends. It runs no foreign code itself. So a strategy in Python
begins as a copy of it, with the modules of the worker already loaded.
"""

import contextlib
import fcntl
import gc
import json
import os
import resource
import select
import shutil
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from . import walls
from .processes import PDEATHSIG, kill_descendants, prctl

PLACE = "@FILES@"
"""Stands in the plan for the folder of the strategy's files."""
_PREFIX = "planetwars-strategy-"
"""Prefix of these folders alone: whatever else in the same place begins with "planetwars-" belongs to the user."""
_SUBREAPER, _NO_NEW_PRIVS = 36, 38  # prctl(2)
_KILLED = 137
"""The exit status of a strategy that lived when its game ended."""


def main() -> None:
    """Play the games of the plan, until the owner ends or something of a game cannot be ended."""
    control = socket.socket(fileno=0)
    with control.makefile("rb", buffering=0) as sent:
        plan = json.loads(sent.readline())
    plan["files"] = {path: control.recv(size, socket.MSG_WAITALL) for path, size in plan["files"]}
    os.environ.pop("PYTHONPATH", None)
    prctl(_SUBREAPER, 1)
    modules = [import_module(name) for name in plan["modules"]]
    play: Callable[..., Any] | None = modules[0].main if modules else None
    gc.freeze()  # what is loaded stays shared with the copies
    supervisor, owner, clean = os.getpid(), os.pidfd_open(plan["owner"]), True
    while clean and owner not in select.select([control, owner], [], [])[0]:
        order, channels, *_ = socket.recv_fds(control, 1, 1)
        if not order:
            return
        if not channels:  # the end of a game that has ended
            continue
        with contextlib.ExitStack() as stack:
            folder = "" if plan["sandbox"] == "NAMESPACES" else stack.enter_context(temporary_folder(plan["folder"]))
            child = os.fork()
            if child == 0:
                _become_strategy(plan, folder, supervisor, channels[0], play)
            os.close(channels[0])  # so that its end is seen when the strategy's process ends
            handle = os.pidfd_open(child)
            stack.callback(os.close, handle)
            ready = select.select([control, owner, handle], [], [])[0]
            ended, status = os.waitpid(child, os.WNOHANG)
            if not ended and owner not in ready:
                control.recv(1)
            clean = kill_descendants(supervisor)
        with contextlib.suppress(OSError):
            control.send(bytes([os.waitstatus_to_exitcode(status) % 256 if ended else _KILLED]))


def _become_strategy(
    plan: dict[str, Any], folder: str, supervisor: int, channel: int, play: Callable[..., Any] | None
) -> None:
    """In the child: confine it, then turn into the strategy. Never returns."""
    namespaces, confined = plan["sandbox"] == "NAMESPACES", plan["sandbox"] != "NONE"
    place, home = (walls.FILES, walls.CONFINED) if namespaces else (f"{folder}/own/files", f"{folder}/home")
    program = [part.replace(PLACE, place) for part in plan["program"]]
    files, limits = plan["files"], plan["limits"]
    try:
        prctl(PDEATHSIG, signal.SIGKILL)
        if os.getppid() != supervisor:
            return
        os.setsid()
        if "RLIMIT_NPROC" in limits:
            # The kernel counts all that this user runs, not only what runs here.
            for entry in Path("/proc").glob("[0-9]*"):
                with contextlib.suppress(OSError):
                    if entry.stat().st_uid == os.getuid():
                        limits["RLIMIT_NPROC"] += sum(1 for _ in (entry / "task").iterdir())
        if namespaces:
            walls.enter_namespaces(plan["visible"], plan["hidden"], files, proc=not play)
        else:
            for path in (place, home):
                Path(path).mkdir(parents=True)
            walls.write_files(files, place)
        os.chdir(home if play or not files else place)
        prctl(_NO_NEW_PRIVS, 1)
        if confined:
            walls.drop_capabilities()
        os.dup2(channel, 3)
        os.dup2(os.open("/dev/null", os.O_RDONLY) if play else 3, 0)
        if not play:  # a program talks by standard input and output
            os.dup2(3, 1)
        os.closerange(4 if play else 3, min(os.sysconf("SC_OPEN_MAX"), 1 << 16))
        if confined and not namespaces:
            walls.restrict_paths([*plan["visible"], f"{folder}/own"], home)
        _limit(limits)  # last: files beyond its limit could not be told and closed
        if confined and walls.HAS_FILTER:
            walls.filter_calls(processes=not play, outside=not namespaces)
        os.environ.update({"HOME": home, "TMPDIR": home})
        if play is None:
            os.execv(program[0], program)
        sys.argv = ["strategy"]
        play(3, *program)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(126)


def _limit(limits: dict[str, int]) -> None:
    for name, most in limits.items():
        number = getattr(resource, name, None)
        if number is not None:
            hard = resource.getrlimit(number)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(number, (most, most))


@contextlib.contextmanager
def temporary_folder(place: str) -> Iterator[str]:
    """Make a folder below ``place``, locked while it is in use; remove it at the end."""
    while True:  # another process may remove a folder before it is locked; then it is made again
        folder = tempfile.mkdtemp(prefix=_PREFIX, dir=place)
        with contextlib.suppress(FileNotFoundError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if Path(folder).exists():
                break
            os.close(lock)
    try:
        remove_stale_folders(place)
        yield folder
    finally:
        _remove(folder)
        os.close(lock)


def remove_stale_folders(place: str) -> None:
    """Remove the folders without a lock: the system frees a lock when its process ends."""
    for folder in Path(place).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if os.fstat(lock).st_uid == os.getuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    _remove(str(folder))
            finally:
                os.close(lock)


def _remove(folder: str) -> None:
    """Remove everything, folders that may not be read included."""
    for parent, names, _ in os.walk(folder):
        for name in names:
            path = Path(parent, name)
            with contextlib.suppress(OSError):
                if not path.is_symlink():
                    path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
