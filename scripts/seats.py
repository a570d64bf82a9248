"""Counts the seats of a pool that anybody ever wins: python scripts/seats.py --help."""

import typer

from planetwars_env.cli.seats import seats

if __name__ == "__main__":
    typer.run(seats)
