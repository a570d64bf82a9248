"""The yardstick of the course: a hundred runs against random and each of three AIs, points for those that are beaten."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from planetwars_env.arena.contestants import contestants_of
from planetwars_env.arena.film import replay_of
from planetwars_env.arena.isolation import Fault, Limits
from planetwars_env.arena.ledger import IN_MEMORY, Key, Ledger, Row
from planetwars_env.arena.results import Result, tally
from planetwars_env.arena.seeds import Seed
from planetwars_env.arena.tournament import Plan, run_tournament, settled
from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.envs.arguments import turn_limit
from planetwars_env.graphs.graph import Graph

RUNS = 100
"""Against each opponent, half of them as either player."""
POINTS = {"random": 30, "ai1": 10, "ai2": 10, "ai3": 10}
"""For having beaten an opponent."""
MOST = 50
"""Points that can be reached."""


class Run(NamedTuple):
    """A run that was not won: the board's name, and the player (1, 2) that was played there."""

    board: str
    player: int


@dataclass(frozen=True, slots=True)
class Grade:
    """The runs against one opponent; ``lost`` and ``drawn`` in the order of the boards."""

    result: Result
    lost: tuple[Run, ...]
    drawn: tuple[Run, ...]

    @property
    def points(self) -> int:
        """Those of the opponent where it was beaten, else none."""
        return POINTS[self.result.opponent] if self.result.beaten else 0

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        boards = {name: [run._asdict() for run in getattr(self, name)] for name in ("lost", "drawn")}
        return {**self.result.to_dict(), "beaten": self.result.beaten, "points": self.points, **boards}


@dataclass(frozen=True, slots=True)
class Course:
    """Points and games of a player; ``faults`` of a strategy from a file; ``seed`` of all games."""

    player: str
    grades: tuple[Grade, ...]
    faults: tuple[Fault, ...]
    seed: Seed | None = None

    @property
    def points(self) -> int:
        """All together, as many as count."""
        return min(MOST, sum(grade.points for grade in self.grades))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "player": self.player,
            "points": self.points,
            "of": MOST,
            "opponents": [grade.to_dict() for grade in self.grades],
            "faults": [fault._asdict() for fault in self.faults],
            "seed": self.seed,
        }


def course_plan(
    player: str,
    boards: Sequence[Graph],
    rules: Rules = PLANETWARS,
    seed: Seed | None = None,
    disturb: bool = True,
    unsafe: bool = False,
) -> Plan:
    """The runs of the player that `contestant_of` knows by this name; ValueError for the bots that they are played against.

    ``seed``: None for a new secret; ``disturb``: on boards that are like these and cannot be looked up.
    """
    if player in POINTS:
        raise ValueError(f"{player} is what the course measures by: name a strategy, an agent or another bot")
    contestants = contestants_of([player, *POINTS])
    label = contestants[0].name
    return Plan(
        contestants, boards, rules, RUNS, turn_limit(rules), Limits(unsafe=unsafe), seed, only=label, disturb=disturb
    )


def play_course(plan: Plan, jobs: int = -1, on_games: Callable[[int], None] | None = None) -> Course:
    """Play the runs, isolated and spread over ``jobs`` processes as in tournaments; what `run_tournament` says of the rest."""
    with played(plan, jobs, on_games) as (plan, ledger):
        rows, faults = rows_of(plan, ledger), ledger.faults()
    player = plan.contestants[0].name
    grades = [_grade(player, name, [row for row in rows if name in row[:2]]) for name in POINTS]
    return Course(player, tuple(grades), tuple(fault for _, _, fault in faults), plan.seed)


@contextmanager
def played(plan: Plan, jobs: int = -1, on_games: Callable[[int], None] | None = None) -> Iterator[tuple[Plan, Ledger]]:
    """The plan as it was played, and its games in a ledger that is gone after the block."""
    with Ledger(IN_MEMORY) as ledger:
        plan = settled(plan, ledger)
        run_tournament(plan, ledger, jobs, on_games)
        yield plan, ledger


def rows_of(plan: Plan, ledger: Ledger) -> list[Row]:
    """The games of the schedule, in its order."""
    order = {key: place for place, key in enumerate(plan.schedule())}
    rows = [row for row in ledger.rows() if Key(*row[:4]) in order]
    return sorted(rows, key=lambda row: order[Key(*row[:4])])


def result_against(player: str, opponent: str, rows: Sequence[Row], ledger: Ledger | None = None) -> Result:
    """The result of the player's games against one opponent; with the ``ledger`` also the number of those that circle."""
    games = [(1 if row.first == player else 2, row) for row in rows if opponent in row[:2]]
    counted = tally((side, row.winner, row.turns) for side, row in games)
    if ledger is None:
        return Result(opponent, *counted)
    repetitions = sum(side in replay_of(ledger, Key(*row[:4])).repetitions() for side, row in games)
    return Result(opponent, *counted, repetitions)


def _grade(player: str, opponent: str, rows: Sequence[Row]) -> Grade:
    runs = [(1 if row.first == player else 2, row) for row in rows]
    result = result_against(player, opponent, rows)
    lost = tuple(Run(row.board, seat) for seat, row in runs if row.winner == 3 - seat)
    return Grade(result, lost, tuple(Run(row.board, seat) for seat, row in runs if row.winner == 0))
