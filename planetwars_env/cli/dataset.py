"""Command `planetwars dataset`: a data set of the benchmark, played again and checked."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from planetwars_env.arena.tables import Table
from planetwars_env.cli.shell import parse_players, plain_console, require, user_errors


def dataset(
    name: Annotated[str | None, Argument(metavar="NAME", help="A data set; without: the list of them.")] = None,
    folder: Annotated[Path | None, Option(help="Keep the recording here; default: in the user's cache.")] = None,
    minari: Annotated[Path | None, Option(help="Write the games for Minari into its folder of data sets, too.")] = None,
    games: Annotated[int | None, Option(min=1, help="With --minari: the first so many games; default: all.")] = None,
    observation: Annotated[str, Option(help="With --minari: tensors, flat or derived.")] = "tensors",
) -> None:
    """Play recorded games again from their recipe, check their digest, and keep them for pw.load_dataset.

    \b
    Examples:
      planetwars dataset
      planetwars dataset ai3-1m
      planetwars dataset planner-100k --folder data
      planetwars dataset ai3-1m --minari minari --games 1000 --observation flat
    """
    with user_errors("Nothing was written: run the same command again."):
        from planetwars_env.cli.results_table import print_table
        from planetwars_env.learn.datasets import RECIPES, load_dataset, write_minari

        console = plain_console()
        if name is None:
            rows = [[key, ", ".join(dict(one.players)), one.digest] for key, one in RECIPES.items()]
            print_table(console, Table("Data sets", ["name", "decisions of", "digest"], rows))
            return
        if minari is not None:
            require("minari", "minari", "h5py")
        if name in RECIPES:
            parse_players(player for player, _ in RECIPES[name].players)
        loaded = load_dataset(name, folder)
        console.print(f"{loaded}")
        for split, opponents in loaded.metadata()["opponents"].items():
            won = ", ".join(f"{one['won']:,} of {one['games']:,} against {name}" for name, one in opponents.items())
            console.print(f"{split} opponents, games won: {won}")
        if minari is not None:
            console.print(f"{write_minari(loaded, minari, observation, games)} is in {minari}.")
