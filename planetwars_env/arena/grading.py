"""The yardstick of the course: a hundred runs against random and each of three AIs, points for those that are beaten."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from planetwars_env.arena.contestants import contestants_of
from planetwars_env.arena.game_store import IN_MEMORY, GameKey, GameRow, GameStore
from planetwars_env.arena.isolation import Fault, ResourceLimits
from planetwars_env.arena.replays import load_replay
from planetwars_env.arena.results import Result, tally
from planetwars_env.arena.round_robin import TournamentPlan, prepare_plan, run_tournament
from planetwars_env.arena.seeds import Seed
from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.envs.arguments import turn_limit
from planetwars_env.graphs.graph import Graph

GAMES_PER_OPPONENT = 100
"""Against each opponent, half of them as either player."""
POINTS_FOR_BEATING = {"random": 30, "ai1": 10, "ai2": 10, "ai3": 10}
"""For having beaten an opponent."""
MOST_POINTS = 50
"""Points that can be reached."""


class GameRef(NamedTuple):
    """A run that was not won: the graph's name, and the player (1, 2) that was played there."""

    graph: str
    player: int


@dataclass(frozen=True, slots=True)
class OpponentGrade:
    """The runs against one opponent; ``lost`` and ``drawn`` in the order of the graphs."""

    result: Result
    lost: tuple[GameRef, ...]
    drawn: tuple[GameRef, ...]

    @property
    def points(self) -> int:
        """Those of the opponent where it was beaten, else none."""
        return POINTS_FOR_BEATING[self.result.opponent] if self.result.beaten else 0

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        graphs = {name: [run._asdict() for run in getattr(self, name)] for name in ("lost", "drawn")}
        return {**self.result.to_dict(), "beaten": self.result.beaten, "points": self.points, **graphs}


@dataclass(frozen=True, slots=True)
class GradeReport:
    """Points and games of a player; ``faults`` of a strategy from a file; ``seed`` of all games."""

    player: str
    grades: tuple[OpponentGrade, ...]
    faults: tuple[Fault, ...]
    seed: Seed | None = None

    @property
    def points(self) -> int:
        """All together, as many as count."""
        return min(MOST_POINTS, sum(grade.points for grade in self.grades))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "player": self.player,
            "points": self.points,
            "of": MOST_POINTS,
            "opponents": [grade.to_dict() for grade in self.grades],
            "faults": [fault._asdict() for fault in self.faults],
            "seed": self.seed,
        }


def plan_grading(
    player: str,
    graphs: Sequence[Graph],
    rules: Rules = PLANETWARS,
    seed: Seed | None = None,
    disturb: bool = True,
    unsafe: bool = False,
) -> TournamentPlan:
    """The runs of the player that `contestant_of` knows by this name; ValueError for the bots that they are played against.

    ``seed``: None for a new secret; ``disturb``: on graphs that are like these and cannot be looked up.
    """
    if player in POINTS_FOR_BEATING:
        raise ValueError(f"{player} is what the course measures by: name a strategy, an agent or another bot")
    contestants = contestants_of([player, *POINTS_FOR_BEATING])
    label = contestants[0].name
    return TournamentPlan(
        contestants,
        graphs,
        rules,
        GAMES_PER_OPPONENT,
        turn_limit(rules),
        ResourceLimits(unsafe=unsafe),
        seed,
        only=label,
        disturb=disturb,
    )


def play_grading(plan: TournamentPlan, jobs: int = -1, on_games: Callable[[int], None] | None = None) -> GradeReport:
    """Play the runs, isolated and spread over ``jobs`` processes as in tournaments; what `run_tournament` says of the rest."""
    with played_in_memory(plan, jobs, on_games) as (plan, store):
        rows, faults = scheduled_rows(plan, store), store.faults()
    player = plan.contestants[0].name
    grades = [_grade(player, name, [row for row in rows if name in row[:2]]) for name in POINTS_FOR_BEATING]
    return GradeReport(player, tuple(grades), tuple(fault for _, _, fault in faults), plan.seed)


@contextmanager
def played_in_memory(
    plan: TournamentPlan, jobs: int = -1, on_games: Callable[[int], None] | None = None
) -> Iterator[tuple[TournamentPlan, GameStore]]:
    """The plan as it was played, and its games in a store that is gone after the block."""
    with GameStore(IN_MEMORY) as store:
        plan = prepare_plan(plan, store)
        run_tournament(plan, store, jobs, on_games)
        yield plan, store


def scheduled_rows(plan: TournamentPlan, store: GameStore) -> list[GameRow]:
    """The games of the schedule, in its order."""
    order = {key: place for place, key in enumerate(plan.schedule())}
    rows = [row for row in store.rows() if GameKey(*row[:4]) in order]
    return sorted(rows, key=lambda row: order[GameKey(*row[:4])])


def result_against(player: str, opponent: str, rows: Sequence[GameRow], store: GameStore | None = None) -> Result:
    """The result of the player's games against one opponent; with the ``store`` also the number of those that circle."""
    games = [(1 if row.first == player else 2, row) for row in rows if opponent in row[:2]]
    counted = tally((side, row.winner, row.turns) for side, row in games)
    if store is None:
        return Result(opponent, *counted)
    repetitions = sum(side in load_replay(store, GameKey(*row[:4])).repetitions() for side, row in games)
    return Result(opponent, *counted, repetitions)


def _grade(player: str, opponent: str, rows: Sequence[GameRow]) -> OpponentGrade:
    runs = [(1 if row.first == player else 2, row) for row in rows]
    result = result_against(player, opponent, rows)
    lost = tuple(GameRef(row.graph, side) for side, row in runs if row.winner == 3 - side)
    return OpponentGrade(result, lost, tuple(GameRef(row.graph, side) for side, row in runs if row.winner == 0))
