"""Files that are there whole or not at all, files of others, and work that one process at a time does in a folder.

Every file that the package writes goes through `replacement_file`, except those that may end anywhere: the database of a
tournament (arena/game_store.py), the log of a soak and TensorBoard's.
"""

import json
import os
import secrets
import socket
import stat
import sys
import time
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from planetwars_env.text import clean_name

_DRAFT = ".draft-"
_COMPRESSED = b"\x1f\x8b"
_LARGEST_JSON, _MOST_VALUES = 16 * 2**20, 2_000_000
"""Bytes and values of results and histories."""


class BusyError(ValueError):
    """Another process is at work there; the message names it."""


@contextmanager
def replacement_file(path: str | os.PathLike[str], suffix: str = ".tmp") -> Iterator[Path]:
    """A new file in the same folder, to be written in the block: it takes the place of ``path`` at the end.

    Where the block fails, or is cut off, ``path`` stays as it was. ``suffix``: of the draft, for writers that go by it. A link is
    followed; a device or pipe is written to as it is. OSError names ``path``.
    """
    place = Path(os.path.realpath(path))
    if place.exists() and not (place.is_file() or place.is_dir()):
        yield place
        return
    draft = place.with_name(f"{_DRAFT}{secrets.token_hex(6)}{suffix}")
    try:
        yield draft
        _reach_the_disk(draft)
        draft.replace(place)
    except OSError as fault:
        if fault.filename is None or os.fsdecode(fault.filename) == str(draft):
            fault.filename, fault.filename2 = os.fspath(path), None
        raise
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file that is either its old self or its new one, whenever the program is interrupted. OSError names it."""
    with replacement_file(path) as draft:
        draft.write_bytes(data)


def read_file(path: str | os.PathLike[str], most: int) -> bytes:
    """Return what is in a file of at most ``most`` bytes. OSError names it; ValueError says why it is not read.

    Devices, pipes and folders are refused: a device may never end, a pipe may never begin.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("this is no regular file")
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"the file holds more than {_size(most)}")
    return data


def decompress(data: bytes, most: int) -> bytes:
    """Return ``data``, out of gzip where it is packed; ValueError for more than ``most`` bytes and for what is cut short."""
    if not data.startswith(_COMPRESSED):
        return data
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    text = unpacker.decompress(data, most)
    if unpacker.unconsumed_tail:
        raise ValueError(f"the file holds more than {_size(most)}")
    if not unpacker.eof:
        raise ValueError("the file is cut short")
    return text


def parse_json(data: bytes, most: int) -> Any:
    """Return the value of a JSON text of at most ``most`` values; ValueError or RecursionError for anything else.

    A byte of JSON may take 30 bytes of memory, so the values are counted before they are made: each but the first
    stands behind a comma or an opening bracket.
    """
    if sum(data.count(mark) for mark in (b",", b"[", b"{")) > most:
        raise ValueError(f"the file holds more than {most:,} values")
    return json.loads(data)


def read_json(path: str | os.PathLike[str]) -> Any:
    """Return the value in a file of results or of a history. OSError, ValueError or RecursionError where there is none."""
    return parse_json(read_file(path, _LARGEST_JSON), _MOST_VALUES)


def _size(most: int) -> str:
    return f"{most // 2**20} MiB" if most >= 2**20 else f"{most // 2**10} KiB"


def remove_unfinished_files(folder: Path) -> None:
    """Remove what processes that were killed left half written in a folder. Nobody else may be writing there."""
    for draft in folder.glob(f"{_DRAFT}*"):
        draft.unlink(missing_ok=True)


@contextmanager
def alone(lock: Path, work: str) -> Iterator[None]:
    """Do ``work`` while no other process does what the file ``lock`` stands for; the file is gone at the end.

    BusyError where one does, by its work, number, machine and beginning. The system frees a lock when its process ends, however
    that ends. Where a file system knows no locks, one warning says so and the block runs all the same.
    """
    descriptor = _take(lock, work)
    owner = f"{work}, process {os.getpid()} on {socket.gethostname()}, since {time.strftime('%Y-%m-%d %H:%M')}"
    try:
        with suppress(OSError):  # a full disk: the lock holds all the same
            os.ftruncate(descriptor, 0)
            os.write(descriptor, owner.encode())
        yield
    finally:
        with suppress(OSError):  # Windows keeps a file that is open
            lock.unlink(missing_ok=True)
        os.close(descriptor)


def _take(lock: Path, work: str) -> int:
    """The lock's file, locked. It may have been removed by its last owner since it was opened: then it is made again."""
    while True:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(descriptor)
        except BlockingIOError:
            owner = clean_name(os.read(descriptor, 200).decode(errors="replace"), 200) or "another process"
            os.close(descriptor)
            raise BusyError(
                f"{lock.parent} is in use by {owner}: wait for it or end it, or choose another folder for {work}"
            ) from None
        except OSError as fault:
            warnings.warn(f"{lock} cannot be locked ({fault.strerror}): nothing keeps others out", stacklevel=4)
            return descriptor
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), lock.stat()):
                return descriptor
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    """BlockingIOError where another process holds it."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, 2**30, os.SEEK_SET)  # far beyond what others want to read
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as fault:
            raise BlockingIOError from fault
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _reach_the_disk(path: Path) -> None:
    """Without it a machine that loses power may keep the new name with nothing in the file."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
