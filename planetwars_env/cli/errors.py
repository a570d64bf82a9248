"""How commands say what went wrong: one clear sentence instead of a traceback, and exit status 1 or 130."""

import errno
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import typer

from planetwars_env.bots.loading import agent_folder
from planetwars_env.cli.shell import typed
from planetwars_env.text import clean_text

UNSAFE = (
    "Run strategies from files even where this machine cannot confine them: with all your rights, to your files and network. "
    "Results then prove nothing about strategies that you do not trust."
)
"""Help of the option --unsafe."""


@contextmanager
def user_errors(next_time: str | Callable[[], str] = "") -> Iterator[None]:
    """Turn the errors that users cause into one sentence on stderr.

    ``next_time``: what there is after an interruption or a full disk, and how it goes on; or what says it then.
    """
    try:
        yield
    except OSError as fault:
        said = f"{fault.filename}: {fault.strerror}" if fault.filename and fault.strerror else str(fault)
        _stop(f"{said}. {_text(next_time)}".removesuffix(". ") if fault.errno in _OUTSIDE else said)
    except ValueError as fault:
        _stop(str(fault))
    except KeyboardInterrupt:
        typer.echo(clean_text(f"Interrupted. {_text(next_time)}".strip()), err=True)
        raise typer.Exit(130) from None


def resume_hint(folder: Path) -> str:
    """What a run has left in ``folder``, and the command that goes on from it."""
    if not (folder / "checkpoint.safetensors").is_file():
        return f"{folder} holds no checkpoint yet."
    command = typed("planetwars", "train", "--out", folder, "--resume")
    return f"What is in {folder} is whole, and the run goes on by: {command}"


_OUTSIDE = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS}
"""Troubles of disks, after which work can go on."""


def require(extra: str, *modules: str) -> None:
    """Stop with the exact pip line where a module of an extra is not installed."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        _stop(f'this needs {", ".join(missing)}, which is not installed: pip install "planetwars-env[{extra}]"')


def require_for_players(names: Iterable[str]) -> None:
    """What players by these names require: agents have libraries of their own."""
    if any(agent_folder(name) for name in names):
        require("agents", "torch", "safetensors")


def check_writable(path: Path) -> None:
    """OSError now rather than after long work."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.tmp")
    draft.touch()
    draft.unlink(missing_ok=True)  # two commands may ask at once


def require_for_training() -> None:
    """What training needs."""
    require("train", "torch", "safetensors", "stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib")


def _text(said: str | Callable[[], str]) -> str:
    return said if isinstance(said, str) else said()


def _stop(message: str) -> None:
    typer.echo(f"Error: {clean_text(message)}", err=True)
    raise typer.Exit(1) from None
