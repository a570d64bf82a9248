"""Grading of a class: every submission is loaded once, then all games are played into one store, then graded by a scheme."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from planetwars_env.arena.contestants import fingerprint_player, try_to_load
from planetwars_env.arena.game_store import GameStore
from planetwars_env.arena.grading import GradeReport, grade_reports, plan_class
from planetwars_env.arena.plan import Seed
from planetwars_env.arena.round_robin import run_tournament
from planetwars_env.arena.scheme import GradingScheme
from planetwars_env.arena.submissions import Submission, player_of
from planetwars_env.arena.tables import Table
from planetwars_env.arena.tournament import TournamentCallback
from planetwars_env.bots.catalogue import Player
from planetwars_env.text import last_line


@dataclass(frozen=True, slots=True)
class CheckedSubmission:
    """Submission after the first pass. ``player``: under the student's name, None if it cannot be loaded for ``reason``.

    ``strategy``: the name that it gives itself; ``competes``: whether it wants to take part in tournaments.
    """

    submission: Submission
    player: Player | None
    strategy: str
    competes: bool
    reason: str = ""

    @property
    def summary(self) -> str:
        """The last line of the reason."""
        return last_line(self.reason)


@dataclass(frozen=True, slots=True)
class StudentGrade:
    """Grade of a student; ``report`` is None for a submission that cannot be loaded, which has no points."""

    checked: CheckedSubmission
    report: GradeReport | None

    @property
    def student(self) -> str:
        """The student's name."""
        return self.checked.submission.student

    @property
    def points(self) -> float:
        """The points."""
        return self.report.points if self.report else 0

    @property
    def reason(self) -> str:
        """Reason why it cannot be loaded, or the most frequent fault in its games; "" without either."""
        faults = Counter((fault.kind, fault.summary) for fault in self.report.faults) if self.report else Counter()
        if not faults:
            return self.checked.summary
        ((kind, summary), times), *_ = faults.most_common(1)
        return f"{times} times {kind}: {summary}" if times > 1 else f"{kind}: {summary}"


def check_submissions(
    submissions: Sequence[Submission], scheme: GradingScheme, unsafe: bool = False
) -> list[CheckedSubmission]:
    """Load every submission once, in a process of its own, and return what is broken with the reason."""
    players = [player_of(one) for one in submissions]
    loaded = iter(try_to_load([one for one in players if isinstance(one, Player)], scheme.limits(unsafe)))
    checked = []
    for submission, player in zip(submissions, players, strict=True):
        if isinstance(player, str):
            checked.append(CheckedSubmission(submission, None, "", False, player))
            continue
        result = next(loaded)
        able = None if result.broken else player
        checked.append(CheckedSubmission(submission, able, result.player.name, result.competes, result.broken))
    return checked


def grade_class(
    checked: Sequence[CheckedSubmission],
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
    players = [one.player for one in checked if one.player is not None]
    if not players:
        return [StudentGrade(one, None) for one in checked], None
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
    return [StudentGrade(one, reports[one.player.name] if one.player else None) for one in checked], plan.seed


def grades_csv(grades: Sequence[StudentGrade], scheme: GradingScheme) -> str:
    """Return CSV with one line per student."""
    rates = [f"win_rate_{name}" for name in scheme.opponents]
    counts = ["games", "faults", "games_forfeited", "moves", "illegal_moves", "compete", "seconds"]
    rows = []
    for grade in grades:
        checked, report = grade.checked, grade.report
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
                "yes" if checked.competes else "no",
                f"{report.seconds:.1f}",
            ]
        points = f"{grade.points:g}", f"{scheme.total:g}"
        rows.append([grade.student, *points, *cells, checked.strategy, checked.submission.place, grade.reason])
    head = ["student", "points", "of", *rates, *counts, "strategy", "submission", "reason"]
    return Table("", head, rows).csv()


def illegal_fraction(report: GradeReport) -> float:
    """Return the fraction of the moves that were dropped, 0 without moves."""
    return report.moves.dropped / report.moves.sent if report.moves.sent else 0.0
