"""Adaptive pairing: of a round robin's games, those that tell most about the ranking.

The games of a round follow from the results of the rounds before, so a tournament that was killed and started again finds the
same rounds, and ends with the same table.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from planetwars_env.arena.game_records import GameKey, GameRow
from planetwars_env.arena.game_store import GameStore
from planetwars_env.arena.plan import TournamentPlan
from planetwars_env.arena.ratings import informative_pairs
from planetwars_env.arena.standings import distinct_of, ratings_of

_LEAST_IN_A_ROUND = 8
"""Pairs of games, enough to keep the processors of one machine busy."""


def rounds(plan: TournamentPlan, store: GameStore) -> Iterator[list[GameKey]]:
    """Yield all games of a prepared plan; with a budget in rounds, of which the store holds one when the next is asked for.

    Each pair of contestants begins on a graph of its own, so that few games cover many graphs.
    """
    if plan.budget is None:
        yield list(plan.schedule())
        return
    chosen: dict[GameKey, None] = {}
    rows: dict[GameKey, GameRow] = {}
    while pairs := min((plan.budget - len(chosen)) // 2, max(_LEAST_IN_A_ROUND, len(plan.contestants) // 2)):
        keys = next_games(plan, [rows[key] for key in chosen], chosen, pairs)
        if not keys:
            return
        yield keys
        chosen.update(dict.fromkeys(keys))
        if not rows.keys() >= chosen.keys():
            rows = {row.key: row for row in store.rows()}


def next_games(
    plan: TournamentPlan,
    rows: Sequence[GameRow],
    chosen: Collection[GameKey],
    pairs: int,
    due: Sequence[bool] | None = None,
) -> list[GameKey]:
    """Return the next games, each in both orders, by expected information.

    ``rows``: results so far; ``chosen``: games that are played or under way; ``due``: by contestant, of whom each game must have
    one (None: all).
    """
    index = {one.name: i for i, one in enumerate(plan.contestants)}
    taken: defaultdict[frozenset[str], set[tuple[str, int]]] = defaultdict(set)
    for key in chosen:
        taken[frozenset(key[:2])].add(key[2:])
    remaining: NDArray[np.int64] = np.zeros((len(index), len(index)), np.int64)
    for (i, one), (j, other) in combinations(enumerate(plan.contestants), 2):
        if plan.meet(one, other) and (due is None or due[i] or due[j]):
            played = len(taken.get(frozenset((one.name, other.name)), ()))
            remaining[i, j] = remaining[j, i] = plan.games // 2 - played
    ratings = ratings_of(distinct_of(rows), index)
    keys: list[GameKey] = []
    for i, j in informative_pairs(ratings, remaining, pairs):
        one, other = plan.contestants[i].name, plan.contestants[j].name
        games = plan.pair_games(one, other)
        shift = crc32(f"{one}\0{other}".encode()) % len(games)
        there = taken[frozenset((one, other))]
        both = next(both for both in games[shift:] + games[:shift] if both[0][2:] not in there)
        there.add(both[0][2:])
        keys += both
    return keys
