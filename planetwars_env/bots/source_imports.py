"""Modules beside a strategy's file that it imports, found in its text, which is not run."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from planetwars_env.files import read_file

RESERVED = frozenset({*sys.stdlib_module_names, "planetwars_env", "numpy"})
"""Modules that no file of a strategy replaces."""

_SEARCHED = 2**20
"""Bytes of a file that are searched."""
_IMPORT = re.compile(
    r"(?:^|[:;])[ \t]*(?:from[ \t]+(?P<dots>\.*)[ \t]*(?P<module>[\w.]*)[ \t]+import[ \t]*(?P<names>\([^)]{0,10000}|[^\n;]*)"
    r"|import[ \t]+(?P<modules>[^\n;]*))",
    re.MULTILINE,
)
_NAME = re.compile(r"([\w.]+)(?:\s+as\s+\w+)?")


def files_imported(root: Path, entry: str, most_files: int, most_bytes: int) -> dict[str, bytes]:
    """Return the file ``entry`` and those below ``root`` that it imports, directly or through another one, by path."""
    found: dict[str, bytes] = {}
    waiting, left = [entry], most_bytes
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        if len(found) >= most_files:
            raise ValueError(f"{root / entry} imports more than {most_files:,} files beside it")
        if path != entry:
            check_link(root / path, root)
        found[path] = read_source_file(root / path, left)
        left -= len(found[path])
        text = found[path][:_SEARCHED].decode(errors="replace")
        for module in _modules_in(text, PurePosixPath(path).parent.parts):
            waiting += _files_of(root, module)
    return found


def check_link(path: Path, root: Path) -> None:
    """ValueError for a link to a folder, and for one that leads out of ``root``."""
    if not path.is_symlink():
        return
    if path.is_dir():
        raise ValueError(f"{path} is a link to a folder: a strategy's files may hold links to its own files only")
    if not path.resolve().is_relative_to(root.resolve()):
        raise ValueError(f"{path} is a link out of {root}: a strategy's files may hold links to its own files only")


def read_source_file(path: Path, most: int) -> bytes:
    """Return the bytes of a file of a strategy; ValueError, naming it, for more than ``most`` and for no regular file."""
    try:
        return read_file(path, most)
    except ValueError as fault:
        raise ValueError(f"{path} cannot be a file of a strategy: {fault}") from None


def _modules_in(text: str, package: tuple[str, ...]) -> Iterator[str]:
    """Yield the full names of the modules that a file of ``package`` may import."""
    for found in _IMPORT.finditer(text):
        if found["modules"] is not None:
            yield from (name for name in _NAME.findall(found["modules"]) if name.partition(".")[0] not in RESERVED)
            continue
        dots = len(found["dots"])
        if dots > len(package) + 1 or (not dots and found["module"].partition(".")[0] in RESERVED):
            continue
        base = ".".join([*package[: len(package) + 1 - dots], found["module"]] if dots else [found["module"]]).strip(
            "."
        )
        yield base
        yield from (f"{base}.{name}".strip(".") for name in _NAME.findall(found["names"]))


def _files_of(root: Path, module: str) -> list[str]:
    """Return the files below ``root`` that an import of ``module`` runs: its own, and those of the packages it is in."""
    parts, found = [part for part in module.split(".") if part], []
    for end in range(1, len(parts) + 1):
        folder = "/".join(parts[:end])
        found += [path for path in (f"{folder}/__init__.py", f"{folder}.py") if (root / path).is_file()]
    return found
