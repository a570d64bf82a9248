"""Supervisor of one strategy: starts a confined process for each of its games, and ends all processes that it started.

`Supervisor` of sandbox.py starts it as a program. Standard input is a socket: first come its plan, a line of JSON,
and the strategy's files; then for each game a byte with the channel of the strategy, and a byte for its end. It answers
each game with one byte, the exit status, when nothing of the game is left. At the end of the socket, or of its owner, it kills
every descendant, those that left its process group included, and ends. It runs no foreign code itself. So a strategy in Python
begins as a copy of it, with the modules of the worker already loaded.
"""

import contextlib
import gc
import json
import os
import resource
import select
import socket
import sys
import traceback
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from .filters import HAS_FILTER, drop_capabilities, filter_calls, restrict_paths
from .folders import temporary_folder
from .namespaces import CONFINED, FILES, enter_namespaces, write_files
from .processes import die_with, kill_descendants, prctl

PLACE = "@FILES@"
"""Stands in the plan for the folder of the strategy's files."""
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
_SUBREAPER, _NO_NEW_PRIVS = 36, 38  # prctl(2)
_KILLED = 137
"""The exit status of a strategy that lived when its game ended."""


def main() -> None:
    """Play the games of the plan, until the owner ends."""
    control = socket.socket(fileno=os.dup(0))
    with control.makefile("rb", buffering=0) as sent:
        plan = json.loads(sent.readline() or "null")
        if plan is None:
            return
    files = {path: control.recv(size, socket.MSG_WAITALL) for path, size in plan["files"]}
    os.environ.pop("PYTHONPATH", None)
    prctl(_SUBREAPER, 1)
    modules = [import_module(name) for name in plan["modules"]]
    play: Callable[..., Any] | None = modules[0].main if modules else None
    gc.freeze()  # what is loaded stays shared with the copies
    clean = True
    while clean and _wait_for(control, plan["owner"]):
        order, channels, *_ = socket.recv_fds(control, 1, 1)
        if not order:
            return
        for channel in channels:  # none: the end of a game that has ended
            status, clean = _play(plan, files, play, control, channel)
            with contextlib.suppress(OSError):
                control.send(bytes([status]))


def _play(
    plan: dict[str, Any],
    files: Mapping[str, bytes],
    play: Callable[..., Any] | None,
    control: socket.socket,
    channel: int,
) -> tuple[int, bool]:
    """Play one game; the exit status of the strategy, and whether nothing of it is left."""
    supervisor = os.getpid()
    with contextlib.ExitStack() as stack:
        folder = "" if plan["namespaces"] else stack.enter_context(temporary_folder(plan["folder"]))
        child = os.fork()
        if child == 0:
            _become_strategy(plan, files, folder, supervisor, channel, play)
        os.close(channel)  # so that its end is seen when the strategy's process ends
        status = _watch(child, control, plan["owner"])
        return status, kill_descendants(supervisor)


def _wait_for(control: socket.socket, owner: int, child: int | None = None) -> bool:
    """Wait for an order, or for the end of the ``child``. False where the owner has ended."""
    pipe = select.poll()
    pipe.register(control, select.POLLIN | select.POLLHUP)
    if child is not None:
        pipe.register(child, select.POLLIN)
    while os.getppid() == owner:
        if pipe.poll(1000):
            return True
    return False


def _watch(child: int, control: socket.socket, owner: int) -> int:
    """Wait for the end of the game or of the child; its exit status."""
    handle = os.pidfd_open(child)
    try:
        lives = _wait_for(control, owner, handle)
        ended, status = os.waitpid(child, os.WNOHANG)
        if not ended and lives:
            control.recv(1)
        return os.waitstatus_to_exitcode(status) % 256 if ended else _KILLED
    finally:
        os.close(handle)


def _become_strategy(
    plan: dict[str, Any],
    files: Mapping[str, bytes],
    folder: str,
    supervisor: int,
    channel: int,
    play: Callable[..., Any] | None,
) -> None:
    """In the child: confine it, then turn into the strategy. Never returns."""
    place, home = (FILES, CONFINED) if plan["namespaces"] else (f"{folder}/own/files", f"{folder}/home")
    program = [part.replace(PLACE, place) for part in plan["program"]]
    mode, filtered = 0o644 if play else 0o755, plan["confined"] and HAS_FILTER
    try:
        die_with(supervisor)
        os.setsid()
        if filtered and play:  # only threads can begin, and those are counted by looking
            plan["limits"].pop("RLIMIT_NPROC", None)
        elif "RLIMIT_NPROC" in plan["limits"]:
            # The kernel counts all that this user runs, not only what runs here.
            for entry in Path("/proc").glob("[0-9]*"):
                with contextlib.suppress(OSError):
                    if entry.stat().st_uid == os.getuid():
                        plan["limits"]["RLIMIT_NPROC"] += sum(1 for _ in (entry / "task").iterdir())
        if plan["namespaces"]:
            enter_namespaces(plan["visible"], plan["hidden"], files, mode, proc=not play)
        else:
            for path in (place, home):
                Path(path).mkdir(parents=True)
            write_files(files, place, mode)
        os.chdir(home if play or not files else place)
        prctl(_NO_NEW_PRIVS, 1)
        if plan["confined"]:
            drop_capabilities()
        if not play:  # a program talks by standard input and output
            os.dup2(channel, 0)
            os.dup2(channel, 1)
            channel = 2
        else:
            os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        os.closerange(3, channel)
        os.closerange(channel + 1, min(os.sysconf("SC_OPEN_MAX"), 1 << 16))
        if plan["confined"] and not plan["namespaces"]:
            restrict_paths([*plan["visible"], f"{folder}/own"], DEVICES, home)
        _limit(plan["limits"])  # last: files beyond its limit could not be told and closed
        if filtered:
            filter_calls(processes=not play, outside=not plan["namespaces"])
        changed = {"HOME": home, "TMPDIR": home}
        if play is None:
            os.execve(program[0], program, {**plan["environment"], **changed})
        os.environ.update(changed)
        sys.argv = ["strategy"]
        play(channel, *program)
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


if __name__ == "__main__":
    main()
