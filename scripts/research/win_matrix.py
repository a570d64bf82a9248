"""Win matrix of all built-in bots for the docs: every pair, all presets, the pools test and fair."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from planetwars_env.cli.errors import user_errors

if TYPE_CHECKING:
    from scripts.research.bot_targets import PoolGames

POOLS = ("test", "fair")


def win_matrix(
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("docs/win-matrix.md"),
    games: Annotated[int, typer.Option(help="Of each pair, half as either player, graphs in turn.")] = 200,
    keep: Annotated[Path, typer.Option(help="The folder for the games; started again, it goes on there.")] = Path(
        "runs/win-matrix"
    ),
    jobs: Annotated[int, typer.Option(help="Processes; -1: one a core.")] = -1,
) -> None:
    """Play all built-in bots against each other under every rule set, and write who beats whom.

    \b
    Examples:
      python -m scripts.research.win_matrix
      python -m scripts.research.win_matrix --games 20 --out /tmp/win-matrix.md
    """
    with user_errors(f"The games that are finished are in {keep}: run the same command again, and it continues."):
        _win_matrix(out, games, keep, jobs)


def _win_matrix(out: Path, games: int, keep: Path, jobs: int) -> None:
    from planetwars_env.bots.catalogue import bot_names
    from planetwars_env.engine.rules import PRESETS
    from planetwars_env.files import write_atomically
    from scripts.research.bot_targets import bot_targets
    from scripts.research.win_matrix_page import page

    console, bots = Console(), bot_names()
    found = [_play(console, bots, rules, pool, games, keep, jobs) for pool in POOLS for rules in PRESETS]
    write_atomically(out, page(bots, found).encode())
    goals = [(one, goal, one.share(goal)) for one in found for goal in bot_targets(bots)]
    missed = [entry for entry in goals if entry[2] < entry[1].least]
    for one, goal, share in missed:
        verb = "finishes" if goal.ends else "wins"
        where = f"{one.rules} on {one.pool}"
        console.print(f"{where}: {goal.one} {verb} {share:.1%} against {goal.other}, not {goal.least:.0%}")
    console.print(f"{len(goals) - len(missed)} of {len(goals)} goals are met. The page is {out}.", highlight=False)


def _play(console: Console, bots: list[str], rules: str, pool: str, games: int, keep: Path, jobs: int) -> "PoolGames":
    """The games of one rule set on one pool; those of other rules or bots than today's are left where they are."""
    import planetwars_env as pw
    from planetwars_env.arena.contestants import contestant_of, fingerprint_player
    from planetwars_env.arena.game_store import GameStore
    from planetwars_env.arena.standings import distinct_of
    from planetwars_env.arena.tournament import GAMES_FILE
    from planetwars_env.cli.tournament_view import tournament_bar
    from scripts.research.bot_targets import PoolGames

    folder = keep / fingerprint_player(contestant_of(bots[0])) / f"{rules}-{pool}"
    console.print(f"{rules} on {pool}", highlight=False)
    with tournament_bar(console) as bar:
        played = pw.tournament(bots, pool, games, rules, out=folder, seed=0, disturb=False, jobs=jobs, callback=bar)
    with GameStore(folder / GAMES_FILE) as store:
        return PoolGames(rules, pool, played.standings, distinct_of(store.rows()))


if __name__ == "__main__":
    typer.run(win_matrix)
