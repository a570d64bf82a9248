"""Count of the sides of a pool that any player ever won."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from planetwars_env.arena.evaluation import evaluate
from planetwars_env.bots.catalogue import Kind, parse_player
from planetwars_env.cli.shell import check_writable, parse_players, plain_console, progress_bar, user_errors
from planetwars_env.engine.rules import Rules
from planetwars_env.envs.arguments import resolve_rules
from planetwars_env.files import write_atomically
from planetwars_env.graphs.catalogue import resolve_graphs

Wins = dict[str, int]
"""Games won by side, which is "number of the graph/player"."""


def winnable_sides(
    players: Annotated[list[str], typer.Argument(metavar="PLAYER...", help="Bots, agents, .py files, module:Class.")],
    opponent: Annotated[str, typer.Option(help="Whom they play.")] = "ai3",
    graphs: Annotated[str, typer.Option(help="A pool, a graph, a .dot file or a folder of them.")] = "test",
    tries: Annotated[
        int, typer.Option(min=1, help="Games of every player on every side, each with its own seed.")
    ] = 20,
    rules: Annotated[str, typer.Option(help="PLANETWARS, PLANETWARS_HALF_STEP or SPACE_EXPLORERS.")] = "PLANETWARS",
    out: Annotated[Path | None, typer.Option(help="Write who won which side how often to this JSON file.")] = None,
) -> None:
    """Play every side (a graph as one of its two players) several times and count the sides that were won at least once.

    A graph that is not fair has a side from which hardly anything wins, and a pool of such graphs bounds all win rates: the
    share of sides that were ever won is what a player would win that had the luck of all these games together. Agents draw
    their choices here, so that their games differ.

    \b
    Examples:
      python -m scripts.research.winnable_sides planner graph-planetwars --tries 50
      python -m scripts.research.winnable_sides graph-all --rules SPACE_EXPLORERS --out runs/sides.json
    """
    with user_errors("Nothing was written: the same command plays the same games again."):
        parse_players(players)
        if out is not None:
            check_writable(out)
        console, rule_set, played = plain_console(), resolve_rules(rules), resolve_graphs(graphs)
        with progress_bar(
            console, "{task.description}", "{task.completed} of {task.total} graphs", transient=True
        ) as bar:
            task = bar.add_task("", total=len(played) * len(players))
            won: dict[str, Wins] = {}
            for player in players:
                won[player], contender = {}, drawing(player)
                for i, graph in enumerate(played):
                    won[player] |= _try(contender, opponent, i, graph, tries, rule_set)
                    bar.update(task, advance=1, description=player)
        console.print(_table(won, tries, f"Sides of {graphs} against {opponent}"))
        if out is not None:
            write_atomically(out, (json.dumps({"tries": tries, "wins": won}, indent=1) + "\n").encode())
            console.print(f"Who won which side is in {out}.")


def _try(player: Any, opponent: str, number: int, graph: Any, tries: int, rules: Rules) -> Wins:
    """Games won from both sides of one graph."""
    (result,) = evaluate(player, [opponent], [graph], 2 * tries, rules, seed=number)
    return {f"{number}/1": result.as_player_1.wins, f"{number}/2": result.as_player_2.wins}


def drawing(player: str) -> Any:
    """An agent that draws its choices instead of taking the likeliest, so that its games differ; any other player as it is."""
    parsed = parse_player(player)
    if parsed.kind is not Kind.AGENT:
        return parsed.load()
    from planetwars_env.learn.agent import load_agent

    return load_agent(parsed.folder, sample=True)


def _table(won: dict[str, Wins], tries: int, title: str) -> Table:
    table = Table(title=title, box=None, padding=(0, 2, 0, 0))
    table.add_column("player", overflow="fold", min_width=8)
    for heading in ("games", "won", "sides ever won", "by it or those above"):
        table.add_column(heading, justify="right")
    ever: set[str] = set()
    for player, wins in won.items():
        own = {side for side, count in wins.items() if count}
        ever |= own
        sides, games = len(wins), len(wins) * tries
        share = f"{sum(wins.values()) / games:.1%}"
        table.add_row(player, f"{games:,}", share, f"{len(own)} of {sides}", f"{len(ever)} ({len(ever) / sides:.1%})")
    return table


if __name__ == "__main__":
    typer.run(winnable_sides)
