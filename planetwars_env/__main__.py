"""``python -m planetwars_env``: the same as the command ``planetwars``."""

from planetwars_env.cli.main import main

main()
