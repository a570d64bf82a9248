"""How commands say what went wrong: one clear sentence instead of a traceback, and exit status 1 or 130."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

import typer

from planetwars_env.bots.loading import agent_folder


@contextmanager
def told() -> Iterator[None]:
    """Turn the errors that users cause into one sentence on stderr."""
    try:
        yield
    except OSError as fault:
        _stop(f"{fault.filename}: {fault.strerror}" if fault.filename and fault.strerror else str(fault))
    except ValueError as fault:
        _stop(str(fault))
    except KeyboardInterrupt:
        typer.echo("Interrupted.", err=True)
        raise typer.Exit(130) from None


def need(extra: str, *modules: str) -> None:
    """Stop with the exact pip line where a module of an extra is not installed."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        _stop(f'this needs {", ".join(missing)}, which is not installed: pip install "planetwars-env[{extra}]"')


def need_players(names: Iterable[str]) -> None:
    """What players by these names need: agents have libraries of their own."""
    if any(agent_folder(name) for name in names):
        need("agents", "torch", "safetensors")


def need_training() -> None:
    """What training needs."""
    need("train", "torch", "safetensors", "stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib")


def _stop(message: str) -> None:
    typer.echo(f"Error: {message}", err=True)
    raise typer.Exit(1) from None
