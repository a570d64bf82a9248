"""Walls around one process: namespaces of Linux, and filters of paths (Landlock) and of system calls (seccomp).

Namespaces leave it no network, no other processes, and no files but those that are shown. The filters need no rights, only
`NO_NEW_PRIVS` before.
"""

import contextlib
import ctypes
import errno
import os
import platform
import select
import signal
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path

from .processes import PDEATHSIG, call, libc, prctl

CONFINED = "/strategy"
"""The working folder inside: empty, in memory, and the only one that can be written."""
FILES = "/own/files"
"""The folder of the strategy's files inside, in memory."""
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
_ROOT = "/sys"
"""Place of the new root, over a folder that nothing of a strategy lies in. It is gone with the process."""

_NEWNS, _NEWUSER = 0x00020000, 0x10000000  # unshare(2)
_ALL_NEW = (
    _NEWNS | _NEWUSER | 0x04000000 | 0x08000000 | 0x20000000 | 0x40000000
)  # also host names, IPC, processes, network
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, _BIND, _REC, _PRIVATE = (
    1, 2, 4, 8, 32, 4096, 16384, 1 << 18,
)  # fmt: skip  # mount(2)
_DETACH = 2  # umount2(2)
_MOUNT_SETATTR, _HERE, _RECURSIVE, _ATTR_RDONLY, _ATTR_NOSUID = 442, -100, 0x8000, 1, 2  # mount_setattr(2)

_GET_SECCOMP, _SET_SECCOMP, _FILTER = 21, 22, 2  # prctl(2)
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # linux/bpf_common.h
_KILL, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000  # what the filter says of a call
_NUMBER, _MACHINE, _FIRST, _SECOND = 0, 4, 16, 24  # struct seccomp_data, the lower halves of arguments
_CLONE_THREAD, _STREAM, _AND = 0x00010000, 1, 0x54
_CLONE3 = 435
_NEWER = 452
"""Calls from here on are too new for anybody to need them, or those of another convention (x32)."""
_FORKS = {"x86_64": (57, 58), "aarch64": ()}
"""fork and vfork."""
_REFUSED = {
    # ptrace, process_vm_readv and -writev, add_key, request_key, keyctl, io_uring (3), userfaultfd, bpf,
    # perf_event_open, shmget, semget, msgget, unshare, setns, memfd_secret
    "x86_64": (101, 310, 311, 248, 249, 250, 425, 426, 427, 323, 321, 298, 29, 64, 68, 272, 308, 447),
    "aarch64": (117, 270, 271, 217, 218, 219, 425, 426, 427, 282, 280, 241, 194, 190, 186, 97, 268, 447),
}
_REFUSED_OUTSIDE = {
    # what Landlock leaves open: socket, tkill, rt_sigqueueinfo, rt_tgsigqueueinfo, pidfd_send_signal, and changes of
    # modes, owners, attributes and times
    "x86_64": (41, 200, 129, 297, 424, 90, 91, 268, 92, 93, 94, 260, 188, 189, 190, 197, 198, 199, 132, 235, 261, 280),
    "aarch64": (198, 130, 138, 240, 424, 52, 53, 54, 55, 5, 6, 7, 14, 15, 16, 88),
}
_MACHINES = {"x86_64": (0xC000003E, 56, 62, 234, 53), "aarch64": (0xC00000B7, 220, 129, 131, 199)}
"""The machine's number in linux/audit.h, and its calls clone, kill, tgkill and socketpair."""
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_READ, _WRITE, _LIST, _IOCTL, _OF_FILES = 1 | 4, 2 | 1 << 14, 8, 1 << 15, 1 | 2 | 4 | 1 << 14 | 1 << 15
_OLDEST = 3
"""Landlock's version of Linux 6.2: older ones let every file be cut short."""
HAS_FILTER = platform.machine() in _MACHINES and hasattr(libc, "prctl") and libc.prctl(_GET_SECCOMP, 0, 0, 0, 0) >= 0
"""Whether this machine can filter calls."""


def enter_namespaces(visible: list[str], hidden: list[str], files: Mapping[str, bytes], proc: bool) -> None:
    """Leave everything but the ``visible`` files, which cannot be written, without the folders ``hidden`` among them.

    ``files``: those of the strategy, written to `FILES`. The caller goes on as process 1 of the new namespace, and its former
    self waits for it. Its user has no rights there. ``proc``: /proc shows the processes of the namespace, where the system
    allows that. OSError where it refuses the rest.
    """
    user, group = os.getuid(), os.getgid()
    call("unshare", _ALL_NEW)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"1000 {user} 1")
    Path("/proc/self/gid_map").write_text(f"1000 {group} 1")
    alive, held = os.pipe()
    child = os.fork()
    if child:  # ends as the child does, and until then holds one end of the pipe
        os.closerange(0, held)
        os.closerange(held + 1, 1 << 16)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) % 256)
    os.close(held)
    os.setsid()  # so that its process group is within the namespace
    prctl(PDEATHSIG, signal.SIGKILL)
    if select.select([alive], [], [], 0)[0]:  # at its end already: the one that waits was killed before
        os._exit(1)
    os.close(alive)
    _mount(None, "/", None, _REC | _PRIVATE)
    _mount("tmpfs", _ROOT, "tmpfs", _NOSUID | _NODEV, "size=4m,mode=755")
    for path in [*visible, *DEVICES]:
        _show(path, _ROOT)
    for path in hidden:
        if Path(_ROOT + path).is_dir():
            _mount("tmpfs", _ROOT + path, "tmpfs", _RDONLY | _NOSUID | _NODEV, "size=4k,mode=755")
    for place in (CONFINED, FILES, "/proc"):
        Path(_ROOT + place).mkdir(parents=True)
    size = sum(map(len, files.values())) + 2**16 * (len(files) + 1)  # with whole pages, folders and names
    _mount("tmpfs", _ROOT + FILES, "tmpfs", _NOSUID | _NODEV, f"size={size},mode=755")
    write_files(files, _ROOT + FILES)
    _mount(None, _ROOT + FILES, None, _REMOUNT | _BIND | _RDONLY | _NOSUID | _NODEV)
    _mount("tmpfs", _ROOT + CONFINED, "tmpfs", _NOSUID | _NODEV, "size=16m,mode=755")
    if proc:
        with contextlib.suppress(OSError):  # while the old one is there: without it the kernel refuses another
            _mount("proc", _ROOT + "/proc", "proc", _RDONLY | _NOSUID | _NODEV | _NOEXEC)
    os.chdir(_ROOT)
    call("pivot_root", b".", b".")
    call("umount2", b".", _DETACH)
    os.chdir("/")
    _mount(None, "/", None, _REMOUNT | _BIND | _RDONLY | _NOSUID | _NODEV)


