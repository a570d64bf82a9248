"""Lists the trained agents and puts a finished run among them: python scripts/zoo.py --help, the same as `planetwars zoo`."""

from planetwars_env.cli.zoo import app

if __name__ == "__main__":
    app()
