"""HTML pages of a grading: one of the class, one per student with every lost game, and one per lost game."""

from collections.abc import Sequence
from pathlib import Path

from planetwars_env.arena.game_store import GameStore, load_replay
from planetwars_env.arena.grading import GradeReport, OpponentGrade, grades_table
from planetwars_env.arena.report_page import write_report
from planetwars_env.arena.scheme import GradingScheme
from planetwars_env.render.pages import write_game_page
from planetwars_env.replay import ReplayError
from planetwars_env.text import file_name

_FAULTS = 100
"""Faults of a student that a page shows."""


def write_pages(
    path: Path, grades: Sequence[GradeReport], scheme: GradingScheme, store: GameStore, each: int | None = None
) -> None:
    """Write the page of the class to ``path``, and the others into the folder of the students beside it.

    ``each``: lost games per opponent and student to show; None for all. Pages of games that are there are not made again.
    """
    points = ", ".join(f"{name} {worth:g}" for name, worth in scheme.opponents.items())
    rule = (
        f"Points for winning more than {scheme.threshold:.0%} of {scheme.games} games: {points}; at most {scheme.total:g}. "
        f"{scheme.chosen_rules.name}, graphs: {scheme.graphs}{', disturbed' if scheme.disturb else ''}."
    )
    links = {}
    for one in grades:
        page = path.with_suffix("") / "students" / file_name(one.player) / "index.html"
        links[one.player] = page.relative_to(path.parent).as_posix()
        page.parent.mkdir(parents=True, exist_ok=True)
        circling = (grade.result.describe_circling(one.player) for grade in one.grades)
        write_report(
            page,
            "student.html",
            f"{one.player}: {one.points:g} of {scheme.total:g} points",
            reason=None if one.grades else one.submission.reason,
            rule=rule,
            results=one.table("Results: won / drawn / lost"),
            sentences=[one.moves.describe(one.player), *filter(None, circling)],
            games=[game for grade in one.grades for game in _lost_games(grade, store, page.parent, each)],
            faults=one.faults[:_FAULTS],
        )
    title = f"Grades of {len(grades)} submissions"
    write_report(path, "grades.html", title, rule=rule, grades=grades_table(grades, scheme), links=links)


def _lost_games(grade: OpponentGrade, store: GameStore, folder: Path, each: int | None) -> list[tuple[str, str]]:
    """Write the pages of the lost games against an opponent that are not there; return their titles and links."""
    opponent, links = grade.result.opponent, []
    for game in grade.lost[:each]:
        title = f"on {game.graph} as player {grade.side(game)}"
        name = f"{file_name(f'{opponent} {title}')}-{game.fingerprint}.html"
        title = f"lost to {opponent} {title}"
        try:
            if not (folder / name).exists():
                write_game_page(folder / name, load_replay(store, game.key, console=True))
        except ReplayError as fault:
            links.append((f"{title} (too long to show: {fault})", "#"))
            continue
        links.append((title, name))
    return links
