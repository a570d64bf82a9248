"""Counts, win rates and intervals of games against one opponent; means over several training runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from planetwars_env.arena.game_store import FinishedGame, distinct_of
from planetwars_env.move_counts import NO_MOVES, MoveCounts, total

_LEAST_GRAPHS = 5
NORMAL_95 = 1.959964
"""Quantile of the normal distribution for a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of games from one side. ``turns``: sum over all games, of both players."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    turns: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        pairs = ((getattr(self, name), getattr(other, name)) for name in self.__slots__)
        return Tally(*(mine + theirs for mine, theirs in pairs))

    def __str__(self) -> str:
        """Return the wins, draws and losses: 60/3/37."""
        return f"{self.wins}/{self.draws}/{self.losses}"

    @property
    def win_rate(self) -> float:
        """Wins divided by games; a draw is not a win. 0 without games."""
        return self.wins / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the win rate (Wilson); (0, 1) without games."""
        return wilson(self.wins, self.games)

    @property
    def mean_turns(self) -> float:
        """Mean number of turns per game; 0 without games."""
        return self.turns / self.games if self.games else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the values for JSON."""
        counts = {"games": self.games, "wins": self.wins, "draws": self.draws, "losses": self.losses}
        return {**counts, "win_rate": round(self.win_rate, 4), "mean_turns": round(self.mean_turns, 1)}


@dataclass(frozen=True, slots=True, repr=False)
class Result:
    """Result of games against ``opponent``, by side.

    ``repetitions``: games in which that player was to move in one position three times; ``circling``: those of them that ended
    by the turn limit. ``distinct``: number of games with different moves, which the interval counts.
    ``unseen``: 95 % interval for graphs like these, clustered by graph; None for fewer than 5 graphs.
    ``moves``: counts of its moves, sent and dropped; none for bots and policies, which play their own legal moves.
    ``mode``: "greedy" or "sampled" for a policy that can do either, else "".
    """

    opponent: str
    as_player_1: Tally
    as_player_2: Tally
    repetitions: int = 0
    circling: int = 0
    distinct: int = 0
    unseen: tuple[float, float] | None = None
    moves: MoveCounts = NO_MOVES
    mode: str = ""

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval (Wilson) of the win rate for more games on these graphs, from the number of distinct games."""
        return wilson(self.total.win_rate * self.distinct, self.distinct)

    @property
    def total(self) -> Tally:
        """The counts of both sides together."""
        return self.as_player_1 + self.as_player_2

    def __repr__(self) -> str:
        return f"Result({self})"

    def __str__(self) -> str:
        """Return one line: the win rate, its 95 % interval (Wilson) and the number of games."""
        total = self.total
        low, high = (100 * bound for bound in self.interval)
        distinct = f" ({self.distinct} distinct)" if self.distinct < total.games else ""
        mode = f", {self.mode}" if self.mode else ""
        rate = f"{100 * total.win_rate:.1f} % ({low:.0f} to {high:.0f})"
        return f"{self.opponent}: {rate} of {total.games} games{distinct} won{mode}"

    def describe_circling(self, player: str) -> str:
        """Return a sentence on the games that ended by the turn limit after a repetition; empty if there are none."""
        if not self.circling:
            return ""
        return (
            f"{self.circling} of {self.total.games} games against {self.opponent} ended by the turn limit after one "
            f"position with {player} to move had occurred three times: it may be moving in circles."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return one entry of a results file."""
        counts = self.total.to_dict()
        del counts["mean_turns"]
        unseen = self.unseen and [round(bound, 4) for bound in self.unseen]
        return {
            "opponent": self.opponent,
            **counts,
            **dict(zip(("ci_low", "ci_high"), (round(bound, 4) for bound in self.interval), strict=True)),
            "as_player_1": self.as_player_1.to_dict(),
            "as_player_2": self.as_player_2.to_dict(),
            "repetitions": self.repetitions,
            "circling": self.circling,
            "distinct_games": self.distinct,
            **({"unseen_low": unseen[0], "unseen_high": unseen[1]} if unseen else {}),
            **({"mode": self.mode} if self.mode else {}),
            **({"moves": self.moves._asdict()} if self.moves.sent else {}),
        }


