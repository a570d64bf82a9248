"""Grading by the course's rule: 100 games against random and each of three AIs, and points for those that are beaten."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from planetwars_env.arena.contestants import contestants_of
from planetwars_env.arena.game_store import GameKey, GameRow, GameStore
from planetwars_env.arena.isolation import Fault, ResourceLimits
from planetwars_env.arena.replays import load_replay
from planetwars_env.arena.results import Result, tally
from planetwars_env.arena.round_robin import TournamentPlan, play_in_memory
from planetwars_env.arena.seeds import Seed
from planetwars_env.arena.standings import total_moves
from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.envs.arguments import turn_limit
from planetwars_env.graphs.graph import Graph
from planetwars_env.move_counts import NO_MOVES, MoveCounts

GAMES_PER_OPPONENT = 100
"""Half of them as either player."""
POINTS_FOR_BEATING = {"random": 30, "ai1": 10, "ai2": 10, "ai3": 10}
"""Points for beating each opponent (more than `BEATEN_ABOVE` of the games won)."""
MOST_POINTS = 50
"""Upper limit of the sum."""


class GameRef(NamedTuple):
    """A game that was not won: its graph's name, and the player (1, 2) that the graded strategy was."""

    graph: str
    player: int


@dataclass(frozen=True, slots=True)
class OpponentGrade:
    """Games against one opponent; ``lost`` and ``drawn`` in the order of the graphs."""

    result: Result
    lost: tuple[GameRef, ...]
    drawn: tuple[GameRef, ...]

    @property
    def points(self) -> int:
        """The opponent's points if it was beaten, else 0."""
        return POINTS_FOR_BEATING[self.result.opponent] if self.result.beaten else 0

    def to_dict(self) -> dict[str, Any]:
        """Return the values for JSON."""
        graphs = {name: [game._asdict() for game in getattr(self, name)] for name in ("lost", "drawn")}
        return {**self.result.to_dict(), "beaten": self.result.beaten, "points": self.points, **graphs}


@dataclass(frozen=True, slots=True)
class GradeReport:
    """Grade of a player; ``faults``: of a strategy from a file; ``seed``: of all games; ``moves``: that it sent."""

    player: str
    grades: tuple[OpponentGrade, ...]
    faults: tuple[Fault, ...]
    seed: Seed | None = None
    moves: MoveCounts = NO_MOVES

    @property
    def points(self) -> int:
        """The sum, at most `MOST_POINTS`."""
        return min(MOST_POINTS, sum(grade.points for grade in self.grades))

    def to_dict(self) -> dict[str, Any]:
        """Return the values for JSON."""
        return {
            "player": self.player,
            "points": self.points,
            "of": MOST_POINTS,
            "opponents": [grade.to_dict() for grade in self.grades],
            "faults": [fault._asdict() for fault in self.faults],
            "seed": self.seed,
            "moves": self.moves._asdict(),
        }


def plan_grading(
    player: str,
    graphs: Sequence[Graph],
    rules: Rules = PLANETWARS,
    seed: Seed | None = None,
    disturb: bool = True,
    unsafe: bool = False,
) -> TournamentPlan:
    """Return the plan of a grading. ValueError for a bot that a grade is measured against.

    ``seed``: None for a new secret; ``disturb``: play on graphs that are like these and cannot be looked up.
    """
    if player in POINTS_FOR_BEATING:
        raise ValueError(
            f"{player} is one of the bots that a grade is measured against: name a strategy, an agent or another bot"
        )
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


def play_grading(
    plan: TournamentPlan, jobs: int = -1, on_games: Callable[[int], None] | None = None, printed: Path | None = None
) -> GradeReport:
    """Play the games, isolated and spread over ``jobs`` processes, and return the grade; arguments as in `run_tournament`."""
    with play_in_memory(plan, jobs, on_games, printed) as (plan, store):
        rows, faults, moves = scheduled_rows(plan, store), store.faults(), total_moves(store.move_counts())
    player = plan.contestants[0].name
    grades = [_grade(player, name, [row for row in rows if name in row[:2]]) for name in POINTS_FOR_BEATING]
    return GradeReport(
        player, tuple(grades), tuple(fault for _, _, fault in faults), plan.seed, moves.get(player, NO_MOVES)
    )


def scheduled_rows(plan: TournamentPlan, store: GameStore) -> list[GameRow]:
    """Return the games of the schedule, in its order."""
    order = {key: place for place, key in enumerate(plan.schedule())}
    rows = [row for row in store.rows() if GameKey(*row[:4]) in order]
    return sorted(rows, key=lambda row: order[GameKey(*row[:4])])


def result_against(player: str, opponent: str, rows: Sequence[GameRow], store: GameStore | None = None) -> Result:
    """Return the result of the player's games against one opponent; with the ``store`` also the games with repetitions."""
    games = [(1 if row.first == player else 2, row) for row in rows if opponent in row[:2]]
    counted = tally((side, row.winner, row.turns) for side, row in games)
    if store is None:
        return Result(opponent, *counted)
    repetitions = sum(side in load_replay(store, GameKey(*row[:4])).repetitions() for side, row in games)
    return Result(opponent, *counted, repetitions)


def _grade(player: str, opponent: str, rows: Sequence[GameRow]) -> OpponentGrade:
    games = [(1 if row.first == player else 2, row) for row in rows]
    result = result_against(player, opponent, rows)
    lost = tuple(GameRef(row.graph, side) for side, row in games if row.winner == 3 - side)
    return OpponentGrade(result, lost, tuple(GameRef(row.graph, side) for side, row in games if row.winner == 0))


def games_not_won(report: GradeReport) -> list[str]:
    """Return one line per opponent and result with the graphs of the games that were lost or drawn."""
    lines = []
    for one in report.grades:
        for what, games in (("lost to", one.lost), ("drawn with", one.drawn)):
            by_player = groupby(sorted(games, key=lambda game: game.player), key=lambda game: game.player)
            sides = [f"as player {player} on {list_graphs_of(list(group))}" for player, group in by_player]
            if sides:
                lines.append(f"{what} {one.result.opponent}: {'; '.join(sides)}")
    return lines


def list_graphs_of(games: Sequence[GameRef]) -> str:
    """Return the names of the games' graphs: those of a pool as ranges, repeated ones with their number."""
    pools: dict[str, list[int]] = {}
    others = []
    for graph, times in Counter(game.graph for game in games).items():
        pool, _, number = graph.rpartition("/")
        if pool and number.isdigit() and times == 1:
            pools.setdefault(pool, []).append(int(number))
        else:
            others.append(graph if times == 1 else f"{graph} ({times} times)")
    return ", ".join([*(f"{pool}/{_ranges(sorted(numbers))}" for pool, numbers in pools.items()), *others])


def _ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers as "1-3, 5": neighbours differ from their places by the same number."""
    found = []
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        found.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
    return ", ".join(found)
