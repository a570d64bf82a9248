"""Files of a strategy: those that its process sees and that its fingerprint covers, read from a file, a folder or a .zip.

- ``NAME.py``: the file, and the modules beside it that it imports, directly or through another one.
- A folder without an agent, or a .zip with Python files: every regular file in it. A folder with nothing but one folder is
  looked into. Hidden files and ``__pycache__`` are left out.
- ``cmd:WORDS``: the files of the current folder that the words name; a file in a folder brings that whole folder.
- ``module:Class`` from the current folder or from `sys.path`: as a file. An installed module has no files of its own.
"""

import hashlib
import lzma
import os
import re
import shutil
import stat
import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from itertools import islice
from pathlib import Path, PurePosixPath
from sysconfig import get_paths
from typing import NamedTuple

from planetwars_env.bots.program import command_words
from planetwars_env.engine.sources import PACKAGE
from planetwars_env.files import read_file

MOST_FILES = 1_000
MOST_BYTES = 64 * 2**20
"""Largest number of files of a strategy, and of their bytes together."""

_LEFT_OUT = re.compile(r"\.[^.].*|__pycache__|__MACOSX|.*\.pyc")
_ENTRIES = ("strategy.py", "main.py")
_PACKAGE = re.compile(rb"^(from|import|class|STRATEGY)\b", re.MULTILINE)
_STRATEGY = re.compile(rb"^[ \t]+(async[ \t]+)?def[ \t]+(take_turn|act)\b|^STRATEGY\b", re.MULTILINE)
RESERVED = frozenset({*sys.stdlib_module_names, "planetwars_env", "numpy"})
"""Modules that no file of a strategy replaces."""
_SEARCHED, _MOST_SEARCHED = 2**20, 100
"""Bytes of a file that are searched for imports, and folders for Python files."""
_IMPORT = re.compile(
    r"(?:^|[:;])[ \t]*(?:from[ \t]+(?P<dots>\.*)[ \t]*(?P<module>[\w.]*)[ \t]+import[ \t]*(?P<names>\([^)]{0,10000}|[^\n;]*)"
    r"|import[ \t]+(?P<modules>[^\n;]*))",
    re.MULTILINE,
)
_NAME = re.compile(r"([\w.]+)(?:\s+as\s+\w+)?")
_ZIP_ENTRY = b"PK\x01\x02"
"""Beginning of every entry in a .zip's table of contents."""
_LONGEST_NAME, _LONGEST_PATH, _MOST_PARTS = 255, 1_024, 32
"""Bytes of a file's name and of its path in a .zip, and the most parts of a path in a .zip or folder."""
_UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, RuntimeError, EOFError),
    *(OSError, IndexError, ValueError),
)
"""Errors that `zipfile` raises for damaged files."""


class SourceFiles(NamedTuple):
    """Files of a strategy by their paths below a folder.

    ``place``: that folder, or the .zip, as errors name it; ``entry``: the file that is imported; ``cls``: the class of a
    ``module:Class``, else empty; ``command``: the words that start a program in any language, whose ``entry`` is its
    ``cmd:WORDS``; empty for a class.
    """

    place: str
    entry: str
    cls: str
    files: Mapping[str, bytes]
    command: tuple[str, ...] = ()

    def fingerprint(self) -> str:
        """Return a fingerprint of the files, their names and the choice of the class."""
        digest = hashlib.sha256(repr((self.entry, self.cls)).encode())
        for path, data in sorted(self.files.items()):
            digest.update(repr((path, len(data))).encode(errors="surrogateescape") + data)
        return digest.hexdigest()[:16]

    def write_to(self, folder: str) -> None:
        """Write the files into a folder."""
        for path, data in self.files.items():
            place = Path(folder, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)


def files_at(name: str) -> SourceFiles:
    """Return the files of a strategy in a .py file, a folder or a .zip. OSError or ValueError where they cannot be read."""
    path = Path(name)
    if path.is_dir():
        return _packed(str(path), _files_in(path))
    if path.suffix == ".zip":
        return _packed(name, _unzip(path))
    return _with_imports(path.parent, path.name, "")


def files_of_module(name: str) -> SourceFiles | None:
    """Return the files of a strategy ``module:Class``, None for an installed module. ValueError where there is no module."""
    module, _, cls = name.partition(":")
    file = find_module(module)
    if file is None:
        raise ValueError(
            f"strategy {name}: there is no module {module} in the current folder ({Path.cwd()}) or where Python looks "
            "for modules"
        )
    root = file.parents[module.count(".") + (file.name == "__init__.py")]
    paths = get_paths()
    places = [PACKAGE, *(Path(paths[kind]) for kind in ("stdlib", "platstdlib", "purelib", "platlib"))]
    if "site-packages" in file.parts or any(file.is_relative_to(place) for place in places):
        return None  # part of Python, of an installed distribution or of this package
    return _with_imports(root, str(file.relative_to(root)), cls)


