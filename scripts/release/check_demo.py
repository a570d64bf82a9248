"""Check of the files of `planetwars demo`: the agent beats random in more than 70 % of 200 games.

python scripts/release/check_demo.py runs/demo-check/1/results.json ...
"""

import json
import sys
from pathlib import Path

GAMES, MARK = 200, 0.70


def main(paths: list[str]) -> int:
    """Print one line a file; 0 if every one holds the promise, else 1."""
    verdicts = [holds(Path(path)) for path in paths]
    return 0 if verdicts and all(verdicts) else 1


def holds(path: Path) -> bool:
    """Whether the results in ``path`` hold enough games and wins against random."""
    against_random = [entry for entry in json.loads(path.read_text())["results"] if entry["opponent"] == "random"]
    games = sum(entry["games"] for entry in against_random)
    wins = sum(entry["wins"] for entry in against_random)
    good = games >= GAMES and wins > MARK * games
    print(f"{path}: {wins} of {games} games won against random: {'held' if good else 'NOT held'}")
    return good


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
