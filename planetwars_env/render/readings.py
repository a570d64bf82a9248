"""Reading of a game by an agent, as replay pages show it; `read_game` makes it."""

from typing import Any, NamedTuple

from planetwars_env.graphs.graph import Graph
from planetwars_env.view import Move


class TurnReading(NamedTuple):
    """Reading of the turn of ``player`` by an agent in its place, under its fog.

    ``value``: what the network expects of the game, 1 for a win and -1 for a loss; ``orders``: likely moves with their
    probabilities, which each planet draws for itself; ``influence``: planets (ids) with the mean change of the choices of the
    others when the planet is hidden.
    """

    turn: int
    player: int
    value: float
    orders: list[tuple[Move, float]]
    influence: list[tuple[int, float]]


class GameReading(NamedTuple):
    """Reading of a whole game by the agent ``name``: the turns that it read, in order."""

    name: str
    turns: list[TurnReading]

    def to_data(self, graph: Graph) -> dict[str, Any]:
        """Return data for the page, with planets by index: chances in per cent, values in hundredths."""
        index = graph.index
        turns = [
            {
                "at": one.turn - 1,
                "player": one.player,
                "value": round(100 * one.value),
                "orders": [
                    [index[move.source], index[move.destination], move.people, round(100 * chance)]
                    for move, chance in one.orders
                ],
                "influence": [[index[planet], round(100 * part)] for planet, part in one.influence],
            }
            for one in self.turns
        ]
        return {"name": self.name, "turns": turns}