def result_against(player: str, opponent: str, games: Iterable[FinishedGame]) -> Result:
    """Return the result of the player's games against one opponent; games between others do not count."""
    own = [(game.key.index(player), game) for game in games if {*game.key[:2]} == {player, opponent}]
    distinct = distinct_of([game for _, game in own])
    repeated = [game for side, game in own if game.repeated[side]]
    return Result(
        opponent,
        *tally((side + 1, game.winner, game.turns) for side, game in own),
        repetitions=len(repeated),
        circling=sum(game.ended == "limit" for game in repeated),
        distinct=len(distinct),
        unseen=clustered((game.key.graph, game.won_by == player) for game in distinct),
        moves=total(NO_MOVES, *(game.counts[side] for side, game in own)),
    )


def tally(games: Iterable[tuple[int, int, int]]) -> tuple[Tally, Tally]:
    """Count games, given as (own side, winner, turns); return the counts as player 1 and as player 2."""
    first, second = Tally(), Tally()
    for player, winner, turns in games:
        game = Tally(1, int(winner == player), int(winner == 0), int(winner == 3 - player), turns)
        first, second = (first + game, second) if player == 1 else (first, second + game)
    return first, second


def wilson(wins: float, games: float) -> tuple[float, float]:
    """Return the 95 % interval of a win rate (Wilson 1927); (0, 1) without games."""
    if games <= 0:
        return 0.0, 1.0
    rate, z2 = wins / games, NORMAL_95**2
    middle = (rate + z2 / (2 * games)) / (1 + z2 / games)
    half = NORMAL_95 * sqrt(rate * (1 - rate) / games + z2 / (4 * games * games)) / (1 + z2 / games)
    return max(0.0, middle - half), min(1.0, middle + half)


def percent(interval: tuple[float, float]) -> str:
    """Return an interval of a win rate in per cent: 56-72 %."""
    return f"{100 * interval[0]:.0f}-{100 * interval[1]:.0f} %"


def clustered(games: Iterable[tuple[str, bool]]) -> tuple[float, float] | None:
    """Return the 95 % interval of the win rate on other graphs of the same kind; None for fewer than 5 graphs.

    ``games``: the graph of each distinct game and whether it was won. Games on one graph resemble each other, so the variance
    is that between graphs. It gives the effective number of games for Wilson's interval (Korn and Graubard 1998), with a
    quantile of Student's t for the number of graphs.
    """
    by_graph: dict[str, list[int]] = {}
    for graph, won in games:
        by_graph.setdefault(graph, []).append(won)
    graphs, played = len(by_graph), sum(map(len, by_graph.values()))
    if graphs < _LEAST_GRAPHS:
        return None
    rate = sum(map(sum, by_graph.values())) / played
    spread = sum((sum(won) - rate * len(won)) ** 2 for won in by_graph.values()) * graphs / (graphs - 1)
    # Cornish and Fisher's expansion of the quantile
    z, free = NORMAL_95, graphs - 1
    t = z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
    effective = min(played, rate * (1 - rate) * played**2 / spread) if spread else played
    effective *= (z / t) ** 2
    return wilson(rate * effective, effective)


def z_of(wins: int, games: int, other_wins: int, other_games: int) -> float:
    """Return the z statistic of two win rates (two-sample z-test, pooled variance); 0 where both are all or nothing alike."""
    both = (wins + other_wins) / (games + other_games)
    spread = sqrt(both * (1 - both) * (1 / games + 1 / other_games))
    return (wins / games - other_wins / other_games) / spread if spread else 0.0


def interquartile_mean(scores: ArrayLike) -> float:
    """Return the mean of the middle half of all ``scores``: a quarter is cut at either end, rounded down.

    >>> interquartile_mean([[0, 10, 20, 30], [40, 50, 60, 1000]])
    35.0
    """
    ordered = np.sort(np.asarray(scores, float), axis=None)
    cut = len(ordered) // 4
    return float(ordered[cut : len(ordered) - cut].mean())


def bootstrap_interval(scores: Sequence[Sequence[float]], resamples: int = 2000) -> tuple[float, float] | None:
    """Return the 95 % interval of the interquartile mean of ``scores`` [runs, tasks]; None for a single run.

    Runs are drawn anew for each task by itself (stratified), and the 2.5th and 97.5th percentile are taken. It covers the
    variance between runs, not that of other tasks. The same scores give the same interval.
    """
    table: NDArray[np.float64] = np.asarray(scores, float)
    runs, tasks = table.shape
    if runs < 2:
        return None
    drawn = np.random.default_rng(0).integers(runs, size=(resamples, runs, tasks))
    means = [interquartile_mean(table[rows, np.arange(tasks)]) for rows in drawn]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)
