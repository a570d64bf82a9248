"""Command `planetwars grade`: points by a scheme, of one strategy or of a class."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from planetwars_env.arena.tables import Table
from planetwars_env.cli.errors import check_writable, parse_players, user_errors
from planetwars_env.cli.options import Address, Jobs, SecretSeed, Undisturbed, Unsafe

if TYPE_CHECKING:
    from planetwars_env.arena.scheme import GradingScheme


def grade(
    submissions: Annotated[
        list[str],
        typer.Argument(
            metavar="SUBMISSION...",
            help="A .py file, a folder or .zip of them, cmd:PROGRAM, module:Class, an agent or another bot; several of them; "
            "or, with a .csv file as --out, one folder that holds a file or folder per student.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Write the results to this .json file (one submission) or .csv file (a class).")
    ] = None,
    scheme: Annotated[
        str, typer.Option(help="Opponents, points, games and limits: a YAML file; `planetwars docs grading` shows it.")
    ] = "course",
    html: Annotated[
        bool, typer.Option("--html", help="With a .csv file: write pages too, with every lost game to watch.")
    ] = False,
    lost: Annotated[
        int | None, typer.Option(min=0, help="With --html: lost games per opponent and student; default: all.")
    ] = None,
    gradescope: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the results.json of Gradescope (one submission).")
    ] = None,
    graphs: Annotated[str | None, typer.Option(help="Other graphs than the scheme's.")] = None,
    rules: Annotated[str | None, typer.Option(help="Other rules than the scheme's.")] = None,
    seed: SecretSeed = None,
    undisturbed: Undisturbed = False,
    jobs: Jobs = -1,
    address: Address = None,
    unsafe: Unsafe = False,
) -> None:
    """Grade strategies: 100 isolated games against each of random, ai1, ai2 and ai3; 30 points for random, 10 for each AI.

    \b
    Examples:
      planetwars grade my_strategy.py
      planetwars grade my_strategy.py --graphs fair --out grade.json
      planetwars grade submissions/ --out grades.csv --html
      planetwars grade ada.py bob.zip eve/ --scheme mine.yaml --out grades.csv
    """
    a_class = len(submissions) > 1 or (out is not None and out.suffix == ".csv")
    folder = (out or Path("runs/grades.csv")).with_suffix("")
    kept = f"Finished games are in {folder}: run the same command again, and it continues." if a_class else ""
    with user_errors(kept or "Files that were written are complete."):
        from planetwars_env.arena.tasks import ray_cluster

        chosen = _scheme(scheme, graphs, rules, seed, undisturbed)
        if a_class and gradescope is not None:
            raise ValueError("--gradescope grades one submission: name one, and no .csv file as --out")
        if not a_class and html:
            raise ValueError("--html needs a .csv file as --out: --out grades.csv")
        if a_class and out is not None and out.suffix != ".csv":
            raise ValueError(f"the grades of a class are written to a .csv file, not to {out}: --out grades.csv")
        with ray_cluster(address):
            if a_class:
                _grade_class(submissions, chosen, out or Path("runs/grades.csv"), html, lost, jobs, unsafe)
            else:
                check_writable(out)
                check_writable(gradescope)
                _grade_one(submissions[0], chosen, out, gradescope, jobs, unsafe)


def _scheme(name: str, graphs: str | None, rules: str | None, seed: int | None, undisturbed: bool) -> GradingScheme:
    """Return the scheme with what the options change."""
    from planetwars_env.arena.scheme import load_scheme

    chosen = load_scheme(name)
    changed = {"graphs": graphs, "rules": rules, "seed": seed, "disturb": False if undisturbed else None}
    return replace(chosen, **{key: value for key, value in changed.items() if value is not None})


def _grade_class(
    given: Sequence[str], scheme: GradingScheme, out: Path, html: bool, lost: int | None, jobs: int, unsafe: bool
) -> None:
    """Grade all submissions into ``out`` and the folder beside it; ``lost``: pages per student and opponent."""
    from planetwars_env.arena.class_grading import grade_class, grades_csv, grades_table
    from planetwars_env.arena.grade_pages import write_pages
    from planetwars_env.arena.provenance import provenance
    from planetwars_env.arena.sandbox import choose_sandbox
    from planetwars_env.arena.submissions import find_submissions, load_submissions
    from planetwars_env.arena.tournament import PRINTED, open_store
    from planetwars_env.cli.results_table import print_table, save_json
    from planetwars_env.cli.tournament_view import print_seeds, tournament_bar
    from planetwars_env.files import write_atomically
    from planetwars_env.graphs.catalogue import resolve_graphs
    from planetwars_env.text import last_line

    console, begun = Console(), time.monotonic()
    check_writable(out)
    folder = out.with_suffix("")
    with open_store(folder) as store:
        console.print(f"Isolation: {choose_sandbox(unsafe).value}.", highlight=False)
        print_seeds(console, scheme.seed, scheme.disturb)
        submissions = find_submissions(given, folder / "submissions")
        console.print(f"Loading {len(submissions)} submissions.", highlight=False)
        submissions = load_submissions(submissions, scheme.limits(unsafe))
        broken = [[one.student, last_line(one.reason)] for one in submissions if one.player is None]
        if broken:
            title = f"{len(broken)} cannot be loaded and get 0 points"
            print_table(console, Table(title, ["student", "reason"], broken))
        else:
            console.print("All of them can be loaded.", highlight=False)
        with tournament_bar(console) as bar:
            grades, seed = grade_class(submissions, scheme, store, folder / PRINTED, bar, jobs, unsafe)
        print_table(console, grades_table(grades, scheme).without("compete", "reason"))
        write_atomically(out, grades_csv(grades, scheme).encode())
        players = [one.player for one in submissions if one.player is not None]
        drawn, rules = resolve_graphs(scheme.graphs), scheme.chosen_rules
        played = provenance(players, scheme.graphs, drawn, rules)
        save_json(folder / "scheme.json", {**scheme.to_dict(), "seed": seed, "played": played})
        if html:
            write_pages(out.with_suffix(".html"), grades, scheme, store, lost)
    files = " and ".join(str(out.with_suffix(end)) for end in (".csv", ".html") if html or end == ".csv")
    console.print(f"The grades are in {files}, the games in {folder}.", highlight=False, markup=False)
    console.print(f"{len(grades)} submissions in {time.monotonic() - begun:.0f} s.", highlight=False)


def _grade_one(
    submission: str, scheme: GradingScheme, out: Path | None, gradescope: Path | None, jobs: int, unsafe: bool
) -> None:
    """Play the games with a progress bar, print the table and write the files."""
    from planetwars_env.arena.grading import (
        games_not_won,
        gradescope_failure,
        gradescope_results,
        plan_grading,
        play_grading,
    )
    from planetwars_env.arena.plan import load_plan
    from planetwars_env.arena.provenance import provenance
    from planetwars_env.arena.round_robin import printed_file
    from planetwars_env.cli.progress import games_bar
    from planetwars_env.cli.results_table import print_faults, print_moves, print_table, save_json
    from planetwars_env.cli.tournament_view import print_isolation, print_seeds

    console, begun = Console(), time.monotonic()
    try:
        (player,) = parse_players([submission])
        print_isolation(console, [player], unsafe)
        print_seeds(console, scheme.seed, scheme.disturb)
        plan = load_plan(plan_grading(player, scheme, unsafe))
    except ValueError as fault:
        if gradescope is not None:
            save_json(gradescope, gradescope_failure(scheme, str(fault), time.monotonic() - begun))
        raise
    file = printed_file(Path("runs/printed") if out is None else out.with_suffix(""), plan.contestants[0].name)
    file.unlink(missing_ok=True)  # of an earlier grading
    with games_bar(console, scheme.games * len(scheme.opponents)) as count:
        report = play_grading(plan, scheme, jobs, count, file.parent)
    print_moves(console, {report.player: report.moves}, first=True)
    print_table(console, report.table(f"{report.player} on {scheme.graphs}, {scheme.rules}: won / drawn / lost"))
    print_moves(console, {report.player: report.moves})
    circling = (one.result.describe_circling(report.player) for one in report.grades)
    for line in [*games_not_won(report), *filter(None, circling)]:
        console.print(line, highlight=False, markup=False)
    print_faults(console, report.faults)
    if file.exists():
        console.print(f"What {report.player} printed is in {file}.", highlight=False, markup=False)
    if out is not None:
        head = provenance(plan.contestants, scheme.graphs, plan.graphs, plan.rules, scheme=scheme.to_dict())
        save_json(out, {**report.to_dict(), "graphs": scheme.graphs, "rules": scheme.rules, "played": head})
    if gradescope is not None:
        save_json(gradescope, gradescope_results(report, time.monotonic() - begun))
    for path in filter(None, (out, gradescope)):
        console.print(f"Results are in {path}.", highlight=False, markup=False)
