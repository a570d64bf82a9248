"""Command `planetwars evaluate`: win rates of a player against opponents."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from rich.console import Console

from planetwars_env.bots.source_files import names_source
from planetwars_env.cli.errors import check_writable, import_named, require, require_for_players, user_errors
from planetwars_env.cli.options import Graphs, Import, ResultsFile, Rules, Unsafe

if TYPE_CHECKING:
    from planetwars_env.arena.results import Result
    from planetwars_env.move_counts import MoveCounts


class _Asked(NamedTuple):
    """Evaluation that was asked for: the first of the ``players`` against each of the others."""

    console: Console
    players: list[Any]
    graphs: str
    games: int
    rules: str
    seed: int
    replays: Path | None


def evaluate(
    player: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER",
            help="A bot, an agent, a run's folder, or a strategy: a .py file, a folder, a .zip, module:Class; or a "
            "language model: llm:MODULE:FUNCTION.",
        ),
    ],
    opponents: Annotated[
        list[str] | None, typer.Option(help="One or more players; default: random ai1 ai2 ai3.")
    ] = None,
    more: Annotated[list[str] | None, typer.Argument(metavar="", hidden=True)] = None,
    graphs: Graphs = "test",
    games: Annotated[int, typer.Option(min=1, help="Games per opponent, half of them as either player.")] = 200,
    rules: Rules = "PLANETWARS",
    out: ResultsFile = None,
    replays: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Save two games per opponent as pages to watch.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the first game; every later game adds 1.")] = 0,
    sample: Annotated[
        bool, typer.Option("--sample", help="Sample the agent's actions instead of taking the most likely ones.")
    ] = False,
    in_process: Annotated[
        bool, typer.Option("--in-process", help="Run strategies from files in this process, for debugging.")
    ] = False,
    unsafe: Unsafe = False,
    keep: Annotated[
        Path, typer.Option(help="With llm: the folder of games and transcripts; the same command goes on from it.")
    ] = Path("runs/model"),
    reply_seconds: Annotated[
        float, typer.Option(min=0.01, help="With llm: seconds for a reply; a later one is left out.")
    ] = 120,
    compact: Annotated[bool, typer.Option("--compact", help="With llm: short messages.")] = False,
    trust_pickle: Annotated[
        bool,
        typer.Option(
            "--trust-pickle",
            help="Load PLAYER, a .zip model of Stable-Baselines3. It holds pickles, which can run any code: use it for "
            "files that you trust only.",
        ),
    ] = False,
    import_: Import = None,
    vecnormalize: Annotated[
        Path | None, typer.Option(help="With --trust-pickle: the .pkl file of the model's VecNormalize.")
    ] = None,
    fractions: Annotated[
        str | None, typer.Option(help="With --trust-pickle: the model's fractions, if not the default: 0.25,0.5,1.")
    ] = None,
) -> None:
    """Measure how often a player wins, per opponent and side, with 95 % intervals (Wilson).

    \b
    Examples:
      planetwars evaluate my_strategy.py --games 20
      planetwars evaluate ai2 --opponents random ai1 --replays runs/ai2
      planetwars evaluate runs/demo --opponents ai3 --graphs fair --games 400 --out results.json
      planetwars evaluate llm:my_model:reply --opponents random ai1 --games 4 --keep runs/my_model
    """
    with user_errors("Files that were written are complete. The same command plays the same games again."):
        names = [player, *([*(opponents or []), *(more or [])] or ["random", "ai1", "ai2", "ai3"])]
        require_for_players(names)
        import_named(import_)
        players = [_model(player, vecnormalize, fractions) if trust_pickle else player, *names[1:]]
        check_writable(out)
        isolated = any(map(names_source, names[1:] if trust_pickle else names))
        if isolated and in_process:
            typer.echo("Isolation: none (--in-process). Strategies run with all your rights: use it for your own only.")
        if isolated and not in_process and sample:
            raise ValueError("--sample with a strategy from a file needs --in-process")
        console = Console()
        asked = _Asked(console, players, graphs, games, rules, seed, replays)
        if player.startswith("llm:"):
            label, results, moves = _play_model(asked, unsafe, keep, reply_seconds, compact)
        elif isolated and not in_process:
            label, results, moves = _play_isolated(asked, unsafe)
        else:
            label, results, moves = _play_here(asked, sample)
        from planetwars_env.cli.results_table import print_moves, print_results, save_results

        print_moves(console, moves, first=True)
        print_results(console, f"{label}, sampled," if sample else label, graphs, results)
        print_moves(console, moves)
        if out is not None:
            save_results(out, results, sample)
        for what, path in (("Results", out), ("Games to watch", replays)):
            if path is not None:
                console.print(f"{what} are in {path}.", highlight=False, markup=False)


def _model(path: str, vecnormalize: Path | None, fractions: str | None) -> Any:
    """Return the model in a .zip file as a player. ValueError for another file, and for fractions that are no numbers."""
    require("train", "torch", "stable_baselines3", "sb3_contrib")
    from planetwars_env.bots.catalogue import resolve_player
    from planetwars_env.learn.sb3_policy import SB3Policy

    if not path.endswith(".zip"):
        raise ValueError(f"--trust-pickle needs the .zip file of a model, not {path}")
    try:
        values = None if fractions is None else [float(one) for one in fractions.split(",")]
    except ValueError:
        raise ValueError(f"--fractions must be numbers separated by commas, not {fractions}") from None
    return resolve_player(SB3Policy(path, vecnormalize=vecnormalize, fractions=values))


def _play_here(asked: _Asked, sample: bool) -> "tuple[str, list[Result], dict[str, MoveCounts]]":
    """Play in this process, compiled where both players are; return label, results and moves."""
    from planetwars_env.arena.evaluation import evaluate as measure
    from planetwars_env.arena.evaluation import sampled
    from planetwars_env.bots.catalogue import resolve_player
    from planetwars_env.cli.progress import games_bar
    from planetwars_env.cli.replay_pages import evaluation_replays, save_pages
    from planetwars_env.envs.arguments import resolve_rules
    from planetwars_env.move_counts import total_counts

    chosen = resolve_rules(asked.rules)
    player, *opponents = [resolve_player(one) for one in asked.players]
    player = sampled(player, asked.seed) if sample else player
    with games_bar(asked.console, asked.games * len(opponents)) as count:
        results = measure(player, opponents, asked.graphs, asked.games, chosen, asked.seed, lambda _: count(1))
    if asked.replays is not None:
        save_pages(asked.replays, evaluation_replays(player, opponents, asked.graphs, chosen, asked.seed))
    moves = {player.name: total_counts(result.moves for result in results)} if names_source(player.spec) else {}
    return player.name, results, moves


def _play_isolated(asked: _Asked, unsafe: bool) -> "tuple[str, list[Result], dict[str, MoveCounts]]":
    """Play as in tournaments, strategies from files in processes of their own; return label, results and moves."""
    from planetwars_env.arena.contestants import contestants_of
    from planetwars_env.arena.grading import result_against, scheduled_rows
    from planetwars_env.arena.isolation import ResourceLimits
    from planetwars_env.arena.plan import TournamentPlan, load_plan
    from planetwars_env.arena.round_robin import play_in_memory
    from planetwars_env.arena.standings import totals
    from planetwars_env.cli.progress import games_bar
    from planetwars_env.cli.replay_pages import save_pages, tournament_replays
    from planetwars_env.cli.results_table import print_faults
    from planetwars_env.cli.tournament_view import print_isolation
    from planetwars_env.envs.arguments import resolve_rules, turn_limit
    from planetwars_env.graphs.catalogue import resolve_graphs

    rules, contestants = resolve_rules(asked.rules), contestants_of(asked.players)
    plan = TournamentPlan(
        contestants, resolve_graphs(asked.graphs), rules, asked.games, turn_limit(rules), ResourceLimits(unsafe=unsafe),
        asked.seed, only={contestants[0].name},
    )  # fmt: skip
    print_isolation(asked.console, contestants, unsafe)
    plan = load_plan(plan)
    label, *others = [one.name for one in plan.contestants]
    with (
        games_bar(asked.console, asked.games * len(others)) as count,
        play_in_memory(plan, on_games=count) as (plan, store),
    ):
        rows, faults = scheduled_rows(plan, store), [fault for _, _, fault in store.faults()]
        moves, _ = totals(store.sides())
        results = [result_against(label, other, rows, store) for other in others]
        if asked.replays is not None:
            save_pages(asked.replays, tournament_replays(store, 1))
    print_faults(asked.console, faults)
    return label, results, {one.name: moves[one.name] for one in plan.contestants if one.isolated and one.name in moves}


def _play_model(
    asked: _Asked, unsafe: bool, keep: Path, seconds: float, compact: bool
) -> "tuple[str, list[Result], dict[str, MoveCounts]]":
    """Play a language model's games one by one, with transcripts; return label, results and moves."""
    from functools import partial

    from planetwars_env.arena.contestants import contestants_of
    from planetwars_env.arena.game_store import GameStore
    from planetwars_env.arena.grading import result_against, scheduled_rows
    from planetwars_env.arena.isolation import ResourceLimits
    from planetwars_env.arena.model_evaluation import play_model_games, write_report
    from planetwars_env.arena.plan import TournamentPlan, load_plan
    from planetwars_env.arena.standings import totals
    from planetwars_env.arena.tournament import GAMES_FILE
    from planetwars_env.cli.progress import games_bar
    from planetwars_env.cli.replay_pages import save_pages, tournament_replays
    from planetwars_env.cli.tournament_view import print_isolation
    from planetwars_env.envs.arguments import resolve_rules, turn_limit
    from planetwars_env.graphs.catalogue import resolve_graphs

    rules, (model, *others) = resolve_rules(asked.rules), contestants_of(asked.players)
    make: Any = model.make
    model = model._replace(make=partial(make, seconds=seconds, compact=compact))
    print_isolation(asked.console, others, unsafe)
    limits = ResourceLimits(unsafe=unsafe)
    plan = load_plan(
        TournamentPlan(
            [model, *others], resolve_graphs(asked.graphs), rules, asked.games, turn_limit(rules), limits, asked.seed,
            only={model.name},
        )
    )  # fmt: skip
    keep.mkdir(parents=True, exist_ok=True)
    with GameStore(keep / GAMES_FILE) as store, store.lock():
        options = {"compact": compact, "seconds": seconds}
        if store.metadata("model", options) != options:
            raise ValueError(
                f"the games in {keep} were played with other --compact or --reply-seconds: choose another --keep"
            )
        store.save_metadata("model", options)
        with games_bar(asked.console, asked.games * len(others)) as count:
            plan = play_model_games(plan, store, keep, count)
        rows = scheduled_rows(plan, store)
        results = [result_against(model.name, one.name, rows, store) for one in plan.contestants[1:]]
        if asked.replays is not None:
            save_pages(asked.replays, tournament_replays(store, 1))
        for name, one in write_report(plan, store, keep, model.name).items():
            asked.console.print(
                f"against {name}: {one.legal_rate:.1%} of {one.parts:,} moves legal, {one.late:,} of {one.replies:,} "
                f"replies late, {one.tokens / one.games:,.0f} tokens per game",
                highlight=False, markup=False,
            )  # fmt: skip
        asked.console.print(f"Games, transcripts and report.html are in {keep}.", highlight=False, markup=False)
        moves, _ = totals(store.sides())
    return model.name, results, {model.name: moves[model.name]} if model.name in moves else {}
