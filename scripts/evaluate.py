"""Win rates of a player against others: python scripts/evaluate.py graph-planetwars --opponents ai3 --opponents planner.

A player is a bot, an agent of the zoo, the folder of a run, a .py file with a strategy, or "module:Class".
Every graph is played twice, once as each player, and a game's seed is its number: the same command gives the same games.
"""

from typing import Annotated

import typer

import planetwars_env as pw

BOTS = ["random", "ai1", "ai2", "ai3"]


def main(
    player: Annotated[str, typer.Argument(help="The player to measure.")],
    opponents: Annotated[list[str], typer.Option(help="May be repeated.")] = BOTS,
    graphs: Annotated[str, typer.Option(help="A pool, a graph, or a .dot file.")] = "test",
    games: Annotated[int, typer.Option(min=1, help="Against each opponent.")] = 200,
) -> None:
    """Print the win rate against each opponent with its 95 % interval, in all and as each player."""
    for result in pw.evaluate(player, opponents, graphs=graphs, games=games):
        print(result)
        print(f"  as player 1: {result.as_player_1.win_rate:.1%}, as player 2: {result.as_player_2.win_rate:.1%}")


if __name__ == "__main__":
    typer.run(main)
