"""Limits of a game whose players sit at machines of their own: what a page may ask of the machine that serves it."""

import re
from typing import Any

from planetwars_env.graphs.catalogue import graph_names, pool_names
from planetwars_env.play.live_game import LiveGame, MoveError


def check_new_game(live: LiveGame, message: dict[str, Any]) -> None:
    """MoveError for a message "new" that a shared game does not allow.

    Its players stay those that the command line chose, and its graphs are shipped ones: no page names files of the server.
    """
    if not live.over:
        raise MoveError("the game is not over: finish it or give up before you begin another one")
    if tuple(message["players"]) != live.setup.players:
        raise MoveError("the players of a shared game are those that `planetwars play` was started with")
    if message["start"] is None and not is_shipped(message["graph"]):
        raise MoveError(f"there is no graph {message['graph']!r} among the shipped ones")


def is_shipped(graph: str) -> bool:
    """Return whether this is the name of a shipped graph or pool, and no path."""
    pool = re.fullmatch(r"(\w+)(/[0-9]{1,9})?", graph)
    return graph in graph_names() or (pool is not None and pool[1] in pool_names())


def absent(live: LiveGame, present: set[int]) -> str:
    """Return a sentence on people of a shared game who have no page open, empty if all have."""
    names = [
        live.setup.names[player - 1]
        for player, person in enumerate(live.setup.persons, 1)
        if person and player not in present
    ]
    return f"{' and '.join(names)}: not here yet, or away" if names else ""
