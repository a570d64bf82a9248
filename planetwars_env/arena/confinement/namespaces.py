"""Namespaces of Linux around one process: no network, no other processes, and no files but those that are shown."""

import contextlib
import ctypes
import errno
import os
import re
import select
import signal
from pathlib import Path

from .processes import PDEATHSIG, libc, prctl

CONFINED = "/strategy"
"""The working folder inside: empty, in memory, and the only one that can be written."""

_NEWNS, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET = (
    0x00020000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000,
)  # fmt: skip  # unshare(2)
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, _BIND, _REC, _PRIVATE = (
    1, 2, 4, 8, 32, 4096, 16384, 1 << 18,
)  # fmt: skip  # mount(2)
_DETACH = 2  # umount2(2)
_MOUNT_SETATTR, _HERE, _RECURSIVE, _ATTR_RDONLY, _ATTR_NOSUID = 442, -100, 0x8000, 1, 2  # mount_setattr(2)


def enter_namespaces(visible: list[str], hidden: list[str], root: str, proc: bool = False) -> None:
    """Leave everything but the ``visible`` files, which cannot be written, without the folders ``hidden`` among them.

    The caller goes on as process 1 of the new namespace, and its former self waits for it. Its user has no rights there.
    ``proc``: /proc shows the processes of the namespace, where the system allows that. OSError where it refuses the rest.
    """
    user, group = os.getuid(), os.getgid()
    _call("unshare", _NEWUSER | _NEWNS | _NEWPID | _NEWNET | _NEWIPC | _NEWUTS)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"1000 {user} 1")
    Path("/proc/self/gid_map").write_text(f"1000 {group} 1")
    alive, held = os.pipe()
    child = os.fork()
    if (
        child
    ):  # ends as the child does, with nothing open but ``held``: its end tells the child of the end of this process
        os.closerange(0, held)
        os.closerange(held + 1, 1 << 16)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) % 256)
    os.close(held)
    os.setsid()  # so that its process group is within the namespace
    prctl(PDEATHSIG, signal.SIGKILL)
    if select.select([alive], [], [], 0)[0]:  # at its end already: the one that waits was killed before
        os._exit(1)
    os.close(alive)
    _build_root(visible, hidden, root, proc)


def _build_root(visible: list[str], hidden: list[str], root: str, proc: bool) -> None:
    """A file system that holds what is visible and the working folder, and the old one gone."""
    _mount(None, "/", None, _REC | _PRIVATE)
    _mount("tmpfs", root, "tmpfs", _NOSUID | _NODEV, "size=4m,mode=755")
    for path in [*visible, "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"]:
        _show(path, root)
    for path in hidden:
        if Path(root + path).is_dir():
            _mount("tmpfs", root + path, "tmpfs", _RDONLY | _NOSUID | _NODEV, "size=4k,mode=755")
    for place in (CONFINED, "/proc"):
        Path(root + place).mkdir()
    _mount("tmpfs", root + CONFINED, "tmpfs", _NOSUID | _NODEV, "size=16m,mode=755")
    if proc:
        with contextlib.suppress(OSError):  # while the old one is there: without it the kernel refuses another
            _mount("proc", root + "/proc", "proc", _RDONLY | _NOSUID | _NODEV | _NOEXEC)
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
    place = str(there)
    _mount(path, place, None, _BIND | _REC)
    try:  # the mount and all within it becomes read-only: in one call since Linux 5.12, else one by one
        asked = (ctypes.c_uint64 * 4)(_ATTR_RDONLY | _ATTR_NOSUID)  # to set, to clear, propagation, user namespace
        _call("syscall", _MOUNT_SETATTR, _HERE, os.fsencode(place), _RECURSIVE, asked, ctypes.sizeof(asked))
    except OSError as fault:
        if fault.errno not in (errno.ENOSYS, errno.EPERM):  # EPERM: of a filter of calls that does not know it
            raise
        lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
        escape = re.compile(rb"\\([0-7]{3})")
        points = [escape.sub(lambda code: bytes([int(code[1], 8)]), line.split()[4]) for line in lines]
        for mount in (one for one in map(os.fsdecode, points) if Path(one).is_relative_to(place)):
            # A namespace may not take back what the mount forbids already, so that has to be said again.
            kept = os.statvfs(mount).f_flag & (_NOSUID | _NODEV | _NOEXEC)
            _mount(None, mount, None, _REMOUNT | _BIND | _RDONLY | _NOSUID | kept)


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind, data)]
    _call("mount", texts[0], texts[1], texts[2], ctypes.c_ulong(flags), texts[3])


def _call(name: str, *arguments: object) -> None:
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
