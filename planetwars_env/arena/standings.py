"""Standings of a tournament: ranking, win matrix, wins by graph, faults."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from planetwars_env.arena.game_records import NO_TIME, GameKey, GameRow, TurnTimes
from planetwars_env.arena.game_store import GameStore
from planetwars_env.arena.isolation import Fault
from planetwars_env.arena.ratings import Ratings, bradley_terry
from planetwars_env.arena.results import Tally, tally
from planetwars_env.arena.submissions import Submission
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

    @property
    def author_columns(self) -> tuple[str, ...]:
        """Headings of `author`; none where there is no class."""
        return ("student", "strategy", "submission") if self.submissions else ()

    def author(self, label: str) -> tuple[str, ...]:
        """Return student, strategy and submission of a contestant, empty texts for a bot; nothing where there is no class."""
        own = [one for one in self.submissions if one.strategy == label and not one.reason]
        one = own[0] if own else Submission("", "", None)
        return (one.student, one.strategy, one.place) if self.submissions else ()

    @property
    def forfeits(self) -> Counter[tuple[str, str]]:
        """The number of games that a contestant forfeited, by (contestant, opponent)."""
        forfeits: Counter[tuple[str, str]] = Counter()
        for (first, second, *_), player, fault in self.faults:
            if fault.forfeits == "game":
                forfeits[(first, second) if player == 1 else (second, first)] += 1
        return forfeits

    def to_dict(self) -> dict[str, Any]:
        """Return the values for JSON."""

        def author(label: str) -> dict[str, str]:
            return dict(zip(self.author_columns, self.author(label), strict=True))

        def with_interval(tally: Tally) -> dict[str, Any]:
            low, high = tally.interval
            return {**tally.to_dict(), "ci_low": round(low, 4), "ci_high": round(high, 4)}

        return {
            "games": self.played,
            "distinct_games": self.distinct,
            "ranking": [
                {
                    "rank": rank,
                    "contestant": place.label,
                    "rating": place.rating,
                    "rating_low": place.low,
                    "rating_high": place.high,
                    **with_interval(place.tally),
                    "played": place.played,
                    "faults": place.faults,
                    "forfeits": place.forfeits,
                    **author(place.label),
                }
                for rank, place in enumerate(self.ranking, 1)
            ],
            "matrix": [
                {
                    "one": one,
                    "other": other,
                    **with_interval(first + second),
                    "as_player_1": with_interval(first),
                    "as_player_2": with_interval(second),
                }
                for (one, other), (first, second) in sorted(self.cells.items())
            ],
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

    def counts(key: GameKey) -> bool:
        return known.issuperset(key[:2]) and (schedule is None or key in schedule)

    rows = [row for row in store.rows() if counts(row.key)]
    faults = tuple(one for one in store.faults() if counts(one[0]))
    distinct = distinct_of(rows)
    cells: dict[tuple[str, str], tuple[Tally, Tally]] = {}
    graphs: dict[tuple[str, str], Tally] = {}
    tallies = {label: Tally() for label in labels}
    for row in distinct:
        for player, (one, other) in enumerate(((row.first, row.second), (row.second, row.first)), 1):
            first, second = tally([(player, row.winner, row.turns)])
            before = cells.get((one, other), (Tally(), Tally()))
            cells[one, other] = before[0] + first, before[1] + second
            graphs[row.graph, one] = graphs.get((row.graph, one), Tally()) + first + second
            tallies[one] += first + second
    index = {label: i for i, label in enumerate(sorted(labels))}
    ratings = ratings_of(distinct, index)
    played = Counter(label for row in rows for label in (row.first, row.second))
    faulty = Counter(fault.strategy for _, _, fault in faults)
    forfeits = Counter(fault.strategy for _, _, fault in faults if fault.forfeits == "game")
    ranking = []
    for label, i in index.items():
        points, half = float(ratings.points[i]), float(ratings.half_widths[i])
        rating, low, high = (round(value, 1) for value in (points, points - half, points + half))
        counted = tallies[label], played[label], faulty[label], forfeits[label]
        ranking.append(RankedContestant(label, rating, low, high, *counted))
    ranking.sort(key=lambda place: (-place.rating, place.label))
    moves, times = totals(one for one in store.sides() if counts(one[0]))
    return Standings(tuple(ranking), cells, graphs, faults, len(rows), len(distinct), moves, times)


def totals(
    sides: Iterable[tuple[GameKey, int, MoveCounts, TurnTimes]],
) -> tuple[dict[str, MoveCounts], dict[str, TurnTimes]]:
    """Return the counts of moves and the times by contestant."""
    moves: dict[str, MoveCounts] = {}
    times: dict[str, TurnTimes] = {}
    for key, player, counted, taken in sides:
        label = (key.first, key.second)[player - 1]
        moves[label] = total(moves.get(label, NO_MOVES), counted)
        times[label] = times.get(label, NO_TIME).plus(taken)
    return moves, times


def distinct_of(rows: Sequence[GameRow]) -> list[GameRow]:
    """Return each game once: the same moves of the same players on the same graph are the same game."""
    return list(
        {(row.first, row.second, row.graph, row.fingerprint, row.winner): row for row in reversed(rows)}.values()
    )


def ratings_of(rows: Iterable[GameRow], index: Mapping[str, int]) -> Ratings:
    """Return the ratings by these games; ``index``: the contestants' places in the arrays."""
    scores = np.zeros((len(index), len(index)))
    for row in rows:
        one, other, points = index[row.first], index[row.second], (0.5, 1.0, 0.0)[row.winner]
        scores[one, other] += points
        scores[other, one] += 1 - points
    return bradley_terry(scores)
