"""Protocol of strategies in other processes: requests and answers as lines of JSON (docs/languages.md).

Programs in other languages and the workers of isolated strategies (arena/worker.py) are asked by the same lines. The requests
hold what R9 lets a player know, nothing else. What a worker is told besides (``n``, limits) a program passes over.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from planetwars_env.engine.rules import Rules
from planetwars_env.graphs.graph import Edge
from planetwars_env.text import clean_name
from planetwars_env.view import KnownMap, PlanetView, Shuttle, View

HELLO = {"type": "hello", "protocol": 1}
"""The first request. The number is the version: a change that old programs would not survive raises it."""
FARTHEST = 2**63
"""Bound of the numbers in a move, exclusive."""
LARGEST_LINE = 2_000_000
"""Largest answer in bytes: enough for the moves that `ResourceLimits` allows."""


def encode(message: Mapping[str, Any]) -> bytes:
    """Return a message as one line of JSON."""
    return json.dumps(message).encode() + b"\n"


def decode(line: bytes) -> dict[str, Any] | None:
    """Return the object in one line; None for anything else."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def begin(known: KnownMap, player: int, rules: Rules, seed: int) -> dict[str, Any]:
    """The request that begins a game, for ``player`` 1 or 2."""
    return {
        "type": "begin",
        "player": player,
        "rules": asdict(rules),
        "seed": seed,
        "planets": [{"id": planet.id, "x": planet.x, "y": planet.y} for planet in known.planets],
        "edges": [asdict(edge) for edge in known.edges],
    }


def read_map(request: dict[str, Any]) -> KnownMap:
    """Return the map of a `begin`."""
    planets = tuple(PlanetView(**planet, visible=False) for planet in request["planets"])
    return KnownMap(planets, tuple(Edge(**edge) for edge in request["edges"]))


def turn(view: View) -> dict[str, Any]:
    """The request of a turn: the planets that are visible, and the shuttles."""
    details = "id", "owner", "people", "size", "habitability", "base"
    return {
        "type": "turn",
        "turn": view.turn,
        "planets": [{key: getattr(planet, key) for key in details} for planet in view.planets if planet.visible],
        "shuttles": [shuttle._asdict() for shuttle in view.shuttles],
    }


def read_view(request: dict[str, Any], known: KnownMap, player: int) -> View:
    """Return the view of a `turn`."""
    planets = {planet.id: planet for planet in known.planets}
    for seen in request["planets"]:
        node = planets[seen["id"]]
        planets[node.id] = PlanetView(**seen | {"people": tuple(seen["people"])}, x=node.x, y=node.y, visible=True)
    shuttles = tuple(Shuttle(**shuttle) for shuttle in request["shuttles"])
    return View(request["turn"], player, tuple(planets.values()), known.edges, shuttles)


def fault_in(moves: Any) -> str:
    """Return the fault in the form of an answer's moves, empty for none; whether they are legal is for the game."""
    if not isinstance(moves, list):
        return 'the answer has no list "moves"'
    for move in moves:
        if not isinstance(move, list) or len(move) != 3:
            return f"{clean_name(move)} is not a move: write [source, destination, people]"
        if not all(type(number) is int and abs(number) < FARTHEST for number in move):
            return f"{clean_name(move)} is not a move: the three must be whole numbers of 64 bits"
    return ""
