"""Command `planetwars dataset`: a data set of the benchmark, played again and checked."""

from pathlib import Path
from typing import Annotated

import typer

from planetwars_env.arena.tables import Table
from planetwars_env.cli.errors import parse_players, user_errors
from planetwars_env.cli.shell import plain_console


def dataset(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A data set; without: the list of them.")] = None,
    folder: Annotated[Path | None, typer.Option(help="Keep the recording here; default: in the user's cache.")] = None,
) -> None:
    """Play recorded games again from their recipe, check their digest, and keep them for pw.load_dataset.

    \b
    Examples:
      planetwars dataset
      planetwars dataset ai3-1m
      planetwars dataset planner-100k --folder data
    """
    with user_errors("Nothing was written: run the same command again."):
        from planetwars_env.cli.results_table import print_table
        from planetwars_env.learn.datasets import RECIPES, load_dataset

        console = plain_console()
        if name is None:
            rows = [[key, ", ".join(dict(one.players)), one.digest] for key, one in RECIPES.items()]
            print_table(console, Table("Data sets", ["name", "decisions of", "digest"], rows))
            return
        if name in RECIPES:
            parse_players(player for player, _ in RECIPES[name].players)
        loaded = load_dataset(name, folder)
        console.print(f"{loaded}")
        for split, opponents in loaded.metadata()["opponents"].items():
            won = ", ".join(f"{one['won']:,} of {one['games']:,} against {name}" for name, one in opponents.items())
            console.print(f"{split} opponents, games won: {won}")
