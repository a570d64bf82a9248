"""Answers questions by training in several ways, with several seeds: python scripts/study.py --help."""

import typer

from planetwars_env.cli.study import study

if __name__ == "__main__":
    typer.run(study)
