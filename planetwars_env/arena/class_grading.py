"""Grading of a class: the games of all submissions that were loaded are played into one store, then graded by a scheme."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import shorten

from planetwars_env.arena.contestants import fingerprint_player
from planetwars_env.arena.game_store import GameStore
from planetwars_env.arena.grading import GradeReport, grade_reports, plan_class
from planetwars_env.arena.plan import Seed
from planetwars_env.arena.round_robin import run_tournament
from planetwars_env.arena.scheme import GradingScheme
from planetwars_env.arena.submissions import Submission
from planetwars_env.arena.tables import Table
from planetwars_env.arena.tournament import TournamentCallback

_REASON = 120
"""Letters of a reason in the table of the class; the student's page has all of it."""


def grade_class(
    submissions: Sequence[Submission],
    scheme: GradingScheme,
    store: GameStore,
    printed: Path,
    callback: TournamentCallback,
    jobs: int = -1,
    unsafe: bool = False,
) -> tuple[list[GradeReport], Seed | None]:
    """Play the games that the store lacks; return the grades, in the order of the submissions, and the seed.

    The games of a submission that has changed since are played again.
    """
    players = [one.player for one in submissions if one.player is not None]
    reports, seed = dict[str, GradeReport](), None
    if players:
        known = store.metadata("contestants", {})
        for one in players:  # where only the place of the files is another, the games stay
            spec, fingerprint = known.get(one.name, (one.spec, ""))
            if fingerprint and fingerprint != fingerprint_player(one):
                store.forget(one.name)
                del known[one.name]
            elif fingerprint and spec != one.spec:
                known[one.name] = [one.spec, fingerprint]
        store.save_metadata("contestants", known)
        plan = plan_class(players, scheme, unsafe)
        plan = run_tournament(plan, store, jobs, callback.on_games, callback.on_start, printed)
        reports, seed = grade_reports(plan, store, scheme), plan.seed
    nothing = GradeReport("", (), (), scheme.total)
    return [replace(reports.get(one.student, nothing), player=one.student, submission=one) for one in submissions], seed


def grades_csv(grades: Sequence[GradeReport], scheme: GradingScheme) -> str:
    """Return CSV with one line per student."""
    rates = [f"win_rate_{name}" for name in scheme.opponents]
    counts = ["games", "faults", "games_forfeited", "moves", "illegal_moves", "compete", "seconds"]
    rows = []
    for one in grades:
        assert one.submission is not None
        won = [f"{grade.result.total.win_rate:.4f}" for grade in one.grades] or [""] * len(rates)
        cells = [
            sum(grade.result.total.games for grade in one.grades),
            len(one.faults),
            sum(fault.forfeits == "game" for fault in one.faults),
            one.moves.sent,
            f"{one.illegal:.4f}",
            "yes" if one.submission.competes else "no",
            f"{one.seconds:.1f}",
        ]
        points = f"{one.points:g}", f"{scheme.total:g}"
        rows.append([one.player, *points, *won, *cells, one.submission.strategy, one.submission.place, one.reason])
    head = ["student", "points", "of", *rates, *counts, "strategy", "submission", "reason"]
    return Table("", head, rows).csv()


def grades_table(grades: Sequence[GradeReport], scheme: GradingScheme) -> Table:
    """Return the grades with one row per student, as they are shown."""
    rows = []
    for one in grades:
        rates = [f"{grade.result.total.win_rate:.0%}" for grade in one.grades]
        competes = "yes" if one.submission and one.submission.competes else "no"
        counts = [str(len(one.faults)), f"{one.illegal:.0%}", f"{one.seconds:.0f}", competes]
        cells = [*rates, *counts] if one.grades else [*[""] * len(scheme.opponents), "broken", "", "", ""]
        rows.append([one.player, f"{one.points:g}", *cells, shorten(one.reason, _REASON, placeholder=" …")])
    headings = ["student", "points", *scheme.opponents, "faults", "illegal", "seconds", "compete", "reason"]
    return Table(f"Points of {scheme.total:g}; games won against each opponent", headings, rows)
