"""Which seats of a pool nobody wins, however often it is tried."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from planetwars_env.arena.evaluation import evaluate
from planetwars_env.bots.catalogue import resolve_opponent
from planetwars_env.bots.loading import agent_folder
from planetwars_env.cli.faults import need_players, need_writable, told
from planetwars_env.cli.progress import bar_of
from planetwars_env.engine.rules import Rules
from planetwars_env.envs.arguments import resolve_rules
from planetwars_env.files import write_atomically
from planetwars_env.graphs.catalogue import resolve_graphs

Wins = dict[str, int]
"""Games won by seat, which is "board/player"."""


def seats(
    players: Annotated[list[str], typer.Argument(metavar="PLAYER...", help="Bots, agents, .py files, module:Class.")],
    opponent: Annotated[str, typer.Option(help="Whom they play.")] = "ai3",
    graphs: Annotated[str, typer.Option(help="A pool, a graph, a .dot file or a folder of them.")] = "test",
    tries: Annotated[
        int, typer.Option(min=1, help="Games of every player on every seat, each with its own seed.")
    ] = 20,
    rules: Annotated[str, typer.Option(help="PLANETWARS, PLANETWARS_HALF_STEP or SPACE_EXPLORERS.")] = "PLANETWARS",
    out: Annotated[Path | None, typer.Option(help="Write who won which seat how often to this JSON file.")] = None,
) -> None:
    """Play every seat (a board, as one of its two players) several times and count the seats that were won at least once.

    A board that is not fair has a seat from which hardly anything wins, and a pool of such boards bounds all win rates: the
    share of seats that were ever won is what a player would win that had the luck of all these games together. Agents draw
    their choices here, so that their games differ.

    \b
    Examples:
      python scripts/seats.py planner graph-planetwars --tries 50
      python scripts/seats.py planner graph-spaceexplorers --rules SPACE_EXPLORERS --out runs/seats.json
    """
    with told("Nothing was written: the same command plays the same games again."):
        need_players(players)
        if out is not None:
            need_writable(out)
        console, rule_set, boards = Console(), resolve_rules(rules), resolve_graphs(graphs)
        with bar_of(console, "{task.description}", "{task.completed} of {task.total} boards", transient=True) as bar:
            task = bar.add_task("", total=len(boards) * len(players))
            won: dict[str, Wins] = {}
            for player in players:
                won[player], contender = {}, drawing(player)
                for i, board in enumerate(boards):
                    won[player] |= _try(contender, opponent, i, board, tries, rule_set)
                    bar.update(task, advance=1, description=player)
        console.print(_table(won, tries, f"Seats of {graphs} against {opponent}"))
        if out is not None:
            write_atomically(out, (json.dumps({"tries": tries, "wins": won}, indent=1) + "\n").encode())
            console.print(f"Who won which seat is in {out}.", highlight=False)


def _try(player: Any, opponent: str, number: int, board: Any, tries: int, rules: Rules) -> Wins:
    """Games won from both seats of one board."""
    (result,) = evaluate(player, [opponent], [board], 2 * tries, rules, seed=number)
    return {f"{number}/1": result.as_player_1.wins, f"{number}/2": result.as_player_2.wins}


def drawing(player: str) -> Any:
    """An agent that draws its choices instead of taking the likeliest, so that its games differ; any other player as it is."""
    folder = agent_folder(player)
    if folder is None:
        return resolve_opponent(player)
    from planetwars_env.learn.agent import load_agent

    return load_agent(folder, sample=True)


def _table(won: dict[str, Wins], tries: int, title: str) -> Table:
    table = Table(title=title, box=None, padding=(0, 2, 0, 0))
    table.add_column("player", overflow="fold", min_width=8)
    for heading in ("games", "won", "seats ever won", "by it or those above"):
        table.add_column(heading, justify="right")
    ever: set[str] = set()
    for player, wins in won.items():
        own = {seat for seat, count in wins.items() if count}
        ever |= own
        seats, games = len(wins), len(wins) * tries
        share = f"{sum(wins.values()) / games:.1%}"
        table.add_row(player, f"{games:,}", share, f"{len(own)} of {seats}", f"{len(ever)} ({len(ever) / seats:.1%})")
    return table
