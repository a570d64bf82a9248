"""Grading with few and short games, as a program for the kill tests: python -m ... STRATEGY RESULTS."""

import json
import sys
from pathlib import Path

from planetwars_env.arena.contestants import load_one
from planetwars_env.arena.game_store import IN_MEMORY, GameStore
from planetwars_env.arena.grading import GradingScheme, grade_submissions
from planetwars_env.bots.catalogue import parse_player
from planetwars_env.files import write_atomically
from planetwars_env.graphs.catalogue import load_pool


def main(strategy: str, results: Path) -> None:
    """Play four games against each opponent on two processes, and write the grading."""
    scheme = GradingScheme(graphs=load_pool("test")[:2], seed=0, games=4, max_turns=60)
    with GameStore(IN_MEMORY) as store:
        (course,) = grade_submissions([load_one(parse_player(strategy), scheme.limits(False))], scheme, store, jobs=2)
    graded = course.to_dict()
    del graded["seconds"]  # of the wall clock, so no two runs have the same
    write_atomically(results, json.dumps(graded).encode())


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
