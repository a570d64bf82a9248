"""Results of a grading as Gradescope's results.json (gradescope-autograders.readthedocs.io/en/latest/specs)."""

from typing import Any

from planetwars_env.arena.grading import GradeReport, games_not_won
from planetwars_env.arena.scheme import GradingScheme


def gradescope_results(report: GradeReport, seconds: float) -> dict[str, Any]:
    """Return the results of one submission: a test per opponent, and the win rates for the leaderboard.

    ``seconds``: that the grading took.
    """
    lost = games_not_won(report)
    tests = [
        {
            "name": f"more than {grade.threshold:.0%} of {grade.result.total.games} games against {grade.result.opponent}",
            "score": grade.points,
            "max_score": grade.worth,
            "output": "\n".join([str(grade.result), *(line for line in lost if f" {grade.result.opponent}: " in line)]),
            "output_format": "text",
        }
        for grade in report.grades
    ]
    rates = [
        {"name": f"won against {grade.result.opponent}", "value": round(grade.result.total.win_rate, 4)}
        for grade in report.grades
    ]
    faults = [f"{fault.kind} on turn {fault.turn}: {fault.summary}" for fault in report.faults[:10]]
    said = [
        f"{report.player}: {report.points:g} of {report.of:g} points.",
        report.moves.describe(report.player),
        *faults,
    ]
    return {
        "score": report.points,  # the sum of the tests may be above the most that is given
        "execution_time": round(seconds),
        "output": "\n".join(filter(None, said)),
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": tests,
        "leaderboard": [{"name": "points", "value": report.points}, *rates],
    }


def gradescope_failure(scheme: GradingScheme, reason: str, seconds: float) -> dict[str, Any]:
    """Return the results of a submission that cannot be loaded: no points, and the reason."""
    tests = [
        {"name": f"games against {name}", "score": 0, "max_score": worth, "output": "not played"}
        for name, worth in scheme.opponents.items()
    ]
    return {
        "score": 0,
        "execution_time": round(seconds),
        "output": reason,
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": tests,
    }
