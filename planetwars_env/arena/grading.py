"""Grading by a scheme: games of every submission against each opponent, points for those that are beaten, tables and pages.

One strategy is graded as a class of one.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from statistics import median
from textwrap import shorten
from typing import Any

from planetwars_env.arena.contestants import Submission, contestant_of, fingerprint_player
from planetwars_env.arena.evaluation import scheduled_games
from planetwars_env.arena.game_store import NO_TIME, FinishedGame, GameStore, faults_of, load_replay
from planetwars_env.arena.isolation import Fault, ResourceLimits
from planetwars_env.arena.plan import Seed, TournamentPlan, make_plan
from planetwars_env.arena.report import write_report_page
from planetwars_env.arena.results import Result, result_against
from planetwars_env.arena.round_robin import keep_printed, run_tournament
from planetwars_env.arena.standings import totals
from planetwars_env.arena.tables import Table
from planetwars_env.bots.catalogue import Player
from planetwars_env.engine.rules import Rules
from planetwars_env.envs.arguments import resolve_rules
from planetwars_env.graphs.graph import show
from planetwars_env.move_counts import NO_MOVES, MoveCounts
from planetwars_env.render.pages import write_game_page
from planetwars_env.settings import ConfigError, checked_settings, read_settings
from planetwars_env.text import file_name, last_line

SCHEMES = Path(__file__).resolve().parent / "schemes"
_BOUNDS = {
    "threshold": (0, 1), "most_points": (0, None), "games": (2, 100_000), "max_turns": (1, 100_000), "seconds": (0.01, 3_600),
    "memory": (256, 2**20),
}  # fmt: skip


@dataclass(frozen=True)
class GradingScheme:
    """Grading scheme; the defaults are the course's. schemes/course.yaml explains every value.

    ``graphs``: also graphs themselves, a list of them or a generator; ``rules``: also `Rules`.
    """

    opponents: Mapping[str, float] = field(default_factory=lambda: {"random": 30, "ai1": 10, "ai2": 10, "ai3": 10})
    threshold: float = 0.70
    most_points: int | None = 50
    games: int = 100
    graphs: Any = "test"
    rules: Any = "PLANETWARS"
    max_turns: int | None = None
    seed: int | None = None
    disturb: bool = True
    seconds: float = 1.0
    memory: int = 2048

    @property
    def total(self) -> float:
        """The most points that can be reached."""
        together = sum(self.opponents.values())
        return together if self.most_points is None else min(self.most_points, together)

    @property
    def chosen_rules(self) -> Rules:
        """The rules; ValueError for an unknown name."""
        return resolve_rules(self.rules)

    def limits(self, unsafe: bool) -> ResourceLimits:
        """Return the limits of strategies from files."""
        return ResourceLimits(turn=self.seconds, memory=self.memory * 2**20, unsafe=unsafe)

    def to_dict(self) -> dict[str, Any]:
        """Return the values for JSON, names of graphs and rules as texts."""
        return {**asdict(self), "graphs": str(self.graphs), "rules": self.chosen_rules.name}


COURSE = GradingScheme()
"""The scheme of the course."""


def load_scheme(name: str | Path = "course") -> GradingScheme:
    """Load a shipped scheme by name or a YAML file by path; ConfigError names the file, the key and what would be right."""
    path, data = read_settings(name, SCHEMES)
    try:
        chosen = dict[str, Any]()
        if isinstance(data, dict) and "opponents" in data:
            opponents = data.pop("opponents")
            if not isinstance(opponents, dict) or not opponents:
                raise ConfigError(
                    "the scheme: opponents must be a mapping from names to points, for example {random: 30, ai1: 10}, "
                    f"not {show(opponents)}"
                )
            for name in opponents:
                if not isinstance(name, str):
                    raise ConfigError(f"the scheme: opponents: {show(name)} must be the name of a player, a text")
            points, bounds = dict.fromkeys(opponents, 0.0), dict.fromkeys(opponents, (0, None))
            chosen["opponents"] = checked_settings("the scheme: opponents", points, opponents, bounds)
        # "most_points" may also be null
        known = {one.name: getattr(COURSE, one.name) for one in fields(COURSE)} | {"most_points": None}
        settings = checked_settings("the scheme", known, data, _BOUNDS) | chosen
        scheme = GradingScheme(**settings)
        if scheme.games % 2:
            raise ConfigError(
                f"the scheme: games must be an even number, half of them as either player, not {scheme.games}"
            )
        scheme.chosen_rules  # noqa: B018 (an unknown name is an error)
        return scheme
    except ValueError as fault:
        raise ConfigError(f"{path}: {fault}") from None


_REASON, _FAULTS = 120, 100
"""Letters of a reason in the table of the class; the student's page has all of it, and so many faults."""


