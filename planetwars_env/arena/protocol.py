"""Protocol between the arena and a strategy's process: lines of JSON, with the map once per game and a view per turn.

The map and the view hold what R9 lets a player know, nothing else.
"""

import json
from typing import Any

from planetwars_env.bots.known_map import KnownMap, Node
from planetwars_env.graphs.graph import Edge
from planetwars_env.view import PlanetView, Shuttle, View

FARTHEST = 2**63
"""Bound of the numbers in a move, exclusive."""


def encode(message: dict[str, Any]) -> bytes:
    """Return a message as one line of JSON."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes) -> Any:
    """Return the value of one line; ValueError for anything that is not JSON, RecursionError where it is nested too deeply."""
    return json.loads(line)


def write_map(known_map: KnownMap) -> dict[str, Any]:
    """``places`` [id, x, y] and ``edges`` [a, b, weight]."""
    return {
        "places": [[place.id, place.x, place.y] for place in known_map.planets],
        "edges": [[edge.a, edge.b, edge.weight] for edge in known_map.edges],
    }


def read_map(written: dict[str, Any]) -> KnownMap:
    """The inverse of `write_map`."""
    places = tuple(Node(*place) for place in written["places"])
    return KnownMap(places, tuple(Edge(*edge) for edge in written["edges"]))


def write_view(view: View) -> dict[str, Any]:
    """A view without what the map holds: ``seen`` [index of the planet, owner, people 1, people 2, size, habitability, base]."""
    return {
        "turn": view.turn,
        "player": view.player,
        "seen": [
            [p, planet.owner, *planet.people, planet.size, planet.habitability, planet.base]
            for p, planet in enumerate(view.planets)
            if planet.people is not None
        ],
        "shuttles": view.shuttles,
    }


def read_view(written: dict[str, Any], known_map: KnownMap) -> View:
    """The inverse of `write_view`."""
    planets = list(known_map.hidden)
    for p, owner, first, second, size, habitability, base in written["seen"]:
        place = known_map.planets[p]
        planets[p] = PlanetView(place.id, place.x, place.y, True, owner, (first, second), size, habitability, base)
    shuttles = tuple(Shuttle(*shuttle) for shuttle in written["shuttles"])
    return View(written["turn"], written["player"], tuple(planets), known_map.edges, shuttles)
