"""How fast is it here? python scripts/benchmark.py [--quick] [--only NAME] [--out FOLDER] [--runs N]."""

import typer

from planetwars_env.cli.benchmark import benchmark

if __name__ == "__main__":
    typer.run(benchmark)
