"""Search for the graphs of the shipped pools on which a player does not finish an idle opponent."""

from collections.abc import Sequence
from typing import Annotated

import typer

from planetwars_env.arena.evaluation import evaluate
from planetwars_env.arena.results import Result
from planetwars_env.cli.shell import parse_players, user_errors
from planetwars_env.graphs.catalogue import load_pool, pool_names
from planetwars_env.graphs.graph import Graph


def idle_opponent(
    players: Annotated[list[str], typer.Argument(metavar="PLAYER...", help="Bots, agents, .py files, module:Class.")],
    pools: Annotated[list[str] | None, typer.Option(help="A pool; may be repeated. Default: all.")] = None,
    rules: Annotated[str, typer.Option(help="PLANETWARS, PLANETWARS_HALF_STEP or SPACE_EXPLORERS.")] = "PLANETWARS",
) -> None:
    """Play every graph as both players against noop, which never moves, and name the graphs without two wins.

    \b
    Examples:
      python -m scripts.research.idle_opponent ai1
      python -m scripts.research.idle_opponent graph-all --rules PLANETWARS_HALF_STEP --pools fair --pools test
    """
    with user_errors():
        parse_players(players)
        for player in players:
            for pool in pools or pool_names():
                whole = _result(player, load_pool(pool), rules)
                left = ", ".join(unfinished(player, load_pool(pool), rules, whole)) or "none"
                won, turns = f"{whole.total.wins} of {whole.total.games}", f"{whole.total.mean_turns:.0f}"
                print(f"{player} on {pool}: {won} games won, {turns} turns on average; not: {left}", flush=True)


def unfinished(player: str, graphs: Sequence[Graph], rules: str, whole: Result | None = None) -> list[str]:
    """Return the sides ("train/52 as player 1") that the player does not win against noop, by halving the list of graphs.

    ``whole``: the result on all of these graphs, where it is known.
    """
    result = whole or _result(player, graphs, rules)
    if result.total.wins == result.total.games:
        return []
    if len(graphs) == 1:
        sides = zip((1, 2), (result.as_player_1, result.as_player_2), strict=True)
        return [f"{graphs[0].name} as player {side}" for side, tally in sides if not tally.wins]
    half = len(graphs) // 2
    return [side for part in (graphs[:half], graphs[half:]) for side in unfinished(player, part, rules)]


def _result(player: str, graphs: Sequence[Graph], rules: str) -> Result:
    return evaluate(player, ["noop"], list(graphs), 2 * len(graphs), rules)[0]


if __name__ == "__main__":
    typer.run(idle_opponent)
