"""Command `planetwars rank`: a tournament of bots, agents and strategies."""

from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from planetwars_env.cli import options
from planetwars_env.cli.shell import parse_players, plain_console, user_errors


def rank(
    strategies: Annotated[
        list[str] | None, Argument(metavar="STRATEGY...", help=f"{options.PLAYER}, or a run's folder.")
    ] = None,
    submissions: Annotated[
        Path | None, Option(help="A class: a folder with a file, folder or .zip per student; the broken are left out.")
    ] = None,
    graphs: options.Graphs = "test",
    games: Annotated[
        int | None, Option(help="Games per pair, half of them as either player; default: every graph as both.")
    ] = None,
    budget: Annotated[
        int | None, Option(help="Play only so many games, those that tell most about the ranking; default: all.")
    ] = None,
    bots_only: Annotated[bool, Option("--bots-only", help="Strategies play the named bots, not each other.")] = False,
    rules: options.Rules = "PLANETWARS",
    out: options.KeptGames = Path("runs/rank"),
    html: Annotated[bool, Option("--html", help="Write pages, live: the ranking, and one per contestant.")] = False,
    replays: Annotated[
        int | None,
        Option(min=0, help="Pages of games per pair and side; default: 0, with --html and at most 8 contestants 1."),
    ] = None,
    jobs: options.Jobs = -1,
    address: options.Address = None,
    seconds: options.Seconds = 1.0,
    memory: options.Memory = 2048,
    max_turns: options.MaxTurns = None,
    seed: options.SecretSeed = None,
    undisturbed: options.Undisturbed = False,
    unsafe: options.Unsafe = False,
) -> None:
    """Play every pair on every graph as both players, or the most informative of these games, and rank them.

    \b
    Examples:
      planetwars rank random ai1 ai2 ai3
      planetwars rank my_strategy.py ai3 --games 100 --html    # ranking.html follows the games
      planetwars rank a.py b.py ai2 --rules SPACE_EXPLORERS --out runs/two
      planetwars rank --submissions class/ --budget 2000 --html    # sixty strategies in minutes
      planetwars rank --submissions class/ random ai1 --bots-only
    """
    with user_errors(f"Finished games are in {out}: run the same command again, and it continues."):
        players = parse_players(strategies or [])
        from planetwars_env.arena import game_store, report, standings, tasks, tournament
        from planetwars_env.arena.isolation import ResourceLimits
        from planetwars_env.cli import replay_pages, results_table
        from planetwars_env.envs.arguments import resolve_rules
        from planetwars_env.game import turn_limit
        from planetwars_env.graphs.catalogue import resolve_graphs

        limits = ResourceLimits(turn=seconds, memory=memory * 2**20, unsafe=unsafe)
        console = plain_console()
        results_table.print_isolation(console, players, unsafe, submissions is not None)
        results_table.print_seeds(console, seed, not undisturbed)
        title = f"Ranking on {graphs}, {rules}"

        def show(so_far: standings.Standings, playing: tuple[int, int]) -> None:
            report.write_pages(out, report.tournament_pages(so_far, title, playing=playing))

        if html:
            console.print(f"The ranking so far is in {out / report.RANKING}: open it in a browser.")
        with tasks.ray_cluster(address), results_table.tournament_bar(console, show if html else None) as bar:
            played = tournament.tournament(
                players, graphs, games, rules, out=out, max_turns=max_turns, seed=seed,
                disturb=not undisturbed, budget=budget, bots_only=bots_only, limits=limits, jobs=jobs, on_games=bar,
                on_left_out=lambda line: console.print(f"Warning: {line}", style="yellow"), submissions=submissions,
            )  # fmt: skip
        few = len(played.standings.labels) <= results_table.MOST_IN_A_MATRIX
        each = int(html and few) if replays is None else replays
        links = []
        if each:
            with game_store.GameStore(out / tournament.GAMES_FILE) as store:
                saved = replay_pages.save_pages(out / "replays", replay_pages.tournament_replays(store, each))
            links = [one._replace(link=f"replays/{one.link}") for one in saved]
        results_table.print_tables(console, played.standings, out)
        picture = played.plot().png() if find_spec("matplotlib") is not None else None
        chosen, drawn = resolve_rules(rules), resolve_graphs(graphs)
        conditions = {"games": games or 2 * len(drawn), "budget": budget, "max_turns": turn_limit(chosen, max_turns),
                      "disturbed": not undisturbed, "limits": asdict(limits)}  # fmt: skip
        head = results_table.provenance(played.players, graphs, drawn, chosen, **conditions)
        files = report.write_tables(out, played.standings, picture, seed=played.seed, played=head)
        if html:
            report.write_pages(out, report.tournament_pages(played.standings, title, links))
            files += [report.RANKING, "contestants/"]
        files += ["replays/"] if links else []
        files += [f"{tournament.PRINTED}/ (what strategies printed)"] if (out / tournament.PRINTED).is_dir() else []
        console.print(f"In {out}: {', '.join(files)}, and all games in games.sqlite.")
