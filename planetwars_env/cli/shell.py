"""Output of commands: a terminal, and command lines as the user's shell finds them."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from rich.console import Console


def plain_console(**options: Any) -> Console:
    """Return a terminal, or the file of the ``options``, that prints texts as they are: players and files name themselves."""
    return Console(markup=False, highlight=False, **options)


def typed(program: str, *arguments: object) -> str:
    """Return a command line; the program has its path if the PATH does not lead to this installation."""
    return _quoted(_called(program), *map(str, arguments))


def activation() -> str:
    """Return the command that activates this virtual environment; empty if it is active, or there is none."""
    script = Path(sys.executable).parent / "activate"
    if _called("planetwars") == "planetwars" or not script.is_file():
        return ""
    return _quoted(*([] if os.name == "nt" else ["source"]), _short(script))


def _called(program: str) -> str:
    beside = shutil.which(program, path=str(Path(sys.executable).parent))
    on_path = shutil.which(program)
    if beside is None or (on_path is not None and Path(on_path).samefile(beside)):
        return program
    return _short(Path(beside))


def _short(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _quoted(*words: str) -> str:
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)
