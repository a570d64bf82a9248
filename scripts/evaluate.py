"""Measures an agent or a bot: python scripts/evaluate.py --help, the same as `planetwars evaluate`."""

import typer

from planetwars_env.cli.evaluate import evaluate

if __name__ == "__main__":
    typer.run(evaluate)
