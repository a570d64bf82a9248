"""HTML pages of a grading: one of the class, one per student with every lost game, and one per lost game."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten

from planetwars_env.arena.class_grading import StudentGrade, illegal_fraction
from planetwars_env.arena.game_store import GameStore, load_replay
from planetwars_env.arena.grading import OpponentGrade
from planetwars_env.arena.report_page import page_name, write_report
from planetwars_env.arena.scheme import GradingScheme
from planetwars_env.arena.tables import Table
from planetwars_env.render.pages import write_game_page
from planetwars_env.replay import ReplayError

_FAULTS = 100
"""Faults of a student that a page shows."""
_REASON = 120
"""Letters of a reason in the table of the class; the student's page has all of it."""


def write_pages(
    path: Path, grades: Sequence[StudentGrade], scheme: GradingScheme, store: GameStore, each: int | None = None
) -> None:
    """Write the page of the class to ``path``, and the others into the folder of the students beside it.

    ``each``: lost games per opponent and student to show; None for all. Pages of games that are there are not made again.
    """
    points = ", ".join(f"{name} {worth:g}" for name, worth in scheme.opponents.items())
    rule = (
        f"Points for winning more than {scheme.threshold:.0%} of {scheme.games} games: {points}; at most {scheme.total:g}. "
        f"{scheme.chosen_rules.name}, graphs: {scheme.graphs}{', disturbed' if scheme.disturb else ''}."
    )
    links, rows = {}, []
    for one in grades:
        page = path.with_suffix("") / "students" / page_name(one.student) / "index.html"
        links[one.student] = page.relative_to(path.parent).as_posix()
        page.parent.mkdir(parents=True, exist_ok=True)
        title, report = f"{one.student}: {one.points:g} of {scheme.total:g} points", one.report
        if report is None:
            write_report(page, "student.html", title, reason=one.submission.reason)
            rows.append([one.student, "0", *[""] * (len(scheme.opponents) + 4), one.reason])
            continue
        circling = (grade.result.describe_circling(one.student) for grade in report.grades)
        write_report(
            page,
            "student.html",
            title,
            reason=None,
            rule=rule,
            results=_results(report.grades),
            sentences=[report.moves.describe(one.student), *filter(None, circling)],
            games=[game for grade in report.grades for game in _lost_games(grade, store, page.parent, each)],
            faults=report.faults[:_FAULTS],
        )
        rates = [f"{grade.result.total.win_rate:.0%}" for grade in report.grades]
        competes = "yes" if one.submission.competes else "no"
        counts = [str(len(report.faults)), f"{illegal_fraction(report):.1%}", competes, f"{report.seconds:.0f}"]
        rows.append(
            [one.student, f"{report.points:g}", *rates, *counts, shorten(one.reason, _REASON, placeholder=" …")]
        )
    rates = [f"won against {name}" for name in scheme.opponents]
    headings = ["student", "points", *rates, "faults", "illegal moves", "compete", "seconds", "reason"]
    title = f"Grades of {len(grades)} submissions"
    write_report(path, "grades.html", title, rule=rule, grades=Table("Grades", headings, rows), links=links)


def _results(grades: Sequence[OpponentGrade]) -> Table:
    rows = []
    for grade in grades:
        total = grade.result.total
        counts = [str(count) for count in (total.games, total.wins, total.draws, total.losses)]
        rows.append([grade.result.opponent, *counts, f"{total.win_rate:.1%}", f"{grade.points:g} of {grade.worth:g}"])
    return Table("Results", ["against", "games", "won", "drawn", "lost", "win rate", "points"], rows)


def _lost_games(grade: OpponentGrade, store: GameStore, folder: Path, each: int | None) -> list[tuple[str, str]]:
    """Write the pages of the lost games against an opponent that are not there; return their titles and links."""
    opponent, links = grade.result.opponent, []
    for game in grade.lost[:each]:
        title = f"on {game.graph} as player {grade.side(game)}"
        name = f"{page_name(f'{opponent} {title}')}-{game.fingerprint}.html"
        title = f"lost to {opponent} {title}"
        try:
            if not (folder / name).exists():
                write_game_page(folder / name, load_replay(store, game.key, console=True))
        except ReplayError as fault:
            links.append((f"{title} (too long to show: {fault})", "#"))
            continue
        links.append((title, name))
    return links
