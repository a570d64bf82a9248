"""Positions as JSON data for the pages in a browser, which draw them with page/drawing.js.

The play page gets the layout of a graph (`graph_data`), which no fog hides. A replay's page plays its game again; what it
cannot play it gets turn by turn.
"""

from typing import Any

import numpy as np

from planetwars_env.game import Game
from planetwars_env.graphs.graph import Graph
from planetwars_env.render.layout import UNKNOWN_RADIUS, lay_out
from planetwars_env.replay import Replay

_MOST_MODULE_BYTES = 64 * 2**20


def graph_data(graph: Graph) -> dict[str, Any]:
    """Return the layout of a graph: ``planets`` [id, x, y], ``edges`` [planet, planet, weight] by index.

    ``unknown``: the radius of a planet that the fog hides.
    """
    layout = lay_out(graph)
    return {
        "name": graph.name,
        "width": layout.width,
        "height": layout.height,
        "unknown": UNKNOWN_RADIUS,
        "planets": [[planet.id, *place] for planet, place in zip(graph.planets, layout.places.tolist(), strict=True)],
        "edges": [[graph.index[edge.a], graph.index[edge.b], edge.weight] for edge in graph.edges],
    }


def positions_beyond_the_module(replay: Replay) -> list[dict[str, Any]] | None:
    """Return the positions of a game that planetwars.wasm cannot hold, for its page; None for a game that it can.

    One per turn and one for the end: ``people`` of both players on every planet, ``visible``: to whom (1, 2, 3 for both, 0
    for nobody), ``accepted``: which moves were legal. ReplayError if the game cannot be re-run.
    """
    positions = []
    for game, moves in zip(replay.games(), (*replay.moves, ()), strict=False):
        if not positions and fits_the_module(game):
            replay.finished  # noqa: B018 - ReplayError for moves after the end
            return None
        seen = [[planet.visible for planet in game.view(player).planets] for player in (1, 2)]
        positions.append(
            {
                "turn": game.turn,
                "over": game.over,
                "people": game.people(),
                "visible": [first + 2 * second for first, second in zip(*seen, strict=True)],
                "accepted": game.copy().submit(moves) if moves else [],
            }
        )
    return positions


def fits_the_module(game: Game) -> bool:
    """Return whether the module can hold the game (web/graph.mjs, checkFits): its numbers, and the memory that it needs."""
    flight = game.rules.turns_per_weight * max((edge.weight for edge in game.graph.edges), default=1)
    needed = 8 * flight * (len(game.graph.edges) + len(game.graph.planets))
    return game.arrays[1].people.dtype == np.int32 and needed <= _MOST_MODULE_BYTES
