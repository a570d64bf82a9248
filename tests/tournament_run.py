"""A small tournament as a program of its own, to be killed by test_tournament: python tournament_run.py FOLDER JOBS."""

import sys
from pathlib import Path

from planetwars_env.arena.contestants import contestants_of
from planetwars_env.arena.isolation import Limits
from planetwars_env.arena.ledger import Ledger
from planetwars_env.arena.report import as_json
from planetwars_env.arena.standings import standings_of
from planetwars_env.arena.tournament import Plan, close_strategies, run_tournament
from planetwars_env.engine.rules import PLANETWARS
from planetwars_env.graphs.catalogue import load_graph

HERE = Path(__file__).resolve().parent
NAMES = ("random", "ai1", str(HERE / "honest" / "spreader.py"), str(HERE / "hostile" / "thrower.py"))
GAMES = 8


def the_plan() -> Plan:
    """Two bots, an honest strategy and a hostile one on two boards, every pair playing twice on each as either player."""
    boards = [load_graph("duel"), load_graph("test/3")]
    return Plan(contestants_of(NAMES), boards, PLANETWARS, GAMES, 60, Limits(turn=5, begin=10))


def play(folder: Path, jobs: int) -> str:
    """Play what is missing; the table as JSON."""
    plan = the_plan()
    with Ledger(folder / "games.sqlite") as ledger:
        run_tournament(plan, ledger, jobs)
        close_strategies()
        return as_json(standings_of(ledger, [one.label for one in plan.contestants]))


if __name__ == "__main__":
    table = play(Path(sys.argv[1]), int(sys.argv[2]))
    (Path(sys.argv[1]) / "table.json").write_text(table)
