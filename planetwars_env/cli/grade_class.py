"""Grading of a class by `planetwars grade`: what is broken first, then the games, then the grades."""

import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from planetwars_env.arena.class_grading import (
    StudentGrade,
    grade_class,
    grades_csv,
    illegal_fraction,
)
from planetwars_env.arena.game_store import GameStore
from planetwars_env.arena.grade_pages import write_pages
from planetwars_env.arena.provenance import provenance
from planetwars_env.arena.sandbox import choose_sandbox
from planetwars_env.arena.scheme import GradingScheme
from planetwars_env.arena.submissions import find_submissions, load_submissions
from planetwars_env.arena.tables import Table
from planetwars_env.arena.tournament import GAMES_FILE, PRINTED
from planetwars_env.cli.errors import check_writable
from planetwars_env.cli.results_table import print_table, save_json
from planetwars_env.cli.tournament_view import print_seeds, tournament_bar
from planetwars_env.files import write_atomically
from planetwars_env.graphs.catalogue import resolve_graphs
from planetwars_env.text import last_line


def grade_all(
    given: Sequence[str], scheme: GradingScheme, out: Path, html: bool, lost: int | None, jobs: int, unsafe: bool
) -> None:
    """Grade all submissions into ``out`` and the folder beside it; ``lost``: pages per student and opponent."""
    console, begun = Console(), time.monotonic()
    check_writable(out)
    folder = out.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    with GameStore(folder / GAMES_FILE) as store, store.lock():
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
        print_table(console, _points_table(grades, scheme))
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


def _points_table(grades: Sequence[StudentGrade], scheme: GradingScheme) -> Table:
    rows = []
    for one in grades:
        report = one.report
        if report is None:
            rows.append([one.student, "0", *("" for _ in scheme.opponents), "broken", "", ""])
            continue
        rates = (f"{grade.result.total.win_rate:.0%}" for grade in report.grades)
        counts = str(len(report.faults)), f"{illegal_fraction(report):.0%}", f"{report.seconds:.0f}"
        rows.append([one.student, f"{report.points:g}", *rates, *counts])
    headings = ["student", "points", *scheme.opponents, "faults", "illegal", "seconds"]
    return Table(f"Points of {scheme.total:g}; games won against each opponent", headings, rows)
