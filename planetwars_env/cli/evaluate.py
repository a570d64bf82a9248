"""``planetwars evaluate``: an agent, a bot or a strategy against opponents, on every board as both players."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from planetwars_env.cli.faults import UNSAFE, need, need_players, need_writable, told


def evaluate(
    player: Annotated[
        str | None,
        typer.Argument(metavar="PLAYER", help="A bot's or agent's name, a run's folder, a .py file, module:Class."),
    ] = None,
    opponents: Annotated[
        list[str] | None, typer.Option(help="Players, the same; several may follow; default: random ai1 ai2 ai3.")
    ] = None,
    more: Annotated[list[str] | None, typer.Argument(metavar="", hidden=True)] = None,
    graphs: Annotated[str, typer.Option(help="A pool, a graph, a .dot file or a folder of them.")] = "test",
    games: Annotated[
        int | None, typer.Option(min=1, help="Against each; every board is played as both players. Default: 200.")
    ] = None,
    rules: Annotated[str, typer.Option(help="PLANETWARS, PLANETWARS_HALF_STEP or SPACE_EXPLORERS.")] = "PLANETWARS",
    out: Annotated[Path | None, typer.Option(help="Write the results to this JSON file.")] = None,
    replays: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Also two games against each, as pages to watch.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Of the first game, the next has the next; default: 0, with --course a new secret."),
    ] = None,
    sample: Annotated[
        bool, typer.Option("--sample", help="PLAYER, an agent, draws its actions instead of taking the likeliest.")
    ] = False,
    course: Annotated[
        bool, typer.Option("--course", help="The course's grading: 100 runs against random and each AI, isolated.")
    ] = False,
    undisturbed: Annotated[
        bool, typer.Option("--undisturbed", help="With --course: the boards as they are, which everybody may know.")
    ] = False,
    in_process: Annotated[
        bool,
        typer.Option("--in-process", help="Strategies from files run in this process, to be debugged: all rights."),
    ] = False,
    unsafe: Annotated[bool, typer.Option("--unsafe", help=UNSAFE)] = False,
    zoo: Annotated[
        bool, typer.Option("--zoo", help="Measure all agents of the zoo again, or PLAYER; rewrites results and cards.")
    ] = False,
) -> None:
    """Measure how often a player wins: by opponent and side, with a 95 % interval (Wilson).

    \b
    Examples:
      planetwars evaluate runs/demo
      planetwars evaluate ai2 --opponents random ai1 --replays runs/ai2
      planetwars evaluate runs/demo --opponents ai3 --graphs fair --games 400 --out results.json
      planetwars evaluate runs/demo --sample
      planetwars evaluate ai3 --rules SPACE_EXPLORERS
      planetwars evaluate my_strategy.py --course
      planetwars evaluate --zoo
    """
    with told("Nothing was written but files that are whole; the same command plays the same games again."):
        if zoo:
            _evaluate_zoo(player, bool(opponents or more or games or out or replays or course or sample))
            return
        if player is None:
            raise ValueError("who is to be measured? for example: planetwars evaluate ai2")
        chosen = [*(opponents or []), *(more or [])]
        need_players([player, *chosen])
        if out is not None:
            need_writable(out)
        if not course:
            if undisturbed:
                raise ValueError("without --course boards are never disturbed: leave out --undisturbed")
            rivals = chosen or ["random", "ai1", "ai2", "ai3"]
            if not _foreign([player, *rivals]) or in_process:
                _say_in_process([player, *rivals])
                _evaluate(player, rivals, graphs, games or 200, rules, seed or 0, out, replays, sample)
            elif sample:
                raise ValueError("--sample goes with strategies from files only where they run --in-process")
            else:
                _evaluate_isolated(player, rivals, graphs, games or 200, rules, seed or 0, out, replays, unsafe)
        elif chosen or games or replays or sample:
            raise ValueError(
                "--course says itself who is played how: leave out --opponents, --games, --replays and --sample"
            )
        else:
            _grade(player, graphs, rules, seed, out, not undisturbed, unsafe)


def _foreign(names: list[str]) -> bool:
    """Whether there is a strategy from a file or module among these."""
    return any(name.endswith(".py") or ":" in name for name in names)


def _say_in_process(names: list[str]) -> None:
    if _foreign(names):
        typer.echo(
            "Isolation: none (--in-process). Strategies run with all your rights, without limits of time and memory; do this "
            "with your own ones only."
        )


def _evaluate_isolated(*arguments: Any) -> None:
    need("arena", "joblib")
    from planetwars_env.cli.isolated import evaluate_isolated

    evaluate_isolated(*arguments)


def _evaluate_zoo(only: str | None, chosen: bool) -> None:
    if chosen:
        raise ValueError("--zoo plays what the results files say: it goes with the name of an agent at most")
    need("agents", "torch", "safetensors")
    from planetwars_env.cli.zoo import measure_zoo

    measure_zoo(only)


def _grade(
    player: str, graphs: str, rules: str, seed: int | None, out: Path | None, disturb: bool, unsafe: bool
) -> None:
    need("arena", "joblib")
    from planetwars_env.cli.course import grade

    grade(player, graphs, rules, seed, out, disturb, unsafe)


def _evaluate(
    name: str,
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
    from planetwars_env.cli.table import evaluate_visibly, print_results, save_results
    from planetwars_env.envs.arguments import resolve_rules

    player, *rivals = [resolve_player(one) for one in (name, *opponents)]
    if sample:
        player = sampled(player, seed)
    console = Console()
    results = evaluate_visibly(console, player, rivals, graphs, games, resolve_rules(rules), seed)
    print_results(console, f"{name}, sampled," if sample else name, graphs, results)
    if out is not None:
        save_results(out, results, sample)
        console.print(f"Results are in {out}.", highlight=False, markup=False)
    if replays is not None:
        from planetwars_env.cli.replay_pages import games_of_evaluation, save_pages

        save_pages(replays, games_of_evaluation(player, rivals, graphs, resolve_rules(rules), seed))
        console.print(f"Games to watch are in {replays}.", highlight=False, markup=False)
