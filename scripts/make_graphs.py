"""Writes the shipped pools of graphs/ again, bit for bit: python scripts/make_graphs.py [--check | --preview FOLDER]."""

import typer

from planetwars_env.cli.graphs import make_graphs

if __name__ == "__main__":
    typer.run(make_graphs)
