"""Walls that need no rights, only `NO_NEW_PRIVS` before: a filter of system calls (seccomp), and of paths (Landlock)."""

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterable
from pathlib import Path

from .processes import libc

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
    _check(libc.prctl(_SET_SECCOMP, _FILTER, program, 0, 0), "seccomp")


def restrict_paths(read: Iterable[str], devices: Iterable[str], write: str) -> None:
    """Let this process open nothing but what is named: to ``read``, ``devices``, and the folder ``write``.

    OSError where the system has no Landlock, or an old one.
    """
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < _OLDEST:
        raise OSError(errno.ENOSYS, "Landlock is missing or too old")
    everything = (1 << (16 if version >= 5 else 15)) - 1
    asked = (ctypes.c_uint64 * 3)(everything, 3, 3)  # of files, of TCP, of signals and sockets
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = _check(libc.syscall(_CREATE_RULESET, asked, ctypes.c_size_t(size), 0), "landlock")

    def allow(name: str, rights: int) -> None:
        if Path(name).exists():
            place = os.open(name, os.O_PATH | os.O_CLOEXEC)
            rights &= everything if Path(name).is_dir() else everything & _OF_FILES
            _check(libc.syscall(_ADD_RULE, rules, 1, struct.pack("=Qi", rights, place), 0), "landlock")
            os.close(place)

    for name in read:
        allow(name, _READ | _LIST)
    for name in devices:
        allow(name, _READ | _WRITE | _IOCTL)
    allow(write, everything)
    _check(libc.syscall(_RESTRICT_SELF, rules, 0), "landlock")
    os.close(rules)


def drop_capabilities() -> None:
    """Give up all rights of an administrator, those over an own namespace included."""
    header, none = struct.pack("Ii", 0x20080522, 0), bytes(24)  # linux/capability.h
    _check(libc.capset(header, none), "capset")


def _check(answer: int, name: str) -> int:
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return answer
