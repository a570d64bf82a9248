"""Trains an agent: python scripts/train.py --help, the same as `planetwars train`."""

import typer

from planetwars_env.cli.train import train

if __name__ == "__main__":
    typer.run(train)
