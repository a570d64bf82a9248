"""Small disks that fill up and disks that cannot be written, where this machine lets tests mount them (as root on Linux)."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

FILLER = "filler"


@contextmanager
def disk(folder: Path, size: str = "16m") -> Iterator[Path]:
    """An empty file system of its own at ``folder``; the test is skipped, with the reason, where none can be mounted."""
    folder.mkdir(parents=True, exist_ok=True)
    if shutil.which("mount") is None:
        pytest.skip("there is no mount here")
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def full(folder: Path) -> Iterator[None]:
    """Not a byte is free on the disk, within the block."""
    with (folder / FILLER).open("wb", buffering=0) as filler:
        for size in (2**20, 2**12, 1):
            try:
                while filler.write(b"x" * size) == size:
                    pass
            except OSError:
                continue
    try:
        yield
    finally:
        (folder / FILLER).unlink()


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nothing can be written on the disk, within the block."""
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(folder)], check=True)
