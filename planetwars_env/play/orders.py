"""Orders of the people in a game: those of this turn, which wait for its end, and standing ones."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import NamedTuple

from planetwars_env.game import Game
from planetwars_env.language.replies import Legality
from planetwars_env.play.setup import GameSetup
from planetwars_env.render.text import view_of
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


class MoveError(ValueError):
    """An action that is not possible now; the message gives the reason."""


class PersonOrders:
    """Part of `LiveGame` that takes orders and shows them. ``orders``: of this turn; ``standing``: of every turn."""

    def __init__(self, setup: GameSetup, game: Game) -> None:
        self.setup = setup
        self.game = game
        self.orders: list[Move] = []
        self.standing = StandingOrders()

    def check_person(self) -> None:
        """Raise MoveError if no person is to move."""
        raise NotImplementedError

    def order(self, move: Move) -> None:
        """Add a move to this turn. MoveError if it is not possible; then nothing is added."""
        self._check(move)
        self.orders.append(move)

    def order_all(self, moves: Sequence[Move], every_turn: bool = False) -> None:
        """Give several orders, or standing orders. MoveError if one of them is not possible; then none is given."""
        before = list(self.orders), deepcopy(self.standing)
        try:
            for move in moves:
                (self.keep_sending if every_turn else self.order)(move)
        except MoveError:
            self.orders, self.standing = before
            raise

    def keep_sending(self, move: Move) -> None:
        """Send people along an edge on this turn and every later one; ``move.people``: in percent of those who are there.

        MoveError if it is not possible. It takes the place of an earlier order from the same planet.
        """
        order, player = StandingOrder(*move, self.game.turn), self.game.player
        if not 1 <= order.percent <= 100:
            raise MoveError(f"a standing order sends 1 to 100 % of the people on a planet, not {order.percent} %")
        self._check(move._replace(people=1))
        for old in [old for old in self.standing.of[player] if old.source == order.source]:
            self._stop_sending(old)
        self.orders += self.standing.add(order, self.view(player))

    def stop_sending(self, place: int) -> None:
        """End a standing order of the player to move, by its place in `standing`, and take back what it gave on this turn."""
        orders = self.standing.of[self.game.player]
        self.check_person()
        if not 0 <= place < len(orders):
            raise MoveError(f"there are {len(orders)} standing orders, so there is none with the number {place + 1}")
        self._stop_sending(orders[place])

    def resume(self, standing: Sequence[StandingOrder]) -> None:
        """Go on with standing orders of the player to move, from a game that this one repeats."""
        self.standing.of[self.game.player] = list(standing)
        self.orders = self.standing.begin_turn(self.view(self.game.player))

    def _stop_sending(self, order: StandingOrder) -> None:
        given = self.standing.remove(order, self.game.player)
        if given is not None and given in self.orders:
            self.orders.remove(given)

    def _check(self, move: Move) -> None:
        """Raise MoveError if a move is not possible now."""
        self.check_person()
        if fault := Legality(self.view(self.game.player), self.setup.rules).fault_in(move):
            raise MoveError(fault)

    def undo(self, order: int = -1) -> None:
        """Take an order of this turn back, by its place in `orders`; by default the last one. MoveError if there is none."""
        if not self.orders:
            raise MoveError("there is no move to take back on this turn")
        if not -1 <= order < len(self.orders):
            raise MoveError(f"this turn has {len(self.orders)} moves, so there is none with the number {order + 1}")
        del self.orders[order]

    def view(self, viewer: int | None) -> View:
        """Return the view of ``viewer`` (1, 2; None: without fog), with its orders already taken off their planets.

        A planet that everybody leaves is neutral (R8).
        """
        view = view_of(self.game, viewer)
        if not self.orders or viewer != self.game.player:
            return view
        after = self.game.copy()
        after.submit(self.orders)
        planets = zip(view.planets, view_of(after, None).planets, strict=True)
        return replace(view, planets=tuple(now if planet.visible else planet for planet, now in planets))