def write_files(files: Mapping[str, bytes], folder: str) -> None:
    """Write files by their paths below ``folder``, so that they can be run as programs."""
    for path, data in files.items():
        place = Path(folder, path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        place.chmod(0o755)


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
    # The mount and all within it becomes read-only, since Linux 5.12.
    asked = (ctypes.c_uint64 * 4)(_ATTR_RDONLY | _ATTR_NOSUID)  # to set, to clear, propagation, user namespace
    call("syscall", _MOUNT_SETATTR, _HERE, os.fsencode(there), _RECURSIVE, asked, ctypes.sizeof(asked))


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind, data)]
    call("mount", *texts[:3], ctypes.c_ulong(flags), texts[3])


def filter_calls(processes: bool, outside: bool) -> None:
    """Refuse this process what nobody needs to play. OSError where the system refuses the filter.

    ``processes``: it may start others, not only threads. ``outside``: it is in no namespaces, so that it may signal nobody
    else, connect to nothing and change no file's rights.
    """
    machine, clone, kill, tgkill, socketpair = _MACHINES[platform.machine()]
    refuse, allow = (_RETURN, 0, 0, _ERRNO | errno.EPERM), (_RETURN, 0, 0, _ALLOW)
    missing = (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)
    rows = [(_LOAD, 0, 0, _MACHINE), (_EQUAL, 1, 0, machine), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, _NUMBER)]
    rows += [(_AT_LEAST, 0, 1, _NEWER), missing, (_EQUAL, 0, 1, _CLONE3), missing]  # without clone3, clone is called
    numbers = [*_REFUSED[platform.machine()], *(_REFUSED_OUTSIDE[platform.machine()] if outside else ())]
    for number in [*numbers, *(() if processes else _FORKS[platform.machine()])]:
        rows += [(_EQUAL, 0, 1, number), refuse]
    if not processes:
        rows += [(_EQUAL, 0, 4, clone), (_LOAD, 0, 0, _FIRST), (_ANY_BIT, 1, 0, _CLONE_THREAD), refuse, allow]
    for number in (kill, tgkill) if outside else ():  # its own group and itself
        rows += [(_EQUAL, 0, 5, number), (_LOAD, 0, 0, _FIRST), (_EQUAL, 2, 0, 0), (_EQUAL, 1, 0, os.getpid())]
        rows += [refuse, allow]
    if outside:  # sockets of another type can be sent elsewhere
        rows += [(_EQUAL, 0, 5, socketpair), (_LOAD, 0, 0, _SECOND), (_AND, 0, 0, 0xF), (_EQUAL, 1, 0, _STREAM)]
        rows += [refuse, allow]
    rows.append(allow)
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in rows))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(rows), ctypes.addressof(code)))
    call("prctl", _SET_SECCOMP, _FILTER, program, 0, 0)


def restrict_paths(read: Iterable[str], write: str) -> None:
    """Let this process open nothing but what is named: to ``read``, and the folder ``write``; and `DEVICES`.

    OSError where the system has no Landlock, or an old one.
    """
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < _OLDEST:
        raise OSError(errno.ENOSYS, "Landlock is missing or too old")
    everything = (1 << (16 if version >= 5 else 15)) - 1
    asked = (ctypes.c_uint64 * 3)(everything, 3, 3)  # of files, of TCP, of signals and sockets
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = call("syscall", _CREATE_RULESET, asked, ctypes.c_size_t(size), 0)
    allowed = {
        **dict.fromkeys(read, _READ | _LIST),
        **dict.fromkeys(DEVICES, _READ | _WRITE | _IOCTL),
        write: everything,
    }
    for name, rights in allowed.items():
        if Path(name).exists():
            place = os.open(name, os.O_PATH | os.O_CLOEXEC)
            rights &= everything if Path(name).is_dir() else everything & _OF_FILES
            call("syscall", _ADD_RULE, rules, 1, struct.pack("=Qi", rights, place), 0)
            os.close(place)
    call("syscall", _RESTRICT_SELF, rules, 0)
    os.close(rules)


def drop_capabilities() -> None:
    """Give up all rights of an administrator, those over an own namespace included."""
    header, none = struct.pack("Ii", 0x20080522, 0), bytes(24)  # linux/capability.h
    call("capset", header, none)
