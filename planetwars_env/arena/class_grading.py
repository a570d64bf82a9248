"""Grading of a class: the games of all submissions that were loaded are played into one store, then graded by a scheme."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from planetwars_env.arena.contestants import fingerprint_player
from planetwars_env.arena.game_store import GameStore
from planetwars_env.arena.grading import GradeReport, grade_reports, plan_class
from planetwars_env.arena.plan import Seed
from planetwars_env.arena.round_robin import run_tournament
from planetwars_env.arena.scheme import GradingScheme
from planetwars_env.arena.submissions import Submission
from planetwars_env.arena.tables import Table
from planetwars_env.arena.tournament import TournamentCallback
from planetwars_env.text import last_line


@dataclass(frozen=True, slots=True)
class StudentGrade:
    """Grade of a student; ``report`` is None for a submission that cannot be loaded, which has no points."""

    submission: Submission
    report: GradeReport | None

    @property
    def student(self) -> str:
        """The student's name."""
        return self.submission.student

    @property
    def points(self) -> float:
        """The points."""
        return self.report.points if self.report else 0

    @property
    def reason(self) -> str:
        """Reason why it cannot be loaded, or the most frequent fault in its games; "" without either."""
        faults = Counter((fault.kind, fault.summary) for fault in self.report.faults) if self.report else Counter()
        if not faults:
            return last_line(self.submission.reason)
        ((kind, summary), times), *_ = faults.most_common(1)
        return f"{times} times {kind}: {summary}" if times > 1 else f"{kind}: {summary}"


def grade_class(
    submissions: Sequence[Submission],
    scheme: GradingScheme,
    store: GameStore,
    printed: Path,
    callback: TournamentCallback,
    jobs: int = -1,
    unsafe: bool = False,
) -> tuple[list[StudentGrade], Seed | None]:
    """Play the games that the store lacks; return the grades, in the order of the submissions, and the seed.

    The games of a submission that has changed since are played again.
    """
    players = [one.player for one in submissions if one.player is not None]
    if not players:
        return [StudentGrade(one, None) for one in submissions], None
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
    reports = grade_reports(plan, store, scheme)
    return [StudentGrade(one, reports[one.player.name] if one.player else None) for one in submissions], plan.seed


def grades_csv(grades: Sequence[StudentGrade], scheme: GradingScheme) -> str:
    """Return CSV with one line per student."""
    rates = [f"win_rate_{name}" for name in scheme.opponents]
    counts = ["games", "faults", "games_forfeited", "moves", "illegal_moves", "compete", "seconds"]
    rows = []
    for grade in grades:
        report = grade.report
        if report is None:
            cells = [*("" for _ in rates), "0", *("" for _ in counts[1:])]
        else:
            cells = [
                *(f"{one.result.total.win_rate:.4f}" for one in report.grades),
                sum(one.result.total.games for one in report.grades),
                len(report.faults),
                sum(fault.forfeits == "game" for fault in report.faults),
                report.moves.sent,
                f"{illegal_fraction(report):.4f}",
                "yes" if grade.submission.competes else "no",
                f"{report.seconds:.1f}",
            ]
        points = f"{grade.points:g}", f"{scheme.total:g}"
        submission = grade.submission
        rows.append([grade.student, *points, *cells, submission.strategy, submission.place, grade.reason])
    head = ["student", "points", "of", *rates, *counts, "strategy", "submission", "reason"]
    return Table("", head, rows).csv()


def illegal_fraction(report: GradeReport) -> float:
    """Return the fraction of the moves that were dropped, 0 without moves."""
    return report.moves.dropped / report.moves.sent if report.moves.sent else 0.0
