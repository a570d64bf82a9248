"""HTML pages of a grading: one of the class, one per student with every lost game, and one per lost game."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from planetwars_env.arena.class_grading import StudentGrade, illegal_fraction
from planetwars_env.arena.game_records import GameKey
from planetwars_env.arena.game_store import GameStore
from planetwars_env.arena.grading import GameRef, GradeReport
from planetwars_env.arena.isolation import Fault
from planetwars_env.arena.replays import load_replay
from planetwars_env.arena.report_page import games_list, page, page_name, table
from planetwars_env.arena.scheme import GradingScheme
from planetwars_env.files import write_atomically
from planetwars_env.render.pages import write_game_page
from planetwars_env.replay import ReplayError

_FAULTS = 100
"""Faults of a student that a page shows."""


def write_pages(
    path: Path, grades: Sequence[StudentGrade], scheme: GradingScheme, store: GameStore, each: int | None = None
) -> None:
    """Write the page of the class to ``path``, and the others into the folder of the students beside it.

    ``each``: lost games per opponent and student to show; None for all. Pages of games that are there are not made again.
    """
    links = {}
    for one in grades:
        place = path.with_suffix("") / "students" / page_name(one.student) / "index.html"
        links[one.student] = place.relative_to(path.parent).as_posix()
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(place, _student_page(one, scheme, store, place.parent, each).encode())
    rates = [f"won against {name}" for name in scheme.opponents]
    head = ["student", "points", *rates, "faults", "illegal moves", "compete", "seconds", "reason"]
    content = table(("Grades", head, [_row(one, scheme) for one in grades]), links=links)
    write_atomically(path, page(f"Grades of {len(grades)} submissions", [_rule(scheme), content]).encode())


def _rule(scheme: GradingScheme) -> str:
    points = ", ".join(f"{name} {worth:g}" for name, worth in scheme.opponents.items())
    games = f"{scheme.chosen_rules.name}, graphs: {scheme.graphs}{', disturbed' if scheme.disturb else ''}"
    said = f"Points for winning more than {scheme.threshold:.0%} of {scheme.games} games: {points}; at most {scheme.total:g}"
    return f"<p>{escape(f'{said}. {games}.')}</p>"


def _row(one: StudentGrade, scheme: GradingScheme) -> list[str]:
    report = one.report
    if report is None:
        return [one.student, "0", *("" for _ in scheme.opponents), "", "", "", "", one.reason]
    rates = [f"{grade.result.total.win_rate:.0%}" for grade in report.grades]
    competes = "yes" if one.checked.competes else "no"
    counted = [str(len(report.faults)), f"{illegal_fraction(report):.1%}", competes, f"{report.seconds:.0f}"]
    return [one.student, f"{report.points:g}", *rates, *counted, one.reason]


def _student_page(one: StudentGrade, scheme: GradingScheme, store: GameStore, folder: Path, each: int | None) -> str:
    title, report = f"{one.student}: {one.points:g} of {scheme.total:g} points", one.report
    if report is None:
        return page(title, [f"<p>The submission cannot be loaded.</p><pre>{escape(one.checked.reason)}</pre>"])
    head = ["against", "games", "won", "drawn", "lost", "win rate", "points"]
    rows = []
    for grade in report.grades:
        total = grade.result.total
        counted = [str(count) for count in (total.games, total.wins, total.draws, total.losses)]
        rows.append([grade.result.opponent, *counted, f"{total.win_rate:.1%}", f"{grade.points:g} of {grade.worth:g}"])
    parts = [_rule(scheme), table(("Results", head, rows)), f"<p>{escape(report.moves.describe(one.student))}</p>"]
    circling = filter(None, (grade.result.describe_circling(one.student) for grade in report.grades))
    parts += [f"<p>{escape(said)}</p>" for said in circling]
    games = [
        link for grade in report.grades for link in _lost_games(report, grade.result.opponent, store, folder, each)
    ]
    return page(title, [*parts, games_list(games), *map(_fault, report.faults[:_FAULTS])])


def _fault(fault: Fault) -> str:
    said = f"{fault.kind} on turn {fault.turn}, costs the {fault.forfeits}: {fault.summary}"
    return f"<details><summary>{escape(said)}</summary><pre>{escape(fault.text)}</pre></details>"


def _lost_games(
    report: GradeReport, opponent: str, store: GameStore, folder: Path, each: int | None
) -> list[tuple[str, str]]:
    """Write the pages of the lost games against an opponent that are not there; return their titles and links."""
    (lost,) = (grade.lost for grade in report.grades if grade.result.opponent == opponent)
    links = []
    for game in lost[:each]:
        name = f"{page_name(f'{opponent} on {game.graph}')}-as-player-{game.player}-{game.fingerprint}.html"
        title = f"lost to {opponent} on {game.graph} as player {game.player}"
        try:
            if not (folder / name).exists():
                replay = load_replay(store, _key(report.player, opponent, game), console=True)
                write_game_page(folder / name, replay)
        except ReplayError as fault:
            links.append((f"{title} (too long to show: {fault})", "#"))
            continue
        links.append((title, name))
    return links


def _key(player: str, opponent: str, game: GameRef) -> GameKey:
    first, second = (player, opponent) if game.player == 1 else (opponent, player)
    return GameKey(first, second, game.graph, game.repetition)
