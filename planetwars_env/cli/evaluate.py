"""``planetwars evaluate``: an agent or a bot against opponents, on every board as both players."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from planetwars_env.cli.faults import need, told


def evaluate(
    player: Annotated[str, typer.Argument(metavar="AGENT_OR_BOT", help="A run's or agent's folder, or a bot's name.")],
    opponents: Annotated[
        list[str] | None, typer.Option(help="Bots, agents' folders, module:Class; several may follow.")
    ] = None,
    more: Annotated[list[str] | None, typer.Argument(metavar="", hidden=True)] = None,
    graphs: Annotated[str, typer.Option(help="A pool, a graph, a .dot file or a folder of them.")] = "test",
    games: Annotated[
        int, typer.Option(min=1, help="Against each opponent; every board is played as both players.")
    ] = 200,
    rules: Annotated[str, typer.Option(help="PLANETWARS, PLANETWARS_HALF_STEP or SPACE_EXPLORERS.")] = "PLANETWARS",
    out: Annotated[Path | None, typer.Option(help="Write the results to this JSON file.")] = None,
    seed: Annotated[int, typer.Option(help="Of the first game; the next has the next.")] = 0,
) -> None:
    """Measure how often a player wins: by opponent and side, with a 95 % interval (Wilson).

    \b
    Examples:
      planetwars evaluate runs/demo
      planetwars evaluate ai2 --opponents random ai1
      planetwars evaluate runs/demo --opponents ai3 --graphs fair --games 400 --out results.json
      planetwars evaluate ai3 --rules SPACE_EXPLORERS
    """
    with told():
        chosen = [*(opponents or []), *(more or [])] or ["random", "ai1", "ai2", "ai3"]
        _evaluate(player, chosen, graphs, games, rules, seed, out)


def _evaluate(
    name: str, opponents: list[str], graphs: str, games: int, rules: str, seed: int, out: Path | None
) -> None:
    from planetwars_env.cli.table import evaluate_visibly, results_table, save_results
    from planetwars_env.envs.arguments import resolve_rules

    player, rivals = load_player(name), [load_player(one) for one in opponents]
    if out is not None:
        _check_writable(out)
    console = Console()
    results = evaluate_visibly(console, player, rivals, graphs, games, resolve_rules(rules), seed)
    console.print(results_table(f"{name} on {graphs}", results))
    if out is not None:
        save_results(out, results)
        console.print(f"Results are in {out}.", highlight=False)


def load_player(name: str) -> Any:
    """The agent in a folder, or what the catalogue of bots and strategies knows by this name."""
    from planetwars_env.bots.catalogue import resolve_opponent

    if not Path(name).is_dir():
        return resolve_opponent(name)
    need("agents", "torch", "safetensors")
    from planetwars_env.learn.agent import load_agent

    return resolve_opponent(load_agent(name))


def _check_writable(path: Path) -> None:
    """OSError now rather than after many games."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.tmp")
    draft.touch()
    draft.unlink()
