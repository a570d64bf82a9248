"""``planetwars grade``: the points that a strategy reaches in the course."""

from pathlib import Path
from typing import Annotated

import typer

from planetwars_env.cli.errors import UNSAFE, check_writable, require, require_for_players, user_errors


def grade(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="A .py file, module:Class, an agent or another bot.")],
    graphs: Annotated[str, typer.Option(help="A pool, a graph, a .dot file or a folder of them.")] = "test",
    rules: Annotated[str, typer.Option(help="PLANETWARS, PLANETWARS_HALF_STEP or SPACE_EXPLORERS.")] = "PLANETWARS",
    out: Annotated[Path | None, typer.Option(help="Write grades and games to this JSON file.")] = None,
    seed: Annotated[
        int | None, typer.Option(help="A number makes the games those of anybody with it; default: a new secret.")
    ] = None,
    undisturbed: Annotated[
        bool, typer.Option("--undisturbed", help="Play the graphs as they are, which everybody may know.")
    ] = False,
    unsafe: Annotated[bool, typer.Option("--unsafe", help=UNSAFE)] = False,
) -> None:
    """OpponentGrade by the course's rule: 100 games against random and each AI, isolated; 30 points for random, 10 for an AI.

    \b
    Examples:
      planetwars grade my_strategy.py
      planetwars grade my_strategy.py --graphs fair --out grade.json
      planetwars grade runs/demo --seed 7
    """
    with user_errors("Nothing was written but files that are whole."):
        require("arena", "joblib")
        require_for_players([player])
        if out is not None:
            check_writable(out)
        from planetwars_env.cli.grade_view import grade_with_progress

        grade_with_progress(player, graphs, rules, seed, out, not undisturbed, unsafe)
