"""Output of commands: a terminal, command lines as the user's shell finds them, errors, and progress bars.

An error is one sentence on stderr in place of a traceback, with exit status 1, or 130 after Ctrl-C.
"""

import errno
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from planetwars_env.shipped import pip_line
from planetwars_env.text import clean_text

if TYPE_CHECKING:
    from planetwars_env.bots.catalogue import Player


def plain_console(**options: Any) -> Console:
    """Return a terminal, or the file of the ``options``, that prints texts as they are: players and files name themselves."""
    return Console(markup=False, highlight=False, **options)


def typed(program: str, *arguments: object) -> str:
    """Return a command line; the program has its path if the PATH does not lead to this installation."""
    beside = shutil.which(program, path=str(Path(sys.executable).parent))
    on_path = shutil.which(program)
    if beside is not None and (on_path is None or not Path(on_path).samefile(beside)):
        here = Path.cwd()
        program = str(Path(beside).relative_to(here) if Path(beside).is_relative_to(here) else beside)
    words = [program, *map(str, arguments)]
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


_PASSING_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.ECONNRESET}
"""Errors of disks and of processes that have ended, after which the same command can go on."""


@contextmanager
def user_errors(next_step: str | Callable[[], str] = "") -> Iterator[None]:
    """Print errors that users cause as one sentence, and end the program.

    ``next_step``: printed after an interruption or a passing error: what is saved, and how to go on; or a function that says so.
    """

    def advice() -> str:
        return next_step if isinstance(next_step, str) else next_step()

    try:
        yield
    except OSError as error:
        text = f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)
        _stop(f"{text}. {advice()}".removesuffix(". ") if error.errno in _PASSING_ERRORS else text)
    except ValueError as error:
        _stop(str(error))
    except KeyboardInterrupt:
        typer.echo(clean_text(f"Interrupted. {advice()}".strip()), err=True)
        raise typer.Exit(130) from None


def resume_hint(folder: Path) -> str:
    """Return a sentence on what a run has left in ``folder``, and the command that goes on from it."""
    if not (folder / "checkpoint.safetensors").is_file():
        return f"{folder} holds no checkpoint yet."
    command = typed("planetwars", "train", "--out", folder, "--resume")
    return f"The files in {folder} are complete. The run goes on by: {command}"


def require(extra: str, *modules: str) -> None:
    """Stop with the exact pip command if a module of an extra is not installed."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        names = f"{', '.join(missing[:-1])} and {missing[-1]} are" if len(missing) > 1 else f"{missing[0]} is"
        _stop(f"{names} not installed: {pip_line(extra)}")


def parse_players(names: Iterable[str]) -> "list[Player]":
    """Return the players of these names (`parse_player`); stop if there is an agent and its libraries are not installed."""
    from planetwars_env.bots.catalogue import parse_player

    players = [parse_player(name) for name in names]
    if any(player.kind.learned for player in players):
        require("agents", "torch", "safetensors")
    return players


def import_named(module: str | None) -> None:
    """Import the module that --import names, also from the current folder; ValueError where it cannot be imported."""
    if module:
        from planetwars_env.learn.config import import_from_here

        import_from_here("--import", module)


def require_for_training() -> None:
    """Stop if a library for training is not installed."""
    require("train", "torch", "safetensors", "stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib")


def check_writable(path: Path | None) -> None:
    """OSError before long work, if the file cannot be written after it."""
    if path is not None:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a folder: name a file in it", str(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.tmp")
        draft.touch()
        draft.unlink(missing_ok=True)  # two commands may check at once


def _stop(message: str) -> None:
    typer.echo(f"Error: {clean_text(message)}", err=True)
    raise typer.Exit(1) from None


def progress_bar(console: Console, label: str, state: str, transient: bool = False) -> Progress:
    """Return a bar with the remaining time between two texts, which rich fills in; it is drawn in terminals only."""
    columns = TextColumn(label), BarColumn(), TextColumn(state), TimeRemainingColumn(elapsed_when_finished=True)
    return Progress(*columns, console=console, transient=transient, disable=not console.is_terminal)


@contextmanager
def games_bar(console: Console, total: int) -> Iterator[Callable[[int], None]]:
    """Draw a bar over ``total`` games until the block ends; the function given counts finished games."""
    with progress_bar(console, "playing", "{task.completed} of {task.total} games", transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda games: bar.advance(task, games)
