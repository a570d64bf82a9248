"""A view as page/drawing.js takes it, read in Python: the states of sessions and replays in the page must equal it."""

from typing import Any

from planetwars_env.render.layout import radius_of
from planetwars_env.view import PlanetView, Shuttle, View


def state_data(view: View, turns_per_weight: int = 1, orders: tuple[Shuttle, ...] = ()) -> dict[str, Any]:
    """Return what a view shows and nothing else, as drawing.js takes it.

    ``planets``: {visible, people, size, habitability, base, owner, radius}, all but ``visible`` null where the fog hides them;
    ``shuttles``: {from, to, player, people, left, flight}, ends by index, turns left of the turns of the whole flight;
    ``orders`` are shuttles that are about to leave.
    """
    index = {planet.id: i for i, planet in enumerate(view.planets)}
    flights = {(edge.a, edge.b): edge.weight * turns_per_weight for edge in view.edges}
    return {
        "turn": view.turn,
        "planets": [planet_data(planet) for planet in view.planets],
        "shuttles": [
            {
                "from": index[shuttle.source],
                "to": index[shuttle.destination],
                "player": shuttle.player,
                "people": shuttle.people,
                "left": shuttle.turns,
                "flight": flights[min(shuttle[:2]), max(shuttle[:2])],
            }
            for shuttle in (*view.shuttles, *orders)
        ],
    }


def planet_data(planet: PlanetView) -> dict[str, Any]:
    """Return a planet of `state_data`."""
    return {
        "visible": planet.visible,
        "people": planet.people,
        "size": planet.size,
        "habitability": planet.habitability,
        "base": planet.base,
        "owner": planet.owner,
        "radius": None if planet.size is None else radius_of(planet.size),
    }
