"""Command `planetwars new`: a strategy file to start from."""

from pathlib import Path
from typing import Annotated

import typer

from planetwars_env.bots.writing import write_strategy
from planetwars_env.cli.errors import user_errors


def new(
    name: Annotated[str, typer.Argument(help="Name of the strategy, for example 'Red Giant'.")],
    folder: Annotated[Path, typer.Option(help="Folder of the file.")] = Path(),
) -> None:
    """Write a strategy file to start from, with comments. It beats random as it is.

    \b
    Examples:
      planetwars new Conqueror                        # writes conqueror.py
      planetwars new "Red Giant"                      # writes red_giant.py
      planetwars new "Red Giant" --folder strategies
    """
    with user_errors():
        path = write_strategy(name, folder)
    typer.echo(f"{path} is written. Try it: planetwars evaluate {path} --opponents random")
