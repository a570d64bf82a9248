"""Files of a strategy: those that its process sees and that its fingerprint covers, read from a file, a folder or a .zip.

- ``NAME.py``: the file, and the modules beside it that it imports, directly or through another one.
- A folder without an agent, or a .zip with Python files: every regular file in it. A folder with nothing but one folder is
  looked into. Hidden files and ``__pycache__`` are left out.
- ``cmd:WORDS``: the files of the current folder that the words name; a file in a folder brings that whole folder.
- ``module:Class`` from the current folder or from `sys.path`: as a file. An installed module has no files of its own.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from planetwars_env.bots.module_search import find_module, installed
from planetwars_env.bots.program import PREFIX, command_words, program_label
from planetwars_env.bots.source_imports import check_link, files_imported, read_source_file
from planetwars_env.bots.source_zip import holds_python, unzip
from planetwars_env.text import clean_name

MODEL_PREFIX = "llm:"
"""Beginning of a player's name that stands for a language model: ``llm:MODULE:FUNCTION``."""
MOST_FILES = 1_000
MOST_BYTES = 64 * 2**20
"""Largest number of files of a strategy, and of their bytes together."""

_AGENT_FILES = ("weights.safetensors", "config.yaml")
_LEFT_OUT = re.compile(r"\.[^.].*|__pycache__|__MACOSX|.*\.pyc")
_ENTRIES = ("strategy.py", "main.py")
_PACKAGE = re.compile(rb"^(from|import|class|STRATEGY)\b", re.MULTILINE)
_STRATEGY = re.compile(rb"^[ \t]+(async[ \t]+)?def[ \t]+(take_turn|act)\b|^STRATEGY\b", re.MULTILINE)


class SourceFiles(NamedTuple):
    """Files of a strategy by their paths below a folder.

    ``place``: that folder, or the .zip, as errors name it; ``entry``: the file that is imported; ``cls``: the class of a
    ``module:Class``, else empty; ``on_disk``: whether the files lie in ``place`` under these paths. The ``entry`` of a program
    is its ``cmd:WORDS``.
    """

    place: str
    entry: str
    cls: str
    files: Mapping[str, bytes]
    on_disk: bool = True

    @property
    def is_program(self) -> bool:
        """Whether the strategy is a program in any language rather than a class."""
        return self.entry.startswith(PREFIX)

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
            if self.is_program:
                place.chmod(0o755)


def names_source(name: str) -> bool:
    """Whether a player's name stands for a strategy in files or a module, rather than for a bot, an agent or a model."""
    if name.startswith(MODEL_PREFIX):
        return False
    if os.path.isdir(name):  # noqa: PTH112 (a name may be too long for a path)
        return _holds_strategy(Path(name))
    return (
        name.endswith(".py")
        or ":" in name
        or (name.endswith(".zip") and holds_python(Path(name), MOST_FILES, MOST_BYTES))
    )


def canonical_source(name: str) -> str:
    """Return the name by which another process, in another folder, finds the same strategy."""
    return str(Path(name).absolute()) if ":" not in name or os.path.exists(name) else name  # noqa: PTH110


def source_label(name: str) -> str:
    """Return the name of a strategy's file, folder or ``module:Class``, by which it is known until it is loaded."""
    if name.startswith(PREFIX):
        return clean_name(program_label(command_words(name)))
    path = Path(name)
    if ":" in name and not path.exists():
        return clean_name(name)
    return clean_name(path.name if path.is_dir() else path.stem)


def read_source(name: str) -> SourceFiles | None:
    """Return the files of a strategy, None for those of an installed module. OSError or ValueError where they cannot be read."""
    if name.startswith(PREFIX):
        return SourceFiles(str(Path.cwd()), name, "", _files_of_command(name))
    path = Path(name)
    if path.is_dir():
        return _packed(str(path), _files_in(path))
    if name.endswith(".zip"):
        return _packed(name, unzip(path, MOST_FILES, MOST_BYTES, _LEFT_OUT.fullmatch), on_disk=False)
    if name.endswith(".py"):
        if not path.is_file():
            raise ValueError(f"strategy file {name} does not exist")
        return _with_imports(path.parent, path.name, "")
    module, _, cls = name.partition(":")
    file = find_module(module)
    if file is None:
        raise ValueError(
            f"strategy {name}: there is no module {module} in the current folder ({Path.cwd()}) or where Python looks "
            "for modules"
        )
    depth = module.count(".") + (file.name == "__init__.py")
    return (
        None if installed(file) else _with_imports(file.parents[depth], str(file.relative_to(file.parents[depth])), cls)
    )


