"""A small tournament as a program of its own, for test_tournament: python tournament_program.py FOLDER JOBS_OR_ADDRESS."""

import sys
from pathlib import Path
from typing import Any

from planetwars_env.arena import round_robin
from planetwars_env.arena.contestants import contestant_of
from planetwars_env.arena.game_store import GameStore
from planetwars_env.arena.games import close_strategies
from planetwars_env.arena.isolation import ResourceLimits
from planetwars_env.arena.plan import TournamentPlan
from planetwars_env.arena.report import as_json
from planetwars_env.arena.standings import compute_standings
from planetwars_env.arena.tasks import ray_cluster
from planetwars_env.engine.rules import PLANETWARS
from planetwars_env.graphs.catalogue import load_graph

TESTS = Path(__file__).resolve().parents[1]
NAMES = ("random", "ai1", str(TESTS / "honest" / "spreader.py"), str(TESTS / "hostile" / "thrower.py"))
GAMES = 8


def the_plan() -> TournamentPlan:
    """Two bots, an honest strategy and a hostile one on two graphs, every pair playing twice on each as either player."""
    graphs = [load_graph("duel"), load_graph("test/3")]
    contestants = list(map(contestant_of, NAMES))
    return TournamentPlan(contestants, graphs, PLANETWARS, GAMES, 40, ResourceLimits(turn=5, begin=10), seed=0)


def play(folder: Path, jobs: int) -> str:
    """Play what is missing; the table as JSON."""
    plan = the_plan()
    with GameStore(folder / "games.sqlite") as store:
        round_robin.run_tournament(plan, store, jobs)
        close_strategies()
        return as_json(compute_standings(store, [one.name for one in plan.contestants]))


def play_on_ray(folder: Path, address: str) -> str:
    """The same on the Ray cluster at ``address``; this process is kept from playing a game itself."""
    round_robin._play_game = round_robin.play_on = _nobody_plays_here
    with ray_cluster(address):
        return play(folder, -1)


def _nobody_plays_here(*_: Any) -> list[Any]:
    raise RuntimeError("a game was played where the tournament was started")


if __name__ == "__main__":
    place, jobs = Path(sys.argv[1]), sys.argv[2]
    (place / "table.json").write_text(play(place, int(jobs)) if jobs.isdigit() else play_on_ray(place, jobs))
