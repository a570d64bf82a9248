"""Positions of games that pages in a browser cannot play again, turn by turn."""

from typing import Any

import numpy as np

from planetwars_env.game import Game
from planetwars_env.replay import Replay

_MOST_MODULE_BYTES = 64 * 2**20


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
