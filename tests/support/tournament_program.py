"""A small tournament as a program of its own, for test_tournament: python tournament_program.py FOLDER JOBS [ray]."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from joblib import parallel_config

from planetwars_env.arena import round_robin
from planetwars_env.arena.contestants import contestants_of
from planetwars_env.arena.game_store import GameStore
from planetwars_env.arena.isolation import ResourceLimits
from planetwars_env.arena.report import as_json
from planetwars_env.arena.standings import compute_standings
from planetwars_env.engine.rules import PLANETWARS
from planetwars_env.graphs.catalogue import load_graph

TESTS = Path(__file__).resolve().parents[1]
NAMES = ("random", "ai1", str(TESTS / "honest" / "spreader.py"), str(TESTS / "hostile" / "thrower.py"))
GAMES = 8


def the_plan() -> round_robin.TournamentPlan:
    """Two bots, an honest strategy and a hostile one on two graphs, every pair playing twice on each as either player."""
    graphs = [load_graph("duel"), load_graph("test/3")]
    return round_robin.TournamentPlan(
        contestants_of(NAMES), graphs, PLANETWARS, GAMES, 60, ResourceLimits(turn=5, begin=10), seed=0
    )


def play(folder: Path, jobs: int) -> str:
    """Play what is missing; the table as JSON."""
    plan = the_plan()
    with GameStore(folder / "games.sqlite") as store:
        round_robin.run_tournament(plan, store, jobs)
        round_robin.close_strategies()
        return as_json(compute_standings(store, [one.name for one in plan.contestants]))


def play_on_ray(folder: Path, jobs: int) -> str:
    """The same on a Ray of its own with ``jobs`` worker processes; this process is kept from playing a game itself."""
    import ray
    from ray.util.joblib import register_ray

    register_ray()
    round_robin._play_game = round_robin.play_bot_games = _nobody_plays_here
    # Ray's sockets want a short path.
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as place:
        ray.init(num_cpus=jobs, include_dashboard=False, log_to_driver=False, _temp_dir=place)
        try:
            with parallel_config(backend="ray"):
                table = play(folder, jobs)
        finally:
            ray.shutdown()
    return table


def _nobody_plays_here(*_: Any) -> list[Any]:
    raise RuntimeError("a game was played where the tournament was started")


if __name__ == "__main__":
    run = play_on_ray if "ray" in sys.argv[3:] else play
    table = run(Path(sys.argv[1]), int(sys.argv[2]))
    (Path(sys.argv[1]) / "table.json").write_text(table)
