"""Memory of the fog: the last that each player was shown of every planet."""

from typing import Any

from planetwars_env.render.frames import planet_data
from planetwars_env.view import PlanetView, View


class FogMemory:
    """Planets as the views of a game last showed them, by player and id. It knows nothing but those views."""

    def __init__(self) -> None:
        self._seen: dict[int, dict[int, tuple[int, PlanetView]]] = {1: {}, 2: {}}

    def see(self, view: View) -> None:
        """Remember the planets that a player was shown on a turn."""
        self._seen[view.player].update((planet.id, (view.turn, planet)) for planet in view.planets if planet.visible)

    def of(self, view: View) -> list[dict[str, Any]]:
        """Return the planets that ``view`` hides and its player saw before, each by index and with the turn it is of."""
        seen = self._seen[view.player]
        return [
            {"planet": i, "turn": seen[planet.id][0], **planet_data(seen[planet.id][1])}
            for i, planet in enumerate(view.planets)
            if not planet.visible and planet.id in seen
        ]
