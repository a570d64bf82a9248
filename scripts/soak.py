"""Plays random games under audit for as long as wanted: python scripts/soak.py --help."""

import typer

from planetwars_env.cli.soak import soak

if __name__ == "__main__":
    typer.run(soak)