@contextmanager
def current_folder_last() -> Iterator[None]:
    """Let modules be found in the current folder too, after all other places, until the block ends."""
    here = str(Path.cwd())
    sys.path.append(here)
    try:
        yield
    finally:
        del sys.path[-1 - sys.path[::-1].index(here)]  # the last one, since it may stand there twice


def find_module(name: str) -> Path | None:
    """Return the file of a module, found as an import finds it but running nothing; None where there is none."""
    places, spec = None, None
    with current_folder_last():
        for end in range(len(parts := name.split("."))):
            full = ".".join(parts[: end + 1])
            specs = (finder.find_spec(full, places) for finder in sys.meta_path if hasattr(finder, "find_spec"))
            spec = next((spec for spec in specs if spec is not None), None)
            if spec is None:
                return None
            places = spec.submodule_search_locations
    return Path(spec.origin).absolute() if spec is not None and spec.has_location and spec.origin else None


def files_of_command(name: str) -> SourceFiles:
    """Return the files that a command ``cmd:WORDS`` names; ValueError for a program that is not there."""
    words, files = command_words(name), dict[str, bytes]()
    if not words:
        raise ValueError(f"{name} does not name a program: write for example cmd:./my_bot")
    for path in map(Path, words):
        if path.is_absolute() or ".." in path.parts or not path.parts or not path.exists():
            continue
        top = Path(path.parts[0])
        below = {"": _read_source_file(top, MOST_BYTES)} if top.is_file() else _files_in(top)
        files |= {(top / file).as_posix(): data for file, data in below.items()}
    if Path(words[0]).as_posix() not in files and shutil.which(words[0], path=os.defpath) is None:
        raise ValueError(
            f"{name}: there is no program {words[0]}: name a file of the current folder ({Path.cwd()}) or below it, as in "
            "cmd:./my_bot, or an installed program with its file, as in 'cmd:node bot.js'"
        )
    return SourceFiles(str(Path.cwd()), name, "", files, command=tuple(words))


def _with_imports(root: Path, entry: str, cls: str) -> SourceFiles:
    """Return the file ``entry`` and those below ``root`` that it imports, directly or through another one."""
    files: dict[str, bytes] = {}
    waiting, left = [entry], MOST_BYTES
    while waiting:
        path = waiting.pop()
        if path in files:
            continue
        if len(files) >= MOST_FILES:
            raise ValueError(f"{root / entry} imports more than {MOST_FILES:,} files beside it")
        if path != entry:
            _check_link(root / path, root)
        files[path] = _read_source_file(root / path, left)
        left -= len(files[path])
        text = files[path][:_SEARCHED].decode(errors="replace")
        for module in _modules_in(text, PurePosixPath(path).parent.parts):
            # An import of a module runs its file, and those of the packages it is in.
            parts = [part for part in module.split(".") if part]
            for end in range(1, len(parts) + 1):
                folder = "/".join(parts[:end])
                waiting += [file for file in (f"{folder}/__init__.py", f"{folder}.py") if (root / file).is_file()]
    return SourceFiles(str(root), entry, cls, files)


def _packed(place: str, files: Mapping[str, bytes]) -> SourceFiles:
    """Return the files of a folder or .zip, from the first folder on that holds several; ValueError where none is the entry."""
    while not any("/" not in path and path.endswith(".py") for path in files):
        folders = {path.partition("/")[0] for path in files if "/" in path and path.endswith(".py")}
        if len(folders) != 1:
            break
        inner = folders.pop() + "/"
        files = {path.removeprefix(inner): data for path, data in files.items() if path.startswith(inner)}
        place = str(Path(place, inner))
    entry = next((name for name in _ENTRIES if name in files), None)
    if entry is None and _PACKAGE.search(files.get("__init__.py", b"")):
        entry = "__init__.py"
    if entry is None:
        others = sorted(path for path in files if "/" not in path and path.endswith(".py") and path != "__init__.py")
        holding = others if len(others) == 1 else [path for path in others if _STRATEGY.search(files[path])]
        if len(holding) != 1:
            raise ValueError(
                f"{place} does not say which file holds its strategy: looked for {', '.join(_ENTRIES)}, an __init__.py "
                "with code, and one single .py file that has a class with take_turn; found "
                f"{', '.join(holding[:5]) or ', '.join(others[:5]) or 'no .py file'}. Name the file strategy.py"
            )
        entry = holding[0]
    return SourceFiles(place, entry, "", files)


def holds_strategy(folder: Path) -> bool:
    """Whether Python files lie in a folder, and no agent. Nothing in it raises: faults are told when its files are read."""
    if all((folder / name).exists() for name in ("weights.safetensors", "config.yaml")):
        return False
    # os.walk follows no links and passes over what cannot be read.
    for _, folders, names in islice(os.walk(folder), _MOST_SEARCHED):
        if any(name.endswith(".py") and not _LEFT_OUT.fullmatch(name) for name in names):
            return True
        folders[:] = [name for name in folders if not _LEFT_OUT.fullmatch(name)]
    return False


def _files_in(root: Path) -> dict[str, bytes]:
    """Return all files below a folder, but those that are left out."""
    files: dict[str, bytes] = {}
    left = MOST_BYTES
    for path in _paths_in(root):
        files[path.relative_to(root).as_posix()] = data = _read_source_file(path, left)
        left -= len(data)
    return files


