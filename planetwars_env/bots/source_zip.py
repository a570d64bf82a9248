"""Files in a .zip, which are read into memory: nothing is written, and nothing outside of the .zip is named."""

import lzma
import stat
import zipfile
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path, PurePosixPath

from planetwars_env.files import read_file

_ENTRY = b"PK\x01\x02"
"""Beginning of every entry in a .zip's table of contents."""
_LONGEST_NAME = 255
_UNREADABLE = zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, RuntimeError, EOFError


def holds_python(path: Path, most_files: int, most_bytes: int) -> bool:
    """Whether a .zip holds a Python file or too many files to look; False for a file that is no .zip."""
    try:
        data = read_file(path, most_bytes)
        if data.count(_ENTRY) > most_files:
            return True
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return any(name.endswith(".py") for name in archive.namelist())
    except (*_UNREADABLE, OSError, ValueError):
        return False


def unzip(path: Path, most_files: int, most_bytes: int, left_out: Callable[[str], object]) -> dict[str, bytes]:
    """Return the files in a .zip by their paths, without those that have a part of the path ``left_out``.

    OSError or ValueError, naming the .zip, for one that is damaged, encrypted or too large, or that names files outside of it.
    """
    data = read_file(path, most_bytes)
    if data.count(_ENTRY) > most_files:  # before the table of contents is read, which takes memory
        raise ValueError(f"{path} holds more than {most_files:,} files, too many for a strategy")
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return _contents(path, archive, most_bytes, left_out)
    except _UNREADABLE as fault:
        raise ValueError(f"{path} cannot be unpacked: {fault}") from None


def _contents(
    path: Path, archive: zipfile.ZipFile, most_bytes: int, left_out: Callable[[str], object]
) -> dict[str, bytes]:
    kept = [
        info for info in archive.infolist() if not info.is_dir() and not any(map(left_out, info.filename.split("/")))
    ]
    names = [info.filename for info in kept]
    for info in kept:
        if fault := _fault_in(info, names):
            raise ValueError(f"{path}: {info.filename!r:.300} {fault}")
    if sum(info.file_size for info in kept) > most_bytes:
        raise ValueError(f"{path} unpacks to more than {most_bytes // 2**20} MiB, too much for a strategy")
    found = {}
    for info in kept:
        with archive.open(info) as file:
            found[info.filename] = file.read(info.file_size + 1)
    return found


def _fault_in(info: zipfile.ZipInfo, names: list[str]) -> str:
    """Return the reason why an entry is not unpacked, empty if there is none."""
    name = info.filename
    parts = name.split("/")
    if name.startswith("/") or "\\" in name or ":" in name or any(part in ("", ".", "..") for part in parts):
        return "is no path inside of it"
    if max(len(part.encode(errors="replace")) for part in parts) > _LONGEST_NAME or not name.isprintable():
        return "is no name of a file"
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
        return "is a link or a device; a strategy holds files only"
    if names.count(name) > 1 or any(str(parent) in names for parent in PurePosixPath(name).parents):
        return "stands there twice, or as a file and as a folder"
    return "is encrypted" if info.flag_bits & 1 else ""
