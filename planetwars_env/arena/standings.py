"""What the games of a tournament come to: ranking, win matrix, wins by board, faults."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from planetwars_env.arena.isolation import Fault
from planetwars_env.arena.ledger import Key, Ledger, Row
from planetwars_env.arena.ratings import bootstrap, bradley_terry, scores_of
from planetwars_env.arena.results import Tally


class Place(NamedTuple):
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

    ``places``: the best first. ``cells[one, other]``: from one's side, as player 1 and as player 2, distinct games only.

    ``boards[board, label]``: a contestant's games there. ``played``, ``distinct``: games; those with the same moves on the
    same board count once, since they are one and the same game.
    """

    places: tuple[Place, ...]
    cells: dict[tuple[str, str], tuple[Tally, Tally]]
    boards: dict[tuple[str, str], Tally]
    faults: tuple[tuple[Key, int, Fault], ...]
    played: int
    distinct: int

    def __repr__(self) -> str:
        order = ", ".join(f"{rank}. {place.label} ({place.rating:.0f})" for rank, place in enumerate(self.places, 1))
        return f"Standings({order}; {self.played} games)"

    @property
    def labels(self) -> list[str]:
        """The contestants, the best first."""
        return [place.label for place in self.places]

    def both(self, one: str, other: str) -> Tally:
        """One's games against the other, as either player."""
        first, second = self.cells.get((one, other), (Tally(), Tally()))
        return first + second

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "games": self.played,
            "distinct_games": self.distinct,
            "ranking": [{"rank": rank, **_place(place)} for rank, place in enumerate(self.places, 1)],
            "matrix": [
                {"one": one, "other": other, **_cell(*self.cells[one, other])} for one, other in sorted(self.cells)
            ],
            "boards": [
                {"board": board, "contestant": label, **tally.to_dict()}
                for (board, label), tally in sorted(self.boards.items())
            ],
            "faults": [{**key._asdict(), "player": player, **fault._asdict()} for key, player, fault in self.faults],
        }


def standings_of(ledger: Ledger, labels: Sequence[str], schedule: Collection[Key] | None = None) -> Standings:
    """The standings of these contestants in a ledger; games of others, or outside a ``schedule``, do not count."""

    def counts(key: Key) -> bool:
        return key.first in labels and key.second in labels and (schedule is None or key in schedule)

    rows = [row for row in ledger.rows() if counts(Key(*row[:4]))]
    faults = tuple(one for one in ledger.faults() if counts(one[0]))
    distinct = distinct_of(rows)
    cells: dict[tuple[str, str], tuple[Tally, Tally]] = {}
    boards: dict[tuple[str, str], Tally] = {}
    for row in distinct:
        for player, (one, other) in enumerate(((row.first, row.second), (row.second, row.first)), 1):
            tally = _tally(row, player)
            first, second = cells.get((one, other), (Tally(), Tally()))
            cells[one, other] = (first + tally, second) if player == 1 else (first, second + tally)
            boards[row.board, one] = boards.get((row.board, one), Tally()) + tally
    places = _places(labels, distinct, rows, faults)
    return Standings(places, cells, boards, faults, len(rows), len(distinct))


def distinct_of(rows: Sequence[Row]) -> list[Row]:
    """Each game once: with the same moves on the same board between the same players it is the same game."""
    return list({(row.first, row.second, row.board, row.print, row.winner): row for row in reversed(rows)}.values())


def _places(labels: Sequence[str], distinct: list[Row], rows: list[Row], faults: Sequence[Any]) -> tuple[Place, ...]:
    index = {label: i for i, label in enumerate(sorted(labels))}
    outcomes = np.zeros((len(index), len(index), 3), np.int64)
    for row in distinct:
        outcomes[index[row.first], index[row.second], (1, 0, 2)[row.winner]] += 1
    ratings, (low, high) = bradley_terry(scores_of(outcomes)), bootstrap(outcomes)
    played = Counter(label for row in rows for label in (row.first, row.second))
    faulty = Counter(fault.strategy for _, _, fault in faults)
    forfeits = Counter(fault.strategy for _, _, fault in faults if fault.forfeits == "game")
    places = [
        Place(
            label,
            round(float(ratings[i]), 1),
            round(float(low[i]), 1),
            round(float(high[i]), 1),
            sum((_tally(row, 1 + (row.second == label)) for row in distinct if label in row[:2]), Tally()),
            played[label],
            faulty[label],
            forfeits[label],
        )
        for label, i in index.items()
    ]
    return tuple(sorted(places, key=lambda place: (-place.rating, place.label)))


def _tally(row: Row, player: int) -> Tally:
    won, drawn = row.winner == player, row.winner == 0
    return Tally(1, int(won), int(drawn), int(not won and not drawn), row.turns)


def _place(place: Place) -> dict[str, Any]:
    return {
        "contestant": place.label,
        "rating": place.rating,
        "rating_low": place.low,
        "rating_high": place.high,
        **interval(place.tally),
        "played": place.played,
        "faults": place.faults,
        "forfeits": place.forfeits,
    }


def _cell(first: Tally, second: Tally) -> dict[str, Any]:
    return {**interval(first + second), "as_player_1": interval(first), "as_player_2": interval(second)}


def interval(tally: Tally) -> dict[str, Any]:
    """A tally with its Wilson interval."""
    low, high = tally.interval
    return {**tally.to_dict(), "ci_low": round(low, 4), "ci_high": round(high, 4)}
