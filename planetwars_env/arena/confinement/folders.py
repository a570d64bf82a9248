"""Temporary folders; those of killed processes are removed by the next process that starts."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "planetwars-strategy-"
"""Prefix of these folders alone: whatever else in the same place begins with "planetwars-" belongs to the user."""


@contextmanager
def temporary_folder(place: str) -> Iterator[str]:
    """Make a folder below ``place``, locked while it is in use; remove it at the end."""
    while True:  # another process may remove a folder before it is locked; then it is made again
        folder = tempfile.mkdtemp(prefix=_PREFIX, dir=place)
        with suppress(FileNotFoundError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if Path(folder).exists():
                break
            os.close(lock)
    try:
        remove_stale_folders(place)
        yield folder
    finally:
        _remove(folder)
        os.close(lock)


def remove_stale_folders(place: str) -> None:
    """Remove the folders without a lock: the system frees a lock when its process ends."""
    for folder in Path(place).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if os.fstat(lock).st_uid == os.getuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    _remove(str(folder))
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
