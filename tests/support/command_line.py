"""Commands of `planetwars` and of scripts, run within the process of the tests."""

from collections.abc import Callable
from typing import Any

from typer import Typer
from typer.testing import CliRunner, Result

from planetwars_env.cli.main import app


def run(*words: object, program: Typer = app, **options: Any) -> Result:
    """Run the command of these words, of `planetwars` or another ``program``; ``options`` are those of typer's runner."""
    return CliRunner().invoke(program, list(map(str, words)), **options)


def run_script(main: Callable[..., Any], *words: object) -> Result:
    """Run a script's function as the command of these words."""
    program = Typer()
    program.command()(main)
    return run(*words, program=program)


def succeed(*words: object, **options: Any) -> Result:
    """Run a command that has to end with status 0."""
    result = run(*words, **options)
    assert result.exit_code == 0, result.output
    return result
