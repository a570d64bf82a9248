"""Graphs on which a player loses soon, for every interface to play."""

import planetwars_env as pw
from planetwars_env.codec.limits import FRACTIONS
from planetwars_env.graphs.graph import Edge, Graph, Planet


def soon_lost() -> pw.Graph:
    """Two planets a turn apart. Player 1 has doubled when it first moves; player 2's only one never grows.

    A `Rusher` as player 1 sends two people on turn 1; they take player 2's base on turn 2, before it ever moves.
    """
    return Graph("doomed", [Planet(1, 100, 100, 1, 1, 1), Planet(2, 0, 100, 2, 1, 2)], [Edge(1, 2, 1)])


RUSH_TURN = [len(FRACTIONS), 0]
"""actions="turn" under `TWO_PLANETS`: everybody leaves planet 1 along its only edge."""
RUSH_ORDER = len(FRACTIONS)
"""The same with actions="order"."""
TWO_PLANETS = {"planets": 2, "edges": 1, "degree": 1, "horizon": 8}
