"""Fingerprints of source code: of the modules that machine code is made from, and of what a module means to Python."""

import ast
import hashlib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent
_DECORATORS = f"{PACKAGE.name}.engine.kernel"
_IMPORT = re.compile(rf"^(?:from|import) +({PACKAGE.name}[\w.]*)(?: +import +(\([^)]*\)|[^#\n]*))?", re.MULTILINE)
"""An import at the top of a module. Parsing all modules instead would take 70 ms of every start."""
_WORD = re.compile(r"\w+")


@cache
def kernel_sources() -> tuple[Path, ...]:
    """The package's modules that define a kernel or a part, and those they import at their top, directly or not.

    A module that imports one of the two decorators is one that defines some.
    """
    files: dict[str, Path] = {}
    for path in PACKAGE.rglob("*.py"):
        name = ".".join(path.with_suffix("").relative_to(PACKAGE.parent).parts)
        files[name.removesuffix(".__init__")] = path
    imports: dict[str, set[str]] = {}
    for name, path in files.items():
        # Every module named, and every name as one of a module.
        found = _IMPORT.findall(path.read_text(encoding="utf-8"))
        meant = {
            one for module, names in found for one in (module, *(f"{module}.{word}" for word in _WORD.findall(names)))
        }
        imports[name] = meant & files.keys()
    waiting = [name for name, found in imports.items() if _DECORATORS in found]
    known: set[str] = set()
    while waiting:
        name = waiting.pop()
        known.add(name)
        waiting += imports[name] - known
    return tuple(files[name] for name in sorted(known))


def fingerprint_of_files(paths: Iterable[Path]) -> str:
    """A digest of the files as they are written, byte by byte."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.name} {path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def fingerprint_of_code(paths: Iterable[Path]) -> str:
    """A digest of what the files mean: comments, docstrings and line breaks do not change it."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.name} {_plain(ast.parse(path.read_bytes()))}\0".encode())
    return digest.hexdigest()[:16]


def _plain(value: Any) -> Any:
    """A syntax tree as nested tuples. `ast.dump` is not used because its text depends on the version of Python."""
    if isinstance(value, list):
        # Without docstrings.
        return [
            _plain(one)
            for one in value
            if not (isinstance(one, ast.Expr) and isinstance(getattr(one.value, "value", None), str))
        ]
    if isinstance(value, ast.AST):
        fields = [(name, _plain(part)) for name, part in ast.iter_fields(value)]
        return type(value).__name__, *((name, part) for name, part in fields if part is not None and part != [])
    return repr(value) if value is not None else None
