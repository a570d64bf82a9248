"""Namespaces of Linux around one process: no network, no other processes, and no files but those that are shown."""

import contextlib
import ctypes
import os
import select
import signal
from collections.abc import Mapping
from pathlib import Path

from .processes import PDEATHSIG, libc, prctl

CONFINED = "/strategy"
"""The working folder inside: empty, in memory, and the only one that can be written."""
FILES = "/own/files"
"""The folder of the strategy's files inside, in memory."""
_ROOT = "/sys"
"""Place of the new root, over a folder that nothing of a strategy lies in. It is gone with the process."""

_NEWNS, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET = (
    0x00020000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000,
)  # fmt: skip  # unshare(2)
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, _BIND, _REC, _PRIVATE = (
    1, 2, 4, 8, 32, 4096, 16384, 1 << 18,
)  # fmt: skip  # mount(2)
_DETACH = 2  # umount2(2)
_MOUNT_SETATTR, _HERE, _RECURSIVE, _ATTR_RDONLY, _ATTR_NOSUID = 442, -100, 0x8000, 1, 2  # mount_setattr(2)


def enter_namespaces(
    visible: list[str], hidden: list[str], files: Mapping[str, bytes], mode: int = 0o644, proc: bool = False
) -> None:
    """Leave everything but the ``visible`` files, which cannot be written, without the folders ``hidden`` among them.

    ``files``: those of the strategy, written to `FILES` with this ``mode``. The caller goes on as process 1 of the new
    namespace, and its former self waits for it. Its user has no rights there. ``proc``: /proc shows the processes of the
    namespace, where the system allows that. OSError where it refuses the rest.
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
    _build_root(visible, hidden, files, mode, proc)


def write_files(files: Mapping[str, bytes], folder: str, mode: int) -> None:
    """Write files by their paths below ``folder``."""
    for path, data in files.items():
        place = Path(folder, path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        place.chmod(mode)


def _build_root(visible: list[str], hidden: list[str], files: Mapping[str, bytes], mode: int, proc: bool) -> None:
    """A file system that holds what is visible, the files and the working folder, and the old one gone."""
    root = _ROOT
    _mount(None, "/", None, _REC | _PRIVATE)
    _mount("tmpfs", root, "tmpfs", _NOSUID | _NODEV, "size=4m,mode=755")
    for path in [*visible, "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"]:
        _show(path, root)
    for path in hidden:
        if Path(root + path).is_dir():
            _mount("tmpfs", root + path, "tmpfs", _RDONLY | _NOSUID | _NODEV, "size=4k,mode=755")
    for place in (CONFINED, FILES, "/proc"):
        Path(root + place).mkdir(parents=True)
    size = sum(map(len, files.values())) + 2**16 * (len(files) + 1)  # with whole pages, folders and names
    _mount("tmpfs", root + FILES, "tmpfs", _NOSUID | _NODEV, f"size={size},mode=755")
    write_files(files, root + FILES, mode)
    _mount(None, root + FILES, None, _REMOUNT | _BIND | _RDONLY | _NOSUID | _NODEV)
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
    # The mount and all within it becomes read-only, since Linux 5.12.
    asked = (ctypes.c_uint64 * 4)(_ATTR_RDONLY | _ATTR_NOSUID)  # to set, to clear, propagation, user namespace
    _call("syscall", _MOUNT_SETATTR, _HERE, os.fsencode(place), _RECURSIVE, asked, ctypes.sizeof(asked))


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind, data)]
    _call("mount", texts[0], texts[1], texts[2], ctypes.c_ulong(flags), texts[3])


def _call(name: str, *arguments: object) -> None:
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