def _paths_in(root: Path) -> Iterator[Path]:
    """Yield the files below a folder, but those that are left out; ValueError for too many, too deep ones and links out."""
    waiting, seen = [root], 0
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if _LEFT_OUT.fullmatch(entry.name):
                    continue
                seen += 1
                path = Path(entry.path)
                if seen > MOST_FILES:
                    raise ValueError(
                        f"{root} holds more than {MOST_FILES:,} files and folders, too many for a strategy"
                    )
                if len(path.relative_to(root).parts) > _MOST_PARTS:
                    raise ValueError(f"{str(path)[:100]} is too deep a path: at most {_MOST_PARTS} parts")
                _check_link(path, root)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                else:
                    yield path


def _check_link(path: Path, root: Path) -> None:
    """ValueError for a link to a folder, and for one that leads out of ``root``."""
    if not path.is_symlink():
        return
    target = Path(os.path.realpath(path))  # Path.resolve raises for a link to itself
    if path.is_dir() or not target.is_relative_to(os.path.realpath(root)):
        where = "to a folder" if path.is_dir() else f"out of {root}"
        raise ValueError(f"{path} is a link {where}: a strategy's files may hold links to its own files only")


def _read_source_file(path: Path, most: int) -> bytes:
    """Return the bytes of a file of a strategy; ValueError, naming it, for more than ``most`` and for no regular file."""
    try:
        return read_file(path, most)
    except ValueError as fault:
        raise ValueError(f"{path} cannot be a file of a strategy: {fault}") from None


def _modules_in(text: str, package: tuple[str, ...]) -> Iterator[str]:
    """Yield the full names of the modules that a file of ``package`` may import."""
    for match in _IMPORT.finditer(text):
        if match["modules"] is not None:
            yield from (name for name in _NAME.findall(match["modules"]) if name.partition(".")[0] not in RESERVED)
            continue
        dots = len(match["dots"])
        if dots > len(package) + 1 or (not dots and match["module"].partition(".")[0] in RESERVED):
            continue
        around = package[: len(package) + 1 - dots] if dots else ()
        base = ".".join([*around, match["module"]]).strip(".")
        yield base
        yield from (f"{base}.{name}".strip(".") for name in _NAME.findall(match["names"]))


def _unzip(path: Path) -> dict[str, bytes]:
    """Return the files in a .zip, but those that are left out. OSError or ValueError, naming it, for one that is refused."""
    data = _read_source_file(path, MOST_BYTES)
    if data.count(_ZIP_ENTRY) > MOST_FILES:  # before the table of contents is read, which takes memory
        raise ValueError(f"{path} holds more than {MOST_FILES:,} files, too many for a strategy")
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            kept = [info for info in archive.infolist() if not info.is_dir()]
            kept = [info for info in kept if not any(map(_LEFT_OUT.fullmatch, info.filename.split("/")))]
            names = [info.filename for info in kept]
            for info in kept:
                if fault := _fault_in(info, names):
                    raise ValueError(f"{info.filename!r:.100} {fault}")
            if sum(info.file_size for info in kept) > MOST_BYTES:
                raise ValueError(f"it holds more than {MOST_BYTES // 2**20} MiB, too much for a strategy")
            files = {}
            for info in kept:
                with archive.open(info) as file:
                    # The size is a bound: an entry may unpack to more than it says.
                    files[info.filename] = file.read(info.file_size + 1)
    except _UNREADABLE as fault:
        raise ValueError(f"{path} cannot be unpacked: {fault}") from None
    if not any(name.endswith(".py") for name in files):
        hint = (
            "; a model of Stable-Baselines3 holds pickles, which can run anything. If you trust it, use "
            f"pw.SB3Policy({str(path)!r}), or planetwars evaluate --trust-pickle {path}"
        )
        said = hint if {"data", "_stable_baselines3_version"} & files.keys() else ""
        raise ValueError(f"{path} is not loaded: it holds no Python file, so it is not a strategy{said}")
    return files


def _fault_in(info: zipfile.ZipInfo, names: list[str]) -> str:
    """Return the reason why an entry is not unpacked, empty if there is none."""
    name = info.filename
    parts = name.split("/")
    if name.startswith("/") or "\\" in name or ":" in name or any(part in ("", ".", "..") for part in parts):
        return "is not a path inside of it"
    if len(parts) > _MOST_PARTS or len(name.encode(errors="replace")) > _LONGEST_PATH:
        return f"is too deep a path: at most {_MOST_PARTS} parts and {_LONGEST_PATH:,} bytes"
    if max(len(part.encode(errors="replace")) for part in parts) > _LONGEST_NAME or not name.isprintable():
        return "is not a valid file name"
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
        return "is a link or a device; a strategy holds files only"
    if names.count(name) > 1 or any(str(parent) in names for parent in PurePosixPath(name).parents):
        return "stands there twice, or as a file and as a folder"
    return "is encrypted" if info.flag_bits & 1 else ""