@dataclass(frozen=True, slots=True)
class OpponentGrade:
    """Games against one opponent; ``lost`` and ``drawn`` in the order of the graphs.

    ``worth``: points for beating it, by more than ``threshold`` of the games won.
    """

    result: Result
    lost: tuple[FinishedGame, ...]
    drawn: tuple[FinishedGame, ...]
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

    def side(self, game: FinishedGame) -> int:
        """Return the side (1, 2) of the player that is graded."""
        return 2 if game.key.first == self.result.opponent else 1

    def to_dict(self) -> dict[str, Any]:
        """Return the values for JSON."""
        lost, drawn = (
            [{"graph": one.key.graph, "player": self.side(one)} for one in games] for games in (self.lost, self.drawn)
        )
        points = {"beaten": self.beaten, "points": self.points, "of": self.worth}
        return {**self.result.to_dict(), **points, "lost": lost, "drawn": drawn}


@dataclass(frozen=True, slots=True)
class GradeReport:
    """Grade of a submission. ``of``: the most points; ``faults``: of a strategy from a file; ``seed``: of all games.

    ``moves``: that it sent; ``seconds``: that it took for them, by the clock. One that cannot be loaded has no ``grades``.
    """

    submission: Submission
    grades: tuple[OpponentGrade, ...]
    faults: tuple[Fault, ...]
    of: float
    seed: Seed | None = None
    moves: MoveCounts = NO_MOVES
    seconds: float = 0.0

    @property
    def player(self) -> str:
        """The student, or the one player that is graded."""
        return self.submission.student

    @property
    def points(self) -> float:
        """The sum, at most ``of``."""
        return min(self.of, sum(grade.points for grade in self.grades))

    @property
    def illegal(self) -> float:
        """The fraction of the moves that were dropped, 0 without moves."""
        return self.moves.dropped / self.moves.sent if self.moves.sent else 0.0

    @property
    def reason(self) -> str:
        """Reason why it cannot be loaded, or the most frequent fault in its games; "" without either."""
        if not self.faults:
            return last_line(self.submission.reason)
        faults = Counter((fault.kind, fault.summary) for fault in self.faults)
        ((kind, summary), times), *_ = faults.most_common(1)
        return f"{times} times {kind}: {summary}" if times > 1 else f"{kind}: {summary}"

    def table(self, title: str) -> Table:
        """Return a table with one row per opponent and the sum, 80 characters wide."""
        beaten = f"> {self.grades[0].threshold:.0%}" if self.grades else ""
        headings = ["opponent", "games", "as player 1", "as player 2", "win rate", beaten, "points"]
        rows = []
        for one in self.grades:
            total, sides = one.result.total, (one.result.as_player_1, one.result.as_player_2)
            cells = str(total.games), *map(str, sides), f"{total.win_rate:.1%}", "yes" if one.beaten else "no"
            rows.append([one.result.opponent, *cells, f"{one.points:g} of {one.worth:g}"])
        rows.append(["together", *[""] * 5, f"{self.points:g} of {self.of:g}"])
        return Table(title, headings, rows)

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


