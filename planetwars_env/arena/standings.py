"""Standings of a tournament: ranking, win matrix, wins by graph, faults."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from planetwars_env.arena.contestants import Submission
from planetwars_env.arena.game_store import NO_TIME, FinishedGame, GameKey, GameStore, TurnTimes, distinct_of, faults_of
from planetwars_env.arena.isolation import Fault
from planetwars_env.arena.ratings import ratings_of
from planetwars_env.arena.results import Tally, tally
from planetwars_env.move_counts import NO_MOVES, MoveCounts, total


class RankedContestant(NamedTuple):
    """A contestant's place. ``tally``: distinct games; ``played``: all of them; ``low``, ``high``: of the rating, 95 %."""

    label: str
    rating: float
    low: float
    high: float
    tally: Tally
    played: int
    faults: int
    forfeits: int


@dataclass(frozen=True, repr=False)
class Standings:
    """The ranking and the win matrix of a tournament.

    ``ranking``: the best first. ``cells[one, other]``: from one's side, as player 1 and as player 2, distinct games only.

    ``graphs[graph, label]``: a contestant's games there. ``played``, ``distinct``: games; those with the same moves on the
    same graph count once, since they are one and the same game. ``moves[label]``, ``times[label]``: in all games, but those of
    games in a batch. ``submissions``: of a class; the label of one is its ``strategy``. One with a ``reason`` is broken and did
    not play.
    """

    ranking: tuple[RankedContestant, ...]
    cells: dict[tuple[str, str], tuple[Tally, Tally]]
    graphs: dict[tuple[str, str], Tally]
    faults: tuple[tuple[GameKey, int, Fault], ...]
    played: int
    distinct: int
    moves: dict[str, MoveCounts] = field(default_factory=dict)
    times: dict[str, TurnTimes] = field(default_factory=dict, compare=False)
    submissions: tuple[Submission, ...] = ()

    def __repr__(self) -> str:
        order = ", ".join(f"{rank}. {place.label} ({place.rating:.0f})" for rank, place in enumerate(self.ranking, 1))
        return f"Standings({order}; {self.played} games)"

    @property
    def labels(self) -> list[str]:
        """Labels of the contestants, the best first."""
        return [place.label for place in self.ranking]

    def both(self, one: str, other: str) -> Tally:
        """Return the counts of one against the other, as either player."""
        first, second = self.cells.get((one, other), (Tally(), Tally()))
        return first + second

    def author(self, label: str) -> dict[str, str]:
        """Return student, strategy and submission of a contestant, empty texts for a bot; nothing where there is no class."""
        if not self.submissions:
            return {}
        own = [one for one in self.submissions if one.strategy == label and not one.reason]
        one = own[0] if own else Submission("", "", None)
        return {"student": one.student, "strategy": one.strategy, "submission": one.place}

    def to_dict(self) -> dict[str, Any]:
        """Return the values for JSON."""

        def rates(tally: Tally) -> dict[str, Any]:
            low, high = tally.interval
            return {**tally.to_dict(), "ci_low": round(low, 4), "ci_high": round(high, 4)}

        ranking, matrix = [], []
        for rank, place in enumerate(self.ranking, 1):
            rating = {"rating": place.rating, "rating_low": place.low, "rating_high": place.high}
            counts = {"played": place.played, "faults": place.faults, "forfeits": place.forfeits}
            more = {**rates(place.tally), **counts, **self.author(place.label)}
            ranking.append({"rank": rank, "contestant": place.label, **rating, **more})
        for (one, other), (first, second) in sorted(self.cells.items()):
            sides = {"as_player_1": rates(first), "as_player_2": rates(second)}
            matrix.append({"one": one, "other": other, **rates(first + second), **sides})
        return {
            "games": self.played,
            "distinct_games": self.distinct,
            "ranking": ranking,
            "matrix": matrix,
            "graphs": [
                {"graph": graph, "contestant": label, **tally.to_dict()}
                for (graph, label), tally in sorted(self.graphs.items())
            ],
            "moves": [{"contestant": label, **counts._asdict()} for label, counts in sorted(self.moves.items())],
            "broken": [
                {"contestant": one.student, "student": one.student, "submission": one.place, "reason": one.reason}
                for one in self.submissions
                if one.reason
            ],
            "faults": [{**key._asdict(), "player": player, **fault._asdict()} for key, player, fault in self.faults],
        }


def compute_standings(
    store: GameStore, labels: Sequence[str], schedule: Collection[GameKey] | None = None
) -> Standings:
    """Return the standings of these contestants in a store; other games, and those outside a ``schedule``, do not count."""
    known = frozenset(labels)
    games = [
        one for one in store.games() if known.issuperset(one.key[:2]) and (schedule is None or one.key in schedule)
    ]
    distinct = distinct_of(games)
    cells: defaultdict[tuple[str, str], tuple[Tally, Tally]] = defaultdict(lambda: (Tally(), Tally()))
    graphs: defaultdict[tuple[str, str], Tally] = defaultdict(Tally)
    tallies = {label: Tally() for label in labels}
    for game in distinct:
        for player, (one, other) in enumerate(
            ((game.key.first, game.key.second), (game.key.second, game.key.first)), 1
        ):
            first, second = tally([(player, game.winner, game.turns)])
            before = cells[one, other]
            cells[one, other] = before[0] + first, before[1] + second
            graphs[game.key.graph, one] += first + second
            tallies[one] += first + second
    labels = sorted(labels)
    ratings = ratings_of(distinct, labels)
    faults = tuple(faults_of(games))
    played = Counter(label for game in games for label in game.key[:2])
    faulty = Counter(fault.strategy for _, _, fault in faults)
    forfeits = Counter(fault.strategy for _, _, fault in faults if fault.forfeits == "game")
    ranking = []
    for label, points, half in zip(labels, ratings.points.tolist(), ratings.half_widths.tolist(), strict=True):
        rating, low, high = (round(value, 1) for value in (points, points - half, points + half))
        counted = tallies[label], played[label], faulty[label], forfeits[label]
        ranking.append(RankedContestant(label, rating, low, high, *counted))
    ranking.sort(key=lambda place: (-place.rating, place.label))
    return Standings(tuple(ranking), dict(cells), dict(graphs), faults, len(games), len(distinct), *totals(games))


def totals(games: Iterable[FinishedGame]) -> tuple[dict[str, MoveCounts], dict[str, TurnTimes]]:
    """Return the counts of moves and the times by contestant, without those of games in a batch."""
    moves: dict[str, MoveCounts] = {}
    times: dict[str, TurnTimes] = {}
    for game in games:
        for label, counted, taken in zip(game.key[:2], game.counts, game.times, strict=True):
            if counted.sent or taken.turns:
                moves[label] = total(moves.get(label, NO_MOVES), counted)
                times[label] = times.get(label, NO_TIME).plus(taken)
    return moves, times
