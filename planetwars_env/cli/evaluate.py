"""``planetwars evaluate``: an agent, a bot or a strategy against opponents, on every board as both players."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from planetwars_env.cli.errors import UNSAFE, check_writable, require, require_for_players, user_errors

_PICKLE = (
    "PLAYER is a .zip file of Stable-Baselines3. It holds pickles: loading it can run any program with all your rights. "
    "Use it for files that you made or trust."
)


def evaluate(
    player: Annotated[
        str, typer.Argument(metavar="PLAYER", help="A bot's or agent's name, a run's folder, a .py file, module:Class.")
    ],
    opponents: Annotated[
        list[str] | None, typer.Option(help="Players, the same; several may follow; default: random ai1 ai2 ai3.")
    ] = None,
    more: Annotated[list[str] | None, typer.Argument(metavar="", hidden=True)] = None,
    graphs: Annotated[str, typer.Option(help="A pool, a graph, a .dot file or a folder of them.")] = "test",
    games: Annotated[int, typer.Option(min=1, help="Against each; every graph is played as both players.")] = 200,
    rules: Annotated[str, typer.Option(help="PLANETWARS, PLANETWARS_HALF_STEP or SPACE_EXPLORERS.")] = "PLANETWARS",
    out: Annotated[Path | None, typer.Option(help="Write the results to this JSON file.")] = None,
    replays: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Also two games against each, as pages to watch.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the first game; the next game has the next.")] = 0,
    sample: Annotated[
        bool, typer.Option("--sample", help="PLAYER, an agent, draws its actions instead of taking the likeliest.")
    ] = False,
    in_process: Annotated[
        bool,
        typer.Option("--in-process", help="Strategies from files run in this process, to be debugged: all rights."),
    ] = False,
    unsafe: Annotated[bool, typer.Option("--unsafe", help=UNSAFE)] = False,
    trust_pickle: Annotated[bool, typer.Option("--trust-pickle", help=_PICKLE)] = False,
    vecnormalize: Annotated[
        Path | None, typer.Option(help="With --trust-pickle: the .pkl file of the model's VecNormalize.")
    ] = None,
    fractions: Annotated[
        str | None, typer.Option(help="With --trust-pickle: the model's fractions, if not the default: 0.25,0.5,1.")
    ] = None,
) -> None:
    """Measure how often a player wins: by opponent and side, with a 95 % interval (Wilson).

    \b
    Examples:
      planetwars evaluate runs/demo
      planetwars evaluate ai2 --opponents random ai1 --replays runs/ai2
      planetwars evaluate runs/demo --opponents ai3 --graphs fair --games 400 --out results.json
      planetwars evaluate runs/demo --sample
      planetwars evaluate ai3 --rules SPACE_EXPLORERS
      planetwars evaluate my_strategy.py --games 20
      planetwars evaluate --trust-pickle model.zip
    """
    with user_errors("Nothing was written but files that are whole; the same command plays the same games again."):
        against = [*(opponents or []), *(more or [])] or ["random", "ai1", "ai2", "ai3"]
        require_for_players([player, *against])
        chosen = _model(player, vecnormalize, fractions) if trust_pickle else player
        if out is not None:
            check_writable(out)
        if not _foreign([player, *against]) or in_process:
            _say_in_process([player, *against])
            _evaluate(chosen, against, graphs, games, rules, seed, out, replays, sample)
        elif sample:
            raise ValueError("--sample goes with strategies from files only where they run --in-process")
        else:
            require("arena", "joblib")
            from planetwars_env.cli.evaluate_isolated import evaluate_isolated

            evaluate_isolated(chosen, against, graphs, games, rules, seed, out, replays, unsafe)


def _model(path: str, vecnormalize: Path | None, fractions: str | None) -> Any:
    """The model in a .zip file as a player; ValueError for another file and for fractions that are no numbers."""
    require("train", "torch", "stable_baselines3", "sb3_contrib")
    from planetwars_env.bots.catalogue import resolve_player
    from planetwars_env.learn.sb3_policy import SB3Policy

    if not path.endswith(".zip"):
        raise ValueError(f"--trust-pickle loads the .zip file of a model, and {path} is none")
    try:
        values = None if fractions is None else [float(one) for one in fractions.split(",")]
    except ValueError:
        raise ValueError(f"--fractions must be numbers with commas between them, not {fractions}") from None
    return resolve_player(SB3Policy(path, vecnormalize=vecnormalize, fractions=values))


def _foreign(names: list[str]) -> bool:
    """Whether there is a strategy from a file or module among these."""
    return any(name.endswith(".py") or ":" in name for name in names)


def _say_in_process(names: list[str]) -> None:
    if _foreign(names):
        typer.echo(
            "Isolation: none (--in-process). Strategies run with all your rights, without limits of time and memory; do this "
            "with your own ones only."
        )


def _evaluate(
    player: Any,
    opponents: list[str],
    graphs: str,
    games: int,
    rules: str,
    seed: int,
    out: Path | None,
    replays: Path | None,
    sample: bool,
) -> None:
    from planetwars_env.arena.evaluation import sampled
    from planetwars_env.bots.catalogue import resolve_player
    from planetwars_env.cli.results_table import evaluate_with_progress, print_results, save_results
    from planetwars_env.envs.arguments import resolve_rules

    player, *against = [resolve_player(one) for one in (player, *opponents)]
    name = player.spec or player.name
    if sample:
        player = sampled(player, seed)
    console = Console()
    results = evaluate_with_progress(console, player, against, graphs, games, resolve_rules(rules), seed)
    print_results(console, f"{name}, sampled," if sample else name, graphs, results)
    if out is not None:
        save_results(out, results, sample)
        console.print(f"Results are in {out}.", highlight=False, markup=False)
    if replays is not None:
        from planetwars_env.cli.replay_pages import evaluation_replays, save_pages

        save_pages(replays, evaluation_replays(player, against, graphs, resolve_rules(rules), seed))
        console.print(f"Games to watch are in {replays}.", highlight=False, markup=False)