def plan_grading(players: Sequence[Player], scheme: GradingScheme = COURSE, unsafe: bool = False) -> TournamentPlan:
    """Return the plan of a grading. ValueError for a player that a grade is measured against."""
    if measured := [one.name for one in players if one.spec in scheme.opponents]:
        raise ValueError(
            f"{measured[0]} is one of the opponents that a grade is measured against: name a strategy, an agent or another bot"
        )
    everyone = [*players, *map(contestant_of, scheme.opponents)]
    conditions = scheme.graphs, scheme.games, scheme.rules, scheme.max_turns, scheme.limits(unsafe)
    graded = {one.name for one in players}
    return make_plan(everyone, *conditions, seed=scheme.seed, only=graded, disturb=scheme.disturb)


def grade_submissions(
    submissions: Sequence[Submission],
    scheme: GradingScheme,
    store: GameStore,
    printed: Path | None = None,
    on_games: Callable[[int, int], None] | None = None,
    jobs: int = -1,
    unsafe: bool = False,
) -> list[GradeReport]:
    """Play the games that the store lacks, isolated, over ``jobs`` processes; return the grades of the ``submissions``.

    One that cannot be loaded gets no points; the games of one that has changed since are played again. ``printed``: folder of
    what the strategies print.
    """
    players = [one.player for one in submissions if one.player is not None]
    known = store.metadata("contestants", {})
    for player in players:  # where only the place of the files is another, the games stay
        spec, fingerprint = known.get(player.name, (player.spec, ""))
        if fingerprint and fingerprint != fingerprint_player(player):
            store.forget(player.name)
            del known[player.name]
        elif fingerprint and spec != player.spec:
            known[player.name] = [player.spec, fingerprint]
    store.save_metadata("contestants", known)
    plan = plan_grading(players, scheme, unsafe)
    plan = run_tournament(plan, store, jobs, on_games, printed and partial(keep_printed, printed))
    own: defaultdict[str, list[FinishedGame]] = defaultdict(list)
    for game in scheduled_games(plan, store):
        for label in game.key[:2]:
            own[label].append(game)
    reports = []
    for one in submissions:
        if one.player is None:
            reports.append(GradeReport(one, (), (), scheme.total))
            continue
        grades, name, games = [], one.player.name, own[one.player.name]
        for opponent, worth in zip(plan.contestants[len(players) :], scheme.opponents.values(), strict=True):
            result = replace(result_against(name, opponent.name, games), moves=NO_MOVES)
            lost = tuple(game for game in games if game.won_by == opponent.name)
            drawn = tuple(game for game in games if opponent.name in game.key[:2] and not game.winner)
            grades.append(OpponentGrade(result, lost, drawn, worth, scheme.threshold))
        moves, times = totals(games)
        faults = tuple(fault for _, _, fault in faults_of(games) if fault.strategy == name)
        used = moves.get(name, NO_MOVES), times.get(name, NO_TIME).seconds
        reports.append(GradeReport(one, tuple(grades), faults, scheme.total, plan.seed, *used))
    return reports


def grades_csv(grades: Sequence[GradeReport], scheme: GradingScheme) -> str:
    """Return CSV with one line per student."""
    rates = [f"win_rate_{name}" for name in scheme.opponents]
    counts = ["games", "faults", "games_forfeited", "moves", "illegal_moves", "compete", "seconds"]
    rows = []
    for one in grades:
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
        competes = "yes" if one.submission.competes else "no"
        counts = [str(len(one.faults)), f"{one.illegal:.0%}", f"{one.seconds:.0f}", competes]
        cells = [*rates, *counts] if one.grades else [*[""] * len(scheme.opponents), "broken", "", "", ""]
        rows.append([one.player, f"{one.points:g}", *cells, shorten(one.reason, _REASON, placeholder=" …")])
    headings = ["student", "points", *scheme.opponents, "faults", "illegal", "seconds", "compete", "reason"]
    return Table(f"Points of {scheme.total:g}; games won against each opponent", headings, rows)


def games_not_won(report: GradeReport) -> list[str]:
    """Return one line per opponent and result with the graphs of the games that were lost or drawn."""
    lines = []
    for one in report.grades:
        for what, games in (("lost to", one.lost), ("drawn with", one.drawn)):
            graphs = {player: [game.key.graph for game in games if one.side(game) == player] for player in (1, 2)}
            sides = [f"as player {player} on {list_graphs(names)}" for player, names in graphs.items() if names]
            if sides:
                lines.append(f"{what} {one.result.opponent}: {'; '.join(sides)}")
    return lines


