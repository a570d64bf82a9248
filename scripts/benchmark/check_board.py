"""Check of all entries of the leaderboard: python -m scripts.benchmark.check_board. It writes leaderboard/checked.json.

An entry that was checked before and has not changed since is not checked again.
"""

import json
from pathlib import Path
from typing import Annotated

import typer

from planetwars_env.learn.score import ScoreError, check, read_result

BOARD = Path(__file__).resolve().parents[2] / "leaderboard"


def main(sample: Annotated[int, typer.Option(min=0, help="Games of each entry that are played again.")] = 20) -> None:
    """Check every file of the leaderboard; status 1 where one is refused."""
    place, refused = BOARD / "checked.json", False
    before = json.loads(place.read_text(encoding="utf-8")) if place.is_file() else {}
    checked = {}
    for path in sorted(BOARD.glob("*/*.json")):
        name = path.relative_to(BOARD).as_posix()
        try:
            digest = read_result(path)["digest"]
            if before.get(name, {}).get("digest") != digest:
                found = check(path, sample)
                before[name] = {"digest": digest, "equal": found.equal, "turns": found.moves}
            checked[name] = before[name]
            typer.echo(f"{name}: {checked[name]['equal']} of {checked[name]['turns']} turns of a sample are equal")
        except ScoreError as fault:
            refused = True
            typer.echo(f"refused: {fault}")
    place.write_text(json.dumps(checked, indent=1) + "\n", encoding="utf-8")
    raise typer.Exit(int(refused))


if __name__ == "__main__":
    typer.run(main)
