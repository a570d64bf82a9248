"""Play yourself, in the browser or the terminal: python scripts/play.py --help, as `planetwars play`."""

import typer

from planetwars_env.cli.play import play

if __name__ == "__main__":
    typer.run(play)
