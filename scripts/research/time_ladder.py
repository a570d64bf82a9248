"""Timing of a ladder of sixty cheap strategies: python -m scripts.research.time_ladder --help."""

import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from planetwars_env.arena.contestants import contestant_of
from planetwars_env.arena.game_store import GameStore
from planetwars_env.arena.ladder import Ladder
from planetwars_env.arena.ladder_site import write_site
from planetwars_env.arena.plan import TournamentPlan
from planetwars_env.bots.writing import write_strategy
from planetwars_env.engine.rules import PLANETWARS
from planetwars_env.envs.arguments import turn_limit
from planetwars_env.graphs.catalogue import load_pool

_BOTS = ("random", "ai1", "ai2", "ai3")


def main(
    strategies: Annotated[int, typer.Option(min=2)] = 60,
    games: Annotated[int, typer.Option(min=2, help="Games that count as a first rating.")] = 10,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = os.cpu_count() or 1,
) -> None:
    """Time the first ratings of variants of the template, then that of a new one beside them, then the site."""
    with tempfile.TemporaryDirectory() as name:
        folder, out = Path(name, "submissions"), Path(name, "ladder")
        out.mkdir()
        for number in range(strategies):
            _write_variant(folder, number)
        graphs = load_pool("test")
        bots = [contestant_of(bot) for bot in _BOTS]
        plan = TournamentPlan(bots, graphs, PLANETWARS, 2 * len(graphs), turn_limit(PLANETWARS), disturb=True)
        with GameStore(out / "games.sqlite") as store:
            ladder = Ladder(folder, out, store, plan, games)
            _time(f"first ratings of {strategies} strategies", ladder, jobs)
            _write_variant(folder, strategies)
            _time("first rating of a new one", ladder, jobs)
            start = time.perf_counter()
            write_site(ladder, out / "site", 2, "Ladder", idle=False)
            print(f"the site: {time.perf_counter() - start:.1f} s; the machine's load: {os.getloadavg()[0]:.1f}")


def _time(what: str, ladder: Ladder, jobs: int) -> None:
    start, played = time.perf_counter(), 0
    ladder.look()
    loaded = time.perf_counter() - start
    while found := ladder.play_round(jobs):
        played += found
    ranking = ladder.standings().ranking
    half = sorted((place.high - place.low) / 2 for place in ranking if place.label not in _BOTS)
    seconds = time.perf_counter() - start
    print(
        f"{what}: {played} games in {seconds:.0f} s ({loaded:.0f} s of them to load), +-{half[len(half) // 2]:.0f} points"
    )
    print(f"  games of a contestant: {_spread(place.played for place in ranking)}")


def _spread(numbers: Iterable[int]) -> str:
    return ", ".join(f"{times} x {number}" for number, times in sorted(Counter(numbers).items()))


def _write_variant(folder: Path, number: int) -> None:
    """Write the template with another fraction of people that stay, and turns without a move."""
    path = write_strategy(f"Team {number}", folder)
    text = path.read_text().replace("view.my_people(planet) // 2", f"view.my_people(planet) * {number % 12 + 1} // 14")
    waits = f"        if view.turn // 2 % 5 < {number // 12 % 5}:\n            return []\n        moves = []\n"
    path.write_text(text.replace("        moves = []\n", waits, 1))


if __name__ == "__main__":
    typer.run(main)
