"""The warden of one foreign strategy: starts it in a confined process, and ends everything it started when it is over.

Run as a program, with nothing but the standard library: ``python -I -S jail.py PLAN``, PLAN as JSON (`_plan` of
process.py). Standard input is its leash: at its end (closed, or the owner dead) the warden kills every descendant,
those that left its process group included, removes the working folder and ends. It runs no foreign code itself.
"""

import contextlib
import ctypes
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

CONFINED = "/strategy"
"""The working folder inside namespaces: empty, in memory, and the only one that can be written."""

_PDEATHSIG, _SUBREAPER, _NO_NEW_PRIVS = 1, 36, 38  # prctl(2)
_NEWNS, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET = (
    0x00020000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000,
)  # fmt: skip  # unshare(2)
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, _BIND, _REC, _PRIVATE = (
    1, 2, 4, 8, 32, 4096, 16384, 1 << 18,
)  # fmt: skip  # mount(2)
_DETACH = 2  # umount2(2)
_libc = ctypes.CDLL(None, use_errno=True)


def main() -> int:
    """Run the plan; the exit status is the strategy's."""
    plan = json.loads(sys.argv[1])
    folder = tempfile.mkdtemp(prefix="planetwars-strategy-", dir=plan["folder"])
    _prctl(_SUBREAPER, 1)
    try:
        child = os.fork()
        if child == 0:
            _become_strategy(plan, folder)
        return _watch(child)
    finally:
        _kill_descendants()
        shutil.rmtree(folder, ignore_errors=True)


def _watch(child: int) -> int:
    """Wait for the end of the leash or of the child; its exit status, 137 where the leash ended first."""
    leash = select.poll()
    leash.register(0, select.POLLIN | select.POLLHUP)
    if hasattr(os, "pidfd_open"):
        leash.register(os.pidfd_open(child), select.POLLIN)
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) % 256
        if any(fd == 0 for fd, _ in leash.poll(1000)):
            return 137


def _kill_descendants() -> None:
    """Kill until nobody is left: orphans come to this process (subreaper), so that none gets away."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        for pid in _descendants(os.getpid()):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def _descendants(root: int) -> list[int]:
    """The processes below ``root`` by /proc, deepest last."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            parent = int(entry.read_text(errors="replace").rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.parent.name))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found[1:]


def _become_strategy(plan: dict, folder: str) -> None:
    """In the child: confine it, then turn into the strategy's program. Never returns."""
    try:
        _prctl(_PDEATHSIG, signal.SIGKILL)
        os.setsid()
        if "RLIMIT_NPROC" in plan["limits"]:
            # The kernel counts all that this user runs, not only what runs here.
            plan["limits"]["RLIMIT_NPROC"] += _threads_of_user()
        if plan["namespaces"]:
            folder = _enter_namespaces(plan["visible"], folder)
        os.chdir(folder)
        _prctl(_NO_NEW_PRIVS, 1)
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        os.set_inheritable(plan["channel"], True)
        _close_others(plan["channel"])
        _limit(plan["limits"])  # last: files beyond its limit could not be told and closed
        os.execve(plan["program"][0], plan["program"], {**plan["environment"], "HOME": folder, "TMPDIR": folder})
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(126)


def _threads_of_user() -> int:
    found = 0
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if entry.stat().st_uid == os.getuid():
                found += sum(1 for _ in (entry / "task").iterdir())
    return found


def _limit(limits: dict[str, int]) -> None:
    for name, most in limits.items():
        number = getattr(resource, name, None)
        if number is not None:
            hard = resource.getrlimit(number)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(number, (most, most))


def _close_others(channel: int) -> None:
    os.closerange(3, channel)
    os.closerange(channel + 1, os.sysconf("SC_OPEN_MAX") if os.sysconf("SC_OPEN_MAX") < 1 << 16 else 1 << 16)


def _enter_namespaces(visible: list[str], root: str) -> str:
    """No network, no other processes, no files but the ``visible`` ones, which cannot be written; OSError where refused.

    The caller goes on as process 1 of the new namespace, and its former self waits for it. Its user has no rights there.
    """
    user, group = os.getuid(), os.getgid()
    _call("unshare", _NEWUSER | _NEWNS | _NEWPID | _NEWNET | _NEWIPC | _NEWUTS)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"1000 {user} 1")
    Path("/proc/self/gid_map").write_text(f"1000 {group} 1")
    _build_root(visible, root)
    child = os.fork()
    if child:
        for fd in (0, 1, 2):
            os.close(fd)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) % 256)
    _prctl(_PDEATHSIG, signal.SIGKILL)
    return CONFINED


def _build_root(visible: list[str], root: str) -> None:
    """A file system that holds what is visible and the working folder, and the old one gone."""
    _mount(None, "/", None, _REC | _PRIVATE)
    _mount("tmpfs", root, "tmpfs", _NOSUID | _NODEV, "size=4m,mode=755")
    for path in [*visible, "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"]:
        _show(path, root)
    Path(root + CONFINED).mkdir()
    _mount("tmpfs", root + CONFINED, "tmpfs", _NOSUID | _NODEV, "size=16m,mode=755")
    os.chdir(root)
    _call("pivot_root", b".", b".")
    _call("umount2", b".", _DETACH)
    os.chdir("/")
    _mount(None, "/", None, _REMOUNT | _BIND | _RDONLY | _NOSUID | _NODEV)


def _show(path: str, root: str) -> None:
    """Let ``path`` be seen under ``root``, for reading only. Links to folders are copied, links to files are those files."""
    here, there = Path(path), Path(root + path)
    if there.exists() or there.is_symlink() or not here.exists():
        return
    there.parent.mkdir(parents=True, exist_ok=True)
    if here.is_symlink() and here.is_dir():
        there.symlink_to(here.readlink())
        return
    if here.is_dir():
        there.mkdir()
    else:
        there.touch()
    _mount(path, str(there), None, _BIND | _REC)
    # A namespace may not take back what the mount forbids already, so that has to be said again.
    kept = os.statvfs(path).f_flag & (_NOSUID | _NODEV | _NOEXEC)
    _mount(None, str(there), None, _REMOUNT | _BIND | _RDONLY | _NOSUID | kept)


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind, data)]
    _call("mount", texts[0], texts[1], texts[2], ctypes.c_ulong(flags), texts[3])


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def _prctl(option: int, value: int) -> None:
    if hasattr(_libc, "prctl"):
        _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main())