def list_graphs(names: Sequence[str]) -> str:
    """Return the names of graphs: those of a pool as ranges, repeated ones with their number."""
    pools: dict[str, list[int]] = {}
    others = []
    for graph, times in Counter(names).items():
        pool, _, number = graph.rpartition("/")
        if pool and number.isdigit() and times == 1:
            pools.setdefault(pool, []).append(int(number))
        else:
            others.append(graph if times == 1 else f"{graph} ({times} times)")
    named = []
    for pool, numbers in pools.items():
        ranges = []
        # Neighbours differ from their places by the same number.
        for _, group in groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0]):
            run = [number for _, number in group]
            ranges.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
        named.append(f"{pool}/{', '.join(ranges)}")
    return ", ".join([*named, *others])


def gradescope_results(report: GradeReport, scheme: GradingScheme, seconds: float) -> dict[str, Any]:
    """Return Gradescope's results.json: a test per opponent, and the win rates for the leaderboard.

    ``seconds``: that the grading took. One that could not be loaded gets no points, and the reason.
    Source: gradescope-autograders.readthedocs.io/en/latest/specs.
    """
    lost, tests, rates = games_not_won(report), [], []
    for name, worth in () if report.grades else scheme.opponents.items():
        tests.append({"name": f"games against {name}", "score": 0, "max_score": worth, "output": "not played"})
    for grade in report.grades:
        opponent, total = grade.result.opponent, grade.result.total
        said = "\n".join([str(grade.result), *(line for line in lost if f" {opponent}: " in line)])
        name = f"more than {grade.threshold:.0%} of {total.games} games against {opponent}"
        tests.append(
            {"name": name, "score": grade.points, "max_score": grade.worth, "output": said, "output_format": "text"}
        )
        rates.append({"name": f"won against {opponent}", "value": round(total.win_rate, 4)})
    faults = [f"{fault.kind} on turn {fault.turn}: {fault.summary}" for fault in report.faults[:10]]
    points = f"{report.player}: {report.points:g} of {report.of:g} points."
    output = [points, report.moves.describe(report.player), *faults] if report.grades else [report.submission.reason]
    return {
        "score": report.points,  # the sum of the tests may be above the most that is given
        "execution_time": round(seconds),
        "output": "\n".join(filter(None, output)),
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": tests,
        **({"leaderboard": [{"name": "points", "value": report.points}, *rates]} if report.grades else {}),
    }


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
        said = [one.moves.describe(one.player), *(grade.result.describe_circling(one.player) for grade in one.grades)]
        write_report_page(
            page,
            "student.html",
            f"{one.player}: {one.points:g} of {scheme.total:g} points",
            reason=None if one.grades else one.submission.reason,
            rule=rule,
            results=one.table("Results: won / drawn / lost"),
            sentences=[f"{sentence.removesuffix('.')}." for sentence in said if sentence],
            games=[game for grade in one.grades for game in _lost_games(grade, store, page.parent, each)],
            faults=one.faults[:_FAULTS],
        )
    title = f"Grades of {len(grades)} submissions"
    earned = [one.points for one in grades]
    rule = f"{rule} Median: {median(earned):g} points; sum: {sum(earned):g}."
    write_report_page(path, "grades.html", title, rule=rule, grades=grades_table(grades, scheme), links=links)


def _lost_games(grade: OpponentGrade, store: GameStore, folder: Path, each: int | None) -> list[tuple[str, str]]:
    """Write the pages of the lost games against an opponent that are not there; return their titles and links."""
    opponent, links = grade.result.opponent, []
    for game in grade.lost[:each]:
        title = f"on {game.key.graph} as player {grade.side(game)}"
        name = f"{file_name(f'{opponent} {title}')}-{game.fingerprint}.html"
        if not (folder / name).exists():
            write_game_page(folder / name, load_replay(store, game.key, console=True))
        links.append((f"lost to {opponent} {title}", name))
    return links
