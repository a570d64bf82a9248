"""Commands of `planetwars` and of scripts, run within the process of the tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from typer import Typer
from typer.testing import CliRunner, Result

from planetwars_env.cli.main import app


def run(*words: object, **options: Any) -> Result:
    """Run the command of these words; ``options`` are those of typer's runner."""
    return CliRunner().invoke(app, list(map(str, words)), **options)


def run_script(main: Callable[..., Any], *words: object) -> Result:
    """Run a script's function as the command of these words."""
    app = Typer()
    app.command()(main)
    return CliRunner().invoke(app, list(map(str, words)))


def succeed(*words: object, **options: Any) -> Result:
    """Run a command that has to end with status 0."""
    result = run(*words, **options)
    assert result.exit_code == 0, result.output
    return result