def _with_imports(root: Path, entry: str, cls: str) -> SourceFiles:
    return SourceFiles(str(root), entry, cls, files_imported(root, entry, MOST_FILES, MOST_BYTES))


def _files_of_command(name: str) -> dict[str, bytes]:
    """Return the files that a command names; ValueError for a program that is not there."""
    words, found = command_words(name), dict[str, bytes]()
    if not words:
        raise ValueError(f"{PREFIX} names no program: write for example {PREFIX}./my_bot")
    for path in map(Path, words):
        if path.is_absolute() or ".." in path.parts or not path.parts or not path.exists():
            continue
        top = Path(path.parts[0])
        files = {"": read_source_file(top, MOST_BYTES)} if top.is_file() else _files_in(top)
        found |= {(top / file).as_posix(): data for file, data in files.items()}
    if Path(words[0]).as_posix() not in found and shutil.which(words[0], path=os.defpath) is None:
        raise ValueError(
            f"{name}: there is no program {words[0]}: name a file of the current folder ({Path.cwd()}) or below it, as in "
            f"{PREFIX}./my_bot, or an installed program with its file, as in '{PREFIX}node bot.js'"
        )
    return found


def _packed(place: str, files: Mapping[str, bytes], on_disk: bool = True) -> SourceFiles:
    """Return the files of a folder or .zip, from the first folder on that holds more than one folder."""
    while not any("/" not in path and path.endswith(".py") for path in files):
        folders = {path.partition("/")[0] for path in files if "/" in path and path.endswith(".py")}
        if len(folders) != 1:
            break
        inner = folders.pop() + "/"
        files = {path.removeprefix(inner): data for path, data in files.items() if path.startswith(inner)}
        place = str(Path(place, inner))
    return SourceFiles(place, _entry_of(place, files), "", files, on_disk)


def _entry_of(place: str, files: Mapping[str, bytes]) -> str:
    """Return the file that holds the strategy; ValueError where the rule of docs/strategies.md names none."""
    for name in _ENTRIES:
        if name in files:
            return name
    if _PACKAGE.search(files.get("__init__.py", b"")):
        return "__init__.py"
    others = sorted(path for path in files if "/" not in path and path.endswith(".py") and path != "__init__.py")
    holding = others if len(others) == 1 else [path for path in others if _STRATEGY.search(files[path])]
    if len(holding) == 1:
        return holding[0]
    raise ValueError(
        f"{place} does not say which file holds its strategy: looked for {', '.join(_ENTRIES)}, an __init__.py with code, "
        "and one single .py file that has a class with take_turn; found "
        f"{', '.join(holding[:5]) or ', '.join(others[:5]) or 'no .py file'}. Name the file strategy.py"
    )


def _holds_strategy(folder: Path) -> bool:
    """Whether Python files lie in a folder, and no agent."""
    if all((folder / name).exists() for name in _AGENT_FILES):
        return False
    seen = 0
    for _, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not _LEFT_OUT.fullmatch(name)]
        seen += len(folders) + len(names)
        if any(name.endswith(".py") for name in names):
            return True
        if seen > MOST_FILES:
            return False
    return False


def _files_in(root: Path) -> dict[str, bytes]:
    """Return all files below a folder, but those that are left out."""
    found: dict[str, bytes] = {}
    waiting, seen, left = [root], 0, MOST_BYTES
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if _LEFT_OUT.fullmatch(entry.name):
                    continue
                seen += 1
                if seen > MOST_FILES:
                    raise ValueError(
                        f"{root} holds more than {MOST_FILES:,} files and folders, too many for a strategy"
                    )
                path = Path(entry.path)
                check_link(path, root)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                    continue
                data = read_source_file(path, left)
                left -= len(data)
                found[path.relative_to(root).as_posix()] = data
    return found
