"""``planetwars rank``: a tournament of bots and strategies."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from planetwars_env.cli.faults import UNSAFE, need, need_players, told

if TYPE_CHECKING:
    from planetwars_env.arena.contestants import Contestant
    from planetwars_env.arena.ledger import Ledger
    from planetwars_env.arena.seeds import Seed
    from planetwars_env.arena.standings import Standings
    from planetwars_env.arena.tournament import Plan
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
    with told(f"The games that are finished are in {out}: the same command goes on from them."):
        need("arena", "joblib")
        need_players(strategies)
        plan = _plan(strategies, graphs, games, rules, seconds, memory, max_turns, seed, not undisturbed, unsafe)
        _say_isolation(plan)
        plan = replace(plan, contestants=_competing(plan))
        _rank(
            plan, out, html, replays, jobs, f"{', '.join(one.label for one in plan.contestants)} on {graphs}, {rules}"
        )


def _plan(
    strategies: list[str],
    graphs: str,
    games: int | None,
    rules: str,
    seconds: float,
    memory: int,
    max_turns: int | None,
    seed: int | None,
    disturb: bool,
    unsafe: bool,
) -> "Plan":
    from planetwars_env.arena.contestants import contestants_of
    from planetwars_env.arena.isolation import Limits
    from planetwars_env.arena.tournament import Plan
    from planetwars_env.envs.arguments import resolve_rules, turn_limit
    from planetwars_env.graphs.catalogue import resolve_graphs

    chosen, boards = resolve_rules(rules), resolve_graphs(graphs)
    limits = Limits(turn=seconds, memory=memory * 2**20, unsafe=unsafe)
    return Plan(
        contestants_of(strategies),
        boards,
        chosen,
        games or 2 * len(boards),
        turn_limit(chosen, max_turns),
        limits,
        seed,
        disturb=disturb,
    )


def _say_isolation(plan: "Plan") -> None:
    from planetwars_env.cli.tournament_view import say_isolation

    say_isolation(Console(), plan.contestants, plan.limits.unsafe)


def _competing(plan: "Plan") -> "list[Contestant]":
    """Those who want to take part; a foreign strategy is loaded to be asked."""
    from planetwars_env.arena.isolation import Isolated

    staying = []
    for one in plan.contestants:
        if one.foreign:
            with Isolated(one.spec, plan.limits) as strategy:
                if not strategy.compete:
                    typer.echo(f"{one.label} does not compete (its class says compete = False).")
                    continue
        staying.append(one)
    if len(staying) < 2:
        raise ValueError("fewer than two strategies want to compete")
    return staying


def _rank(plan: "Plan", out: Path, html: bool, replays: int, jobs: int, title: str) -> None:
    from planetwars_env.arena.ledger import Ledger
    from planetwars_env.arena.standings import standings_of
    from planetwars_env.arena.tournament import close_strategies, settled
    from planetwars_env.cli.tournament_view import play_visibly, print_tables, say_seed

    console = Console()
    out.mkdir(parents=True, exist_ok=True)
    with Ledger(out / "games.sqlite") as ledger, ledger.alone():
        disturb = plan.disturb
        plan = settled(plan, ledger)
        say_seed(console, plan.seed, disturb)
        play_visibly(console, plan, ledger, jobs)
        close_strategies()
        standings = standings_of(ledger, [one.label for one in plan.contestants], set(plan.schedule()))
        links = _save_games(out, ledger, replays) if replays else []
    print_tables(console, standings, out)
    written = [*_write(out, standings, plan.seed, html, title, links), *(["replays/"] if links else [])]
    console.print(f"In {out}: {', '.join(written)}, and all games in games.sqlite.", highlight=False, markup=False)


def _save_games(out: Path, ledger: "Ledger", each: int) -> "list[Link]":
    from planetwars_env.cli.replay_pages import games_of_tournament, save_pages

    return [(said, f"replays/{name}") for said, name in save_pages(out / "replays", games_of_tournament(ledger, each))]


def _write(
    out: Path, standings: "Standings", seed: "Seed | None", html: bool, title: str, links: "list[Link]"
) -> list[str]:
    """Write the tables into ``out``, and the seed, since all games are played; the names of the files."""
    from importlib.util import find_spec

    from planetwars_env.arena import report
    from planetwars_env.files import write_atomically

    files = {
        "ranking.json": report.as_json(standings, seed).encode(),
        "ranking.csv": report.as_csv(standings).encode(),
        "ranking.md": report.as_markdown(standings).encode(),
    }
    pictures = []
    if find_spec("matplotlib") is not None:
        from planetwars_env.render.matrix import matrix_png

        labels = standings.labels
        rates = [[standings.both(one, other).win_rate if one != other else None for other in labels] for one in labels]
        pictures.append(matrix_png(labels, rates, "Games that the row wins against the column"))
        files["matrix.png"] = pictures[0]
    if html:
        files["ranking.html"] = report.as_html(standings, title, pictures, links).encode()
    for name, data in files.items():
        write_atomically(out / name, data)
    return list(files)
