"""Atomic writing, bounded reading and locking of files.

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
"""Most bytes and values in files of results and histories."""


class BusyError(ValueError):
    """A lock that another process holds; the message names the process."""


@contextmanager
def replacement_file(path: str | os.PathLike[str], suffix: str = ".tmp") -> Iterator[Path]:
    """Give a new file in the same folder, to be written in the block; at the end it replaces ``path``.

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
        with draft.open("rb+") as file:  # after a power failure the new name could otherwise hold an empty file
            os.fsync(file.fileno())
        draft.replace(place)
    except OSError as fault:
        if fault.filename is None or os.fsdecode(fault.filename) == str(draft):
            fault.filename, fault.filename2 = os.fspath(path), None
        raise
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file atomically: after an interruption it is the old or the new one. OSError names it."""
    with replacement_file(path) as draft:
        draft.write_bytes(data)


def read_file(path: str | os.PathLike[str], most: int) -> bytes:
    """Return the bytes of a file, at most ``most``. OSError names it; ValueError says why it is not read.

    Devices, pipes and folders are refused: a device may never end, a pipe may never begin.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("this is not a regular file")
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"the file holds more than {_size(most)}")
    return data


def decompress(data: bytes, most: int) -> bytes:
    """Return ``data``, decompressed if it is gzip. ValueError for more than ``most`` bytes and for a truncated file."""
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
    try:
        return json.loads(data)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"the file is not JSON: {error}") from None


def read_json(path: str | os.PathLike[str]) -> Any:
    """Return the value in a JSON file of results or of a history. OSError, ValueError or RecursionError for any other file."""
    return parse_json(read_file(path, _LARGEST_JSON), _MOST_VALUES)


def _size(most: int) -> str:
    return f"{most // 2**20} MiB" if most >= 2**20 else f"{most // 2**10} KiB"


def remove_unfinished_files(folder: Path) -> None:
    """Remove unfinished files of killed processes from a folder. No other process may be writing there."""
    for draft in folder.glob(f"{_DRAFT}*"):
        draft.unlink(missing_ok=True)


@contextmanager
def exclusive_lock(lock: Path, work: str) -> Iterator[None]:
    """Hold the lock file ``lock`` during the block, which does ``work``; the file is removed at the end.

    BusyError where one does, by its work, number, machine and beginning. The system frees a lock when its process ends, however
    that ends. Where a file system knows no locks, one warning says so and the block runs all the same.
    """
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
            warnings.warn(f"{lock} cannot be locked ({fault.strerror}): nothing keeps others out", stacklevel=3)
            break
        with suppress(FileNotFoundError):  # its last owner may have removed it since it was opened
            if os.path.samestat(os.fstat(descriptor), lock.stat()):
                break
        os.close(descriptor)
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


def _lock(descriptor: int) -> None:
    """Lock a file; BlockingIOError if another process holds the lock."""
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
