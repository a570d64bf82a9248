"""Views read back from their complete text: whoever can read a text knows what the view says."""

import re
from dataclasses import replace

import planetwars_env as pw

_HEADING = re.compile(r"^Turn (\d+)(?: of (\d+))?; you are player ([12])\.", re.MULTILINE)
_PLANET = re.compile(
    r"^ *(\d+) +(you|opponent|neutral) +(\d+)(?: \+ (\d+))? +(\d+) +(\d+)  (?:[\d: ]+)?(?:; base of (you|opponent))?$",
    re.MULTILINE,
)
_FLIGHT = re.compile(r"^(you|opponent) (\d+) -> (\d+): ([\d, in]+)$", re.MULTILINE)
_WAYS = re.compile(r"^ *(\d+) .*?((?: \d+:\d+)+)(?:;.*)?$", re.MULTILINE)


def view_in(text: str) -> pw.View:
    """The view that a message tells; x and y are 0, and weights are in turns."""
    turn, _, player = (int(number or 0) for number in _HEADING.search(text).groups())  # type: ignore[union-attr]
    who = {"you": player, "opponent": 3 - player, "neutral": 0, None: 0}
    seen = {}
    for id, owner, people, others, size, habitability, base in _PLANET.findall(text):
        owner, base = who[owner], who[base or None]
        own = (int(people), int(others)) if others else (int(people), 0) if owner == player else (0, int(people))
        pair = own if player == 1 else (own[1], own[0])
        seen[int(id)] = pw.PlanetView(int(id), 0, 0, True, owner, pair, int(size), int(habitability), base)
    edges = {}
    for id, ways in _WAYS.findall(text):
        for way in ways.split():
            other, turns = map(int, way.split(":"))
            edges[min(int(id), other), max(int(id), other)] = pw.Edge(min(int(id), other), max(int(id), other), turns)
    ids = sorted({id for ends in edges for id in ends})
    planets = tuple(seen.get(id, pw.PlanetView(id, 0, 0, False)) for id in ids)
    shuttles = [
        pw.Shuttle(int(source), int(target), who[owner], *map(int, part.split(" in ")))
        for owner, source, target, parts in _FLIGHT.findall(text)
        for part in parts.split(", ")
    ]
    return pw.View(turn, player, planets, tuple(edges[ends] for ends in sorted(edges)), tuple(sorted(shuttles)))


def last_turn_in(text: str) -> int | None:
    """The last turn of the game that a message tells."""
    limit = _HEADING.search(text).group(2)  # type: ignore[union-attr]
    return int(limit) if limit else None


def same_but_for_drawing(view: pw.View, turns_per_weight: int) -> pw.View:
    """The view as `view_in` reads it: without positions, and with the turns of flights as weights."""
    planets = tuple(replace(planet, x=0, y=0) for planet in sorted(view.planets, key=lambda planet: planet.id))
    edges = sorted((min(one.a, one.b), max(one.a, one.b), one.weight * turns_per_weight) for one in view.edges)
    return pw.View(
        view.turn, view.player, planets, tuple(pw.Edge(*edge) for edge in edges), tuple(sorted(view.shuttles))
    )
