"""Writes docs/win-matrix.md, who beats whom of the built-in bots: python scripts/win_matrix.py --help."""

import typer

from planetwars_env.cli.win_matrix import win_matrix

if __name__ == "__main__":
    typer.run(win_matrix)
