"""Writes a strategy file to start from, with comments; it beats random already: python scripts/new_strategy.py NAME."""

from pathlib import Path
from typing import Annotated

import typer

from planetwars_env.bots.writing import write_strategy
from planetwars_env.cli.faults import told


def new_strategy(
    name: Annotated[str, typer.Argument(help="For example 'Red Giant'.")],
    folder: Annotated[Path, typer.Option(help="Where the file goes.")] = Path(),
) -> None:
    """Write a strategy file to start from."""
    with told():
        path = write_strategy(name, folder)
    typer.echo(f"{path} is written. Try it: python scripts/evaluate.py {path} --opponents random")


if __name__ == "__main__":
    typer.run(new_strategy)
