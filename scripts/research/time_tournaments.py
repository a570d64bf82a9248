"""Timing of two large tournaments: python -m scripts.research.time_tournaments --help."""

import os
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated

import typer

from planetwars_env.arena.contestants import contestant_of
from planetwars_env.arena.game_store import GameStore
from planetwars_env.arena.kept_players import close_strategies
from planetwars_env.arena.plan import TournamentPlan
from planetwars_env.arena.round_robin import run_tournament
from planetwars_env.bots.catalogue import Player
from planetwars_env.bots.writing import write_strategy
from planetwars_env.engine.rules import PLANETWARS
from planetwars_env.envs.arguments import turn_limit
from planetwars_env.graphs.catalogue import load_pool

BOTS = ("noop", "random", "ai1", "ai2", "ai3")


def main(jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = os.cpu_count() or 1) -> None:
    """Time eight compiled bots, some of them twice under other labels; then two strategies from files, a thousand games."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bots = [contestant_of(bot)._replace(name=f"{bot} {i}") for i, bot in enumerate(islice(cycle(BOTS), 8))]
        _time("8 compiled bots, 100 graphs, both players", bots, 200, jobs, folder)
        files = [contestant_of(str(write_strategy(name, folder))) for name in ("One", "Another")]
        _time("2 strategies from files", files, 1000, jobs, folder)


def _time(what: str, contestants: list[Player], games: int, jobs: int, folder: Path) -> None:
    plan = TournamentPlan(contestants, load_pool("test"), PLANETWARS, games, turn_limit(PLANETWARS))
    start = time.perf_counter()
    with GameStore(folder / f"{len(contestants)}.sqlite") as store:
        run_tournament(plan, store, jobs)
        close_strategies()
        played = len(store.rows())
    seconds = time.perf_counter() - start
    load = os.getloadavg()[0]
    print(f"{what}: {played:,} games in {seconds:.0f} s on {jobs} processes; the machine's load was {load:.1f}")


if __name__ == "__main__":
    typer.run(main)
