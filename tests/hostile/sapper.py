"""Asks the kernel for what only an attack needs, and complains of what it was given."""

import ctypes
import errno
import os
import signal

CALLS = {  # x86-64
    "clone": (56, signal.SIGCHLD, 0),
    "ptrace": (101, 1, 0, 0, 0),
    "keyctl": (250, 0, -3, 1),
    "userfaultfd": (323, 1),
    "io_uring_setup": (425, 1, ctypes.create_string_buffer(120)),
    "shmget": (29, 0, 4096, 0o1600),
    "clone3": (435, (ctypes.c_uint64 * 8)(0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0), 64),
}


class Sapper:
    name = "sapper"

    def take_turn(self, view):
        libc = ctypes.CDLL(None, use_errno=True)
        given = []
        for name, call in CALLS.items():
            answer = libc.syscall(*call)
            if answer == 0 and "clone" in name:  # the child
                os._exit(0)
            given += [name] if answer >= 0 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS) else []
        raise RuntimeError(f"given {given}")
