"""``planetwars rank``: a tournament of bots and strategies."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from planetwars_env.cli.errors import UNSAFE, require, require_for_players, user_errors

if TYPE_CHECKING:
    from planetwars_env.arena.tournament import Tournament
    from planetwars_env.cli.replay_pages import Link


def rank(
    strategies: Annotated[
        list[str], typer.Argument(metavar="STRATEGY...", help="Bots, .py files, module:Class, agents' folders.")
    ],
    graphs: Annotated[str, typer.Option(help="A pool, a graph, a .dot file or a folder of them.")] = "test",
    games: Annotated[
        int | None, typer.Option(help="Of each pair, half as either player; default: every board as both.")
    ] = None,
    rules: Annotated[str, typer.Option(help="PLANETWARS, PLANETWARS_HALF_STEP or SPACE_EXPLORERS.")] = "PLANETWARS",
    out: Annotated[Path, typer.Option(help="The folder for games and tables; started again, it goes on there.")] = Path(
        "runs/rank"
    ),
    html: Annotated[bool, typer.Option("--html", help="Also one page of HTML with everything.")] = False,
    replays: Annotated[
        int, typer.Option(min=0, help="So many games of each pair and side as pages to watch; --html links them.")
    ] = 0,
    jobs: Annotated[int, typer.Option(help="Processes; -1: one a core.")] = -1,
    seconds: Annotated[float, typer.Option(min=0.01, help="A foreign strategy's time for a turn.")] = 1.0,
    memory: Annotated[int, typer.Option(min=256, help="A foreign strategy's memory in MiB.")] = 512,
    max_turns: Annotated[int | None, typer.Option(min=1, help="Where a game is cut off; default: the rules'.")] = None,
    seed: Annotated[
        int | None, typer.Option(help="A number makes the games those of anybody with it; default: a new secret.")
    ] = None,
    undisturbed: Annotated[
        bool, typer.Option("--undisturbed", help="Play the boards as they are, which everybody may know.")
    ] = False,
    unsafe: Annotated[bool, typer.Option("--unsafe", help=UNSAFE)] = False,
) -> None:
    """Play every pair on every board as both players, and rank them.

    \b
    Examples:
      planetwars rank random ai1 ai2 ai3
      planetwars rank my_strategy.py ai3 --games 100 --html --replays 1
      planetwars rank submissions/*.py ai2 --rules SPACE_EXPLORERS --out runs/class
    """
    with user_errors(f"The games that are finished are in {out}: the same command goes on from them."):
        require("arena", "joblib")
        require_for_players(strategies)
        from planetwars_env.arena.isolation import ResourceLimits
        from planetwars_env.cli.tournament_view import print_tables

        limits = ResourceLimits(turn=seconds, memory=memory * 2**20, unsafe=unsafe)
        console = Console()
        _say_conditions(console, strategies, seed, not undisturbed, unsafe)
        played = _play(
            console, strategies, graphs, games, rules, out=out, max_turns=max_turns, seed=seed,
            disturb=not undisturbed, limits=limits, jobs=jobs,
        )  # fmt: skip
        links = _save_games(out, replays) if replays else []
        print_tables(console, played.standings, out)
        title = f"{', '.join(sorted(played.standings.labels))} on {graphs}, {rules}"
        written = [*_write(out, played, html, title, links), *(["replays/"] if links else [])]
        console.print(f"In {out}: {', '.join(written)}, and all games in games.sqlite.", highlight=False, markup=False)


def _say_conditions(console: Console, names: list[str], seed: int | None, disturb: bool, unsafe: bool) -> None:
    from planetwars_env.arena.contestants import contestants_of
    from planetwars_env.cli.tournament_view import print_isolation, print_seeds

    print_isolation(console, contestants_of(names), unsafe)
    print_seeds(console, seed, disturb)


def _play(console: Console, *what: Any, **how: Any) -> "Tournament":
    """`pw.tournament` with a progress bar."""
    from planetwars_env.arena.tournament import tournament
    from planetwars_env.cli.tournament_view import tournament_bar

    with tournament_bar(console) as watcher:
        return tournament(*what, **how, watcher=watcher)


def _save_games(out: Path, each: int) -> "list[Link]":
    from planetwars_env.arena.game_store import GameStore
    from planetwars_env.arena.tournament import GAMES_FILE
    from planetwars_env.cli.replay_pages import save_pages, tournament_replays

    with GameStore(out / GAMES_FILE) as store:
        saved = save_pages(out / "replays", tournament_replays(store, each))
    return [(said, f"replays/{name}") for said, name in saved]


def _write(out: Path, played: "Tournament", html: bool, title: str, links: "list[Link]") -> list[str]:
    """Write the tables into ``out``, and the seed, since all games are played; the names of the files."""
    from importlib.util import find_spec

    from planetwars_env.arena import report
    from planetwars_env.files import write_atomically

    standings = played.standings
    files = {
        "ranking.json": report.as_json(standings, played.seed).encode(),
        "ranking.csv": report.as_csv(standings).encode(),
        "ranking.md": report.as_markdown(standings).encode(),
    }
    pictures = []
    if find_spec("matplotlib") is not None:
        pictures.append(played.plot().png())
        files["matrix.png"] = pictures[0]
    if html:
        files["ranking.html"] = report.as_html(standings, title, pictures, links).encode()
    for name, data in files.items():
        write_atomically(out / name, data)
    return list(files)
