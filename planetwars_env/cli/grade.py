"""Command `planetwars grade`: points of a strategy by the course's rule."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from planetwars_env.cli.errors import check_writable, require_for_players, user_errors
from planetwars_env.cli.options import Graphs, ResultsFile, Rules, SecretSeed, Undisturbed, Unsafe

if TYPE_CHECKING:
    from rich.table import Table

    from planetwars_env.arena.grading import GradeReport


def grade(
    player: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER", help="A .py file, a folder or .zip of them, module:Class, an agent or another bot."
        ),
    ],
    graphs: Graphs = "test",
    rules: Rules = "PLANETWARS",
    out: ResultsFile = None,
    seed: SecretSeed = None,
    undisturbed: Undisturbed = False,
    unsafe: Unsafe = False,
) -> None:
    """Grade a strategy: 100 isolated games against each of random, ai1, ai2 and ai3; 30 points for random, 10 for each AI.

    \b
    Examples:
      planetwars grade my_strategy.py
      planetwars grade my_strategy.py --graphs fair --out grade.json
      planetwars grade runs/demo --seed 7
    """
    with user_errors("Files that were written are complete."):
        require_for_players([player])
        check_writable(out)
        _grade(player, graphs, rules, seed, out, not undisturbed, unsafe)


def _grade(
    player: str, graphs: str, rules: str, seed: int | None, out: Path | None, disturb: bool, unsafe: bool
) -> None:
    """Play the games with a progress bar, print the table and write the file."""
    from planetwars_env.arena.grading import (
        GAMES_PER_OPPONENT,
        POINTS_FOR_BEATING,
        games_not_won,
        plan_grading,
        play_grading,
    )
    from planetwars_env.arena.printed import printed_file
    from planetwars_env.arena.round_robin import load_plan
    from planetwars_env.cli.progress import games_bar
    from planetwars_env.cli.results_table import print_faults, print_moves, save_json
    from planetwars_env.cli.tournament_view import print_isolation, print_seeds
    from planetwars_env.envs.arguments import resolve_rules
    from planetwars_env.graphs.catalogue import resolve_graphs

    console = Console()
    plan = plan_grading(player, resolve_graphs(graphs), resolve_rules(rules), seed, disturb, unsafe)
    print_isolation(console, plan.contestants, unsafe)
    print_seeds(console, seed, disturb)
    plan = load_plan(plan)
    file = printed_file(Path("runs/printed") if out is None else out.with_suffix(""), plan.contestants[0].name)
    file.unlink(missing_ok=True)  # of an earlier grading
    with games_bar(console, GAMES_PER_OPPONENT * len(POINTS_FOR_BEATING)) as count:
        report = play_grading(plan, on_games=count, printed=file.parent)
    print_moves(console, {report.player: report.moves}, first=True)
    console.print(_table(report, f"{report.player} on {graphs}, {rules}"))
    print_moves(console, {report.player: report.moves})
    for line in games_not_won(report):
        console.print(line, highlight=False, markup=False)
    print_faults(console, report.faults)
    if file.exists():
        console.print(f"What {report.player} printed is in {file}.", highlight=False, markup=False)
    if out is not None:
        save_json(out, {**report.to_dict(), "graphs": graphs, "rules": rules})
        console.print(f"Results are in {out}.", highlight=False, markup=False)


def _table(report: GradeReport, title: str) -> Table:
    """Return a table with one row per opponent and the sum, 80 characters wide."""
    from planetwars_env.arena.grading import MOST_POINTS, POINTS_FOR_BEATING
    from planetwars_env.arena.results import BEATEN_ABOVE
    from planetwars_env.cli.results_table import counts, plain_table

    numbers = ("games", "as player 1", "as player 2", "win rate", f"> {BEATEN_ABOVE:.0%}", "points")
    footer = ["together", *[""] * 5, f"{report.points} of {MOST_POINTS}"]
    table = plain_table(f"{title}: won / drawn / lost", ["opponent"], numbers, footer)
    for one in report.grades:
        result = one.result
        table.add_row(
            result.opponent,
            str(result.total.games),
            counts(result.as_player_1),
            counts(result.as_player_2),
            f"{result.total.win_rate:.1%}",
            "yes" if result.beaten else "no",
            f"{one.points} of {POINTS_FOR_BEATING[result.opponent]}",
        )
    return table
