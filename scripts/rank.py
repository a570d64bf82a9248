"""Ranks bots and strategies in a tournament: python scripts/rank.py --help, the same as `planetwars rank`."""

import typer

from planetwars_env.cli.rank import rank

if __name__ == "__main__":
    typer.run(rank)
