"""Supervisor of one strategy: starts it in a confined process, and ends all processes that it started.

Run as a program of the standard library alone (`start_supervisor` of sandbox.py). Standard input is its parent pipe: first come
the plan (`_plan` of isolation.py), a line of JSON, and the strategy's files. At its end (closed, or the owner dead) the
supervisor kills every descendant, those that left its process group included, removes its folder and ends. It runs no foreign
code itself.
"""

import contextlib
import json
import os
import resource
import select
import traceback
from pathlib import Path

from .folders import temporary_folder
from .namespaces import CONFINED, enter_namespaces
from .processes import die_with, kill_descendants, prctl

FILES = "@FILES@"
"""Stands in the plan for the folder of the strategy's files."""
_SUBREAPER, _NO_NEW_PRIVS = 36, 38  # prctl(2)


def main() -> int:
    """Run the plan; the exit status is the strategy's."""
    pipe = open(0, "rb", closefd=False)  # noqa: SIM115 (its end is awaited below)
    head = pipe.readline()
    if not head:
        return 137
    plan = json.loads(head)
    prctl(_SUBREAPER, 1)
    with temporary_folder(plan["folder"]) as folder:
        for name in ("files", "root"):
            Path(folder, name).mkdir()
        for path, size in plan["files"]:
            place = Path(folder, "files", path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(pipe.read(size))
            place.chmod(0o755 if plan["other_language"] else 0o644)
        try:
            supervisor = os.getpid()
            child = os.fork()
            if child == 0:
                _become_strategy(plan, folder, supervisor)
            os.close(plan["channel"])  # so that its end is seen when the strategy's process ends
            return _watch(child, plan["owner"])
        finally:
            kill_descendants(supervisor)


def _watch(child: int, owner: int) -> int:
    """Wait for the end of the parent pipe, of the owner or of the child; the child's exit status, 137 where it lives."""
    pipe = select.poll()
    pipe.register(0, select.POLLIN | select.POLLHUP)
    if hasattr(os, "pidfd_open"):
        pipe.register(os.pidfd_open(child), select.POLLIN)
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) % 256
        if any(fd == 0 for fd, _ in pipe.poll(1000)) or os.getppid() != owner:
            return 137


def _become_strategy(plan: dict, folder: str, supervisor: int) -> None:
    """In the child: confine it, then turn into the strategy's program. Never returns."""
    files, folder = f"{folder}/files", f"{folder}/root"
    program = [part.replace(FILES, files) for part in plan["program"]]
    try:
        die_with(supervisor)
        os.setsid()
        if "RLIMIT_NPROC" in plan["limits"]:
            # The kernel counts all that this user runs, not only what runs here.
            for entry in Path("/proc").glob("[0-9]*"):
                with contextlib.suppress(OSError):
                    if entry.stat().st_uid == os.getuid():
                        plan["limits"]["RLIMIT_NPROC"] += sum(1 for _ in (entry / "task").iterdir())
        if plan["namespaces"]:
            enter_namespaces([*plan["visible"], files], plan["hidden"], folder, plan["other_language"])
        home = CONFINED if plan["confined"] else folder
        os.chdir(CONFINED if plan["namespaces"] else folder)
        prctl(_NO_NEW_PRIVS, 1)
        channel = plan["channel"]
        if plan["other_language"]:  # such a program talks by standard input and output
            os.chdir(files)
            os.dup2(channel, 0)
            os.dup2(channel, 1)
            channel = 2
        else:
            os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
            os.set_inheritable(channel, True)
        os.closerange(3, channel)
        os.closerange(channel + 1, min(os.sysconf("SC_OPEN_MAX"), 1 << 16))
        _limit(plan["limits"])  # last: files beyond its limit could not be told and closed
        os.execve(program[0], program, {**plan["environment"], "HOME": home, "TMPDIR": home})
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
