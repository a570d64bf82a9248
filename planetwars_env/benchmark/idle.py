"""The rules and nothing else: turns a second while nobody moves."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import product

import numpy as np

from planetwars_env.benchmark.idle_kernel import idle
from planetwars_env.benchmark.measure import Table, Work, throughput
from planetwars_env.benchmark.plan import Plan
from planetwars_env.benchmark.play import open_batch
from planetwars_env.engine.columns import LIMIT, NO_LIMIT
from planetwars_env.engine.state import State

_TURNS = 32768  # of all games together, in one call: longer than starting a thread takes


def table(plan: Plan) -> Table:
    """Turns, of which an environment step has two, of games from the middle of play."""
    cases = [(games, threads) for games, threads in product(plan.games, plan.threads) if threads <= games]
    return Table(
        name="idle",
        title="Rules only: idle players, pool test",
        unit="turns/s",
        axes=("games", "threads"),
        probes=[throughput(case, partial(_idle_games, *case, plan.settle)) for case in cases],
        against={case: (case[0], plan.threads[0]) for case in cases if case[1] != plan.threads[0]},
    )


@contextmanager
def _idle_games(games: int, threads: int, settle: int) -> Iterator[Work]:
    batch, _ = open_batch("random", games, settle=settle)
    batch.state.status[:, LIMIT] = NO_LIMIT
    slices = [State(*parts) for parts in zip(*(np.array_split(a, threads) for a in batch.state), strict=True)]
    turns = max(2, _TURNS // games)
    with ThreadPoolExecutor(threads) as pool:

        def work() -> int:
            if threads == 1:
                idle(batch.state, batch.board, turns)
            else:
                list(pool.map(lambda part: idle(part, batch.board, turns), slices))
            return games * turns

        yield work
