"""Standing orders: people who leave along an edge on every turn of their player, until told otherwise."""

from collections.abc import Sequence
from typing import NamedTuple

from planetwars_env.view import Move, View


class StandingOrder(NamedTuple):
    """``percent`` of the people on ``source`` leave for ``destination`` on every turn; ``since``: the first such turn."""

    source: int
    destination: int
    percent: int
    since: int


class StandingOrders:
    """Standing orders by player (``of``), at most one from a planet.

    They give their moves as a turn begins, and end where nobody is left.
    """

    def __init__(self) -> None:
        self.of: dict[int, list[StandingOrder]] = {1: [], 2: []}
        self._given: dict[int, Move] = {}

    def begin_turn(self, view: View) -> list[Move]:
        """Return the moves of a turn that begins; orders from planets where the player has nobody end."""
        orders = [order for order in self.of[view.player] if view.my_people(view.planet(order.source))]
        self.of[view.player], self._given = orders, {}
        return self._moves(orders, view)

    def add(self, order: StandingOrder, view: View) -> list[Move]:
        """Add an order; return what it gives on this turn."""
        self.of[view.player].append(order)
        return self._moves([order], view)

    def remove(self, order: StandingOrder, player: int) -> Move | None:
        """Remove an order; return the move that it gave on this turn."""
        self.of[player].remove(order)
        return self._given.pop(order.source, None)

    def _moves(self, orders: Sequence[StandingOrder], view: View) -> list[Move]:
        """Return the moves of orders. The last person stays."""
        moves = []
        for source, destination, percent, _ in orders:
            there = view.my_people(view.planet(source))
            people = min(max(1, there * percent // 100), there - 1)
            if people > 0:
                self._given[source] = Move(source, destination, people)
                moves.append(self._given[source])
        return moves
