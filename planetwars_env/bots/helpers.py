"""For strategies: neighbours, distances, shortest paths and frontiers of what a `View` shows.

Distances are sums of weights, that is turns of flight (half-step: half of them). Nothing here knows more than the view does.
"""

from collections.abc import Iterable

from planetwars_env.graphs.graph import Graph, shortest_ways, weights_by_id
from planetwars_env.view import KnownMap, PlanetView, Shuttle, View

Known = View | KnownMap | Graph
"""Views, maps and graphs: they have edges, each of which is usable both ways."""


def weights(graph: Known) -> dict[int, dict[int, int]]:
    """The weight of the edge from a planet to each of its neighbours, by ids: ``weights(view)[3][5]``."""
    return weights_by_id(graph.edges)


def neighbours(view: View, id: int) -> list[PlanetView]:
    """The planets that an edge joins to this one, sorted by id."""
    return [view.planet(other) for other in sorted(weights(view).get(id, {}))]


def distances(graph: Known, sources: int | Iterable[int]) -> dict[int, int]:
    """Distances from the nearest of ``sources`` to every planet that can be reached (Dijkstra)."""
    return shortest_ways(weights(graph), [sources] if isinstance(sources, int) else sources)[0]


def shortest_path(graph: Known, source: int, destination: int) -> list[int]:
    """The ids on a shortest way, both ends included; [] where there is none. Of equal ways always the same one."""
    reached, origins = shortest_ways(weights(graph), [source])
    if destination not in reached:
        return []
    path = [destination]
    while path[-1] != source:
        path.append(origins[path[-1]])
    return path[::-1]


def next_step(graph: Known, source: int, destination: int) -> int | None:
    """The neighbour of ``source`` to send people to who are bound for ``destination``; None where there is no way."""
    path = shortest_path(graph, source, destination)
    return path[1] if len(path) > 1 else None


def frontier(view: View) -> list[PlanetView]:
    """The viewer's own planets next to one that is not its own."""
    edges = weights(view)
    return [
        planet
        for planet in view.owned_by(view.player)
        if any(view.planet(other).owner != view.player for other in edges.get(planet.id, {}))
    ]


def targets(view: View) -> list[PlanetView]:
    """The planets next to the viewer's own that are not its own, sorted by id; all of them are visible."""
    edges = weights(view)
    near = {other for planet in view.owned_by(view.player) for other in edges.get(planet.id, {})}
    return [view.planet(id) for id in sorted(near) if view.planet(id).owner != view.player]


def arriving(view: View, id: int, player: int) -> list[Shuttle]:
    """The shuttles of ``player`` on their way to this planet, the first to land first; [] where the fog hides them."""
    shuttles = [shuttle for shuttle in view.shuttles if shuttle.destination == id and shuttle.player == player]
    return sorted(shuttles, key=lambda shuttle: shuttle.turns)
