"""Temporary folders that are removed even where their process was killed: the next one that starts removes them."""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_PREFIX = "planetwars-"
_YOUNG = 10
"""Seconds within which a new folder may not yet be locked by its process."""


@contextmanager
def temporary_folder(place: str | None = None) -> Iterator[str]:
    """A new folder below ``place`` (None: the system's temporary one), locked while it is in use, and removed at the end."""
    place = place or tempfile.gettempdir()
    if sys.platform == "win32":
        with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=place) as folder:
            yield folder
        return
    folder = tempfile.mkdtemp(prefix=_PREFIX, dir=place)
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _remove_stale(place)
        yield folder
    finally:
        _remove(folder)
        os.close(lock)


def _remove_stale(place: str) -> None:
    """Remove the folders that nobody holds a lock on: the system frees a lock when its process ends."""
    for folder in Path(place).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            _remove_if_stale(str(folder))


def _remove_if_stale(folder: str) -> None:
    if sys.platform == "win32":
        return
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        found = os.fstat(lock)
        if found.st_uid == os.getuid() and time.time() - found.st_mtime > _YOUNG:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(folder)
    finally:
        os.close(lock)


def _remove(folder: str) -> None:
    """Remove everything, folders that may not be read included."""
    for parent, names, _ in os.walk(folder):
        for name in names:
            path = Path(parent, name)
            with suppress(OSError):
                if not path.is_symlink():
                    path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
