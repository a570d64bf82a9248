"""Plays a replay or makes a page, a film, a picture of it: python scripts/watch.py --help, as `planetwars watch`."""

import typer

from planetwars_env.cli.watch import watch

if __name__ == "__main__":
    typer.run(watch)
