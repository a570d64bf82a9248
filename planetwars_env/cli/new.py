"""Command `planetwars new`: a strategy to start from."""

from pathlib import Path
from typing import Annotated

import typer

from planetwars_env.bots.writing import write_strategy
from planetwars_env.cli.errors import user_errors


def new(
    name: Annotated[str, typer.Argument(help="Name of the strategy, for example 'Red Giant'.")],
    folder: Annotated[
        bool, typer.Option("--folder", help="Write a folder with two modules instead of one file.")
    ] = False,
    into: Annotated[Path, typer.Option(help="Write it below this folder.")] = Path(),
) -> None:
    """Write a strategy to start from, with comments and a test. It beats random as it is.

    \b
    Examples:
      planetwars new "Red Giant"                    # writes red_giant.py and test_red_giant.py
      planetwars new "Red Giant" --folder           # writes red_giant/ with strategy.py and planning.py
      planetwars new "Red Giant" --into strategies
    """
    with user_errors():
        path = write_strategy(name, into, folder)
    typer.echo(f"{path} and its test are written. Try it: planetwars evaluate {path} --opponents random")
