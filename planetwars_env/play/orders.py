"""Check of a person's orders before they are given, by what the view shows."""

from collections.abc import Sequence

from planetwars_env.view import Move, View


class MoveError(ValueError):
    """An action that is not possible now; the message gives the reason."""


def fault_in(move: Move, view: View, orders: Sequence[Move], coexistence: bool) -> str:
    """Return the reason why the view's player cannot give this order, empty if it can.

    ``orders``: those of the turn so far, which are off their planets in the view.
    """
    ways = {(edge.a, edge.b) for edge in view.edges}
    if (move.source, move.destination) not in ways and (move.destination, move.source) not in ways:
        return f"no edge joins {move.source} and {move.destination}"
    if move.people < 1:
        return f"a move needs at least one person, not {move.people}"
    planet = view.planet(move.source)
    if not planet.visible and coexistence:
        return ""  # R8: from memory, and it may come to nothing
    left = view.my_people(planet)
    if move.people <= left:
        return ""
    if left:
        return f"planet {planet.id} has only {left} people left, not {move.people}"
    if any(order.source == planet.id for order in orders):
        return f"nobody is left on planet {planet.id}"
    return f"planet {planet.id} is not yours"
