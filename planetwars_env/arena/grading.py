"""Grading by a scheme: games against each of its opponents, and points for those that are beaten."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from planetwars_env.arena.contestants import contestant_of, contestants_of
from planetwars_env.arena.evaluation import result_against, scheduled_rows
from planetwars_env.arena.game_records import GameRow
from planetwars_env.arena.game_store import IN_MEMORY, GameStore
from planetwars_env.arena.games import NO_TIME
from planetwars_env.arena.isolation import Fault
from planetwars_env.arena.plan import TournamentPlan
from planetwars_env.arena.results import Result
from planetwars_env.arena.round_robin import run_tournament
from planetwars_env.arena.scheme import GradingScheme
from planetwars_env.arena.seeds import Seed
from planetwars_env.arena.standings import totals
from planetwars_env.bots.catalogue import Player, parse_player
from planetwars_env.envs.arguments import turn_limit
from planetwars_env.graphs.catalogue import resolve_graphs
from planetwars_env.move_counts import NO_MOVES, MoveCounts

COURSE = GradingScheme()
"""The scheme of the course."""


class GameRef(NamedTuple):
    """A game that was not won. ``player`` (1, 2): the one that was graded; ``fingerprint``: of the moves."""

    graph: str
    player: int
    repetition: int = 0
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class OpponentGrade:
    """Games against one opponent; ``lost`` and ``drawn`` in the order of the graphs.

    ``worth``: points for beating it, by more than ``threshold`` of the games won.
    """

    result: Result
    lost: tuple[GameRef, ...]
    drawn: tuple[GameRef, ...]
    worth: float
    threshold: float

    @property
    def beaten(self) -> bool:
        """Whether enough games were won."""
        return self.result.total.win_rate > self.threshold

    @property
    def points(self) -> float:
        """The opponent's points if it was beaten, else 0."""
        return self.worth if self.beaten else 0

    def to_dict(self) -> dict[str, Any]:
        """Return the values for JSON."""
        graphs = {
            name: [{"graph": game.graph, "player": game.player} for game in getattr(self, name)]
            for name in ("lost", "drawn")
        }
        return {**self.result.to_dict(), "beaten": self.beaten, "points": self.points, "of": self.worth, **graphs}


@dataclass(frozen=True, slots=True)
class GradeReport:
    """Grade of a player. ``of``: the most points; ``faults``: of a strategy from a file; ``seed``: of all games.

    ``moves``: that it sent; ``seconds``: that it took for them, by the clock.
    """

    player: str
    grades: tuple[OpponentGrade, ...]
    faults: tuple[Fault, ...]
    of: float
    seed: Seed | None = None
    moves: MoveCounts = NO_MOVES
    seconds: float = 0.0

    @property
    def points(self) -> float:
        """The sum, at most ``of``."""
        return min(self.of, sum(grade.points for grade in self.grades))

    def to_dict(self) -> dict[str, Any]:
        """Return the values for JSON."""
        return {
            "player": self.player,
            "points": self.points,
            "of": self.of,
            "opponents": [grade.to_dict() for grade in self.grades],
            "faults": [fault._asdict() for fault in self.faults],
            "seed": self.seed,
            "moves": self.moves._asdict(),
            "seconds": round(self.seconds, 1),
        }


def plan_grading(player: str | Player, scheme: GradingScheme = COURSE, unsafe: bool = False) -> TournamentPlan:
    """Return the plan of a grading. ValueError for a player that a grade is measured against."""
    player = parse_player(player)
    if player.spec in scheme.opponents:
        raise ValueError(
            f"{player.name} is one of the opponents that a grade is measured against: name a strategy, an agent or another bot"
        )
    contestants = contestants_of([player, *scheme.opponents])
    return plan_class(contestants[:1], scheme, unsafe)


def plan_class(players: Sequence[Player], scheme: GradingScheme = COURSE, unsafe: bool = False) -> TournamentPlan:
    """Return the plan of a grading of several players, each under a name of its own."""
    rules, everyone = scheme.chosen_rules, [*players, *map(contestant_of, scheme.opponents)]
    if twice := sorted(name for name, times in Counter(one.name for one in everyone).items() if times > 1):
        raise ValueError(f"{', '.join(twice)}: two players have this name: rename the file or folder of one")
    return TournamentPlan(
        everyone,
        resolve_graphs(scheme.graphs),
        rules,
        scheme.games,
        turn_limit(rules, scheme.max_turns),
        scheme.limits(unsafe),
        scheme.seed,
        only={one.name for one in players},
        disturb=scheme.disturb,
    )


def play_grading(
    plan: TournamentPlan,
    scheme: GradingScheme = COURSE,
    jobs: int = -1,
    on_games: Callable[[int], None] | None = None,
    printed: Path | None = None,
) -> GradeReport:
    """Play the games of one player, isolated and spread over ``jobs`` processes, and return its grade."""
    with GameStore(IN_MEMORY) as store:
        plan = run_tournament(plan, store, jobs, on_games, printed=printed)
        (report,) = grade_reports(plan, store, scheme).values()
    return report


def grade_reports(plan: TournamentPlan, store: GameStore, scheme: GradingScheme = COURSE) -> dict[str, GradeReport]:
    """Return the grades of the plan's players from the games in the store, by name."""
    graded = [one.name for one in plan.contestants if one.name in (plan.only or ())]
    opponents = [one.name for one in plan.contestants if one.name not in (plan.only or ())]
    rows: dict[tuple[str, str], list[GameRow]] = {}
    for row in scheduled_rows(plan, store):
        rows.setdefault((row.first, row.second) if row.first in graded else (row.second, row.first), []).append(row)
    (moves, times), faults = totals(store.sides()), _faults_of(store)
    return {
        name: GradeReport(
            name,
            tuple(
                _grade(name, opponent, rows.get((name, opponent), []), worth, scheme.threshold)
                for opponent, worth in zip(opponents, scheme.opponents.values(), strict=True)
            ),
            tuple(faults.get(name, ())),
            scheme.total,
            plan.seed,
            moves.get(name, NO_MOVES),
            times.get(name, NO_TIME).seconds,
        )
        for name in graded
    }


def _faults_of(store: GameStore) -> Mapping[str, list[Fault]]:
    found: dict[str, list[Fault]] = {}
    for _, _, fault in store.faults():
        found.setdefault(fault.strategy, []).append(fault)
    return found


def _grade(player: str, opponent: str, rows: Sequence[GameRow], worth: float, threshold: float) -> OpponentGrade:
    result = result_against(player, opponent, rows)
    games = [
        (row.winner, GameRef(row.graph, 1 if row.first == player else 2, row.repetition, row.fingerprint))
        for row in rows
    ]
    lost = tuple(game for winner, game in games if winner == 3 - game.player)
    return OpponentGrade(result, lost, tuple(game for winner, game in games if winner == 0), worth, threshold)


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
