"""Shapes that a scene is drawn with, from back to front, for every kind of picture, and pictures of them as SVG.

Player 1 is plain, player 2 is striped: solid or broken rings, full or striped fillings, filled or hollow shuttles; so the
drawing reads without colours too. A planet is filled as high as it is populated; where both players live, player 1 lies below.
"""

from collections.abc import Iterable, Iterator
from math import atan2, cos, hypot, sin
from typing import Literal, NamedTuple
from zlib import crc32

from planetwars_env.graphs.graph import Graph
from planetwars_env.render.layout import UNKNOWN_RADIUS, Layout, radius_of
from planetwars_env.render.palette import Palette, ground_colour, mixed, owner_colour
from planetwars_env.render.scene import Scene
from planetwars_env.render.templates import fill
from planetwars_env.view import PlanetView, Shuttle

HEADING = 76
"""Height of the heading above the graph."""
_LEAST_LEVEL = 0.1
"""Least filled part of a planet with people, so that it can be seen."""

_HALO = 8
"""Width of the ring around a planet with heat."""
_SHOWN = 0.005
"""Least heat that is drawn: less would be written as 0.00."""
_LEAST_HEAT = 0.06
"""Least strength of a ring's colour, so that it differs from the ground."""


class Line(NamedTuple):
    """Straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    colour: str
    width: float


class DiscPart(NamedTuple):
    """Part of a disc between two fractions of its height, from below: 0 to 1 is the whole disc."""

    x: float
    y: float
    radius: float
    low: float
    high: float
    colour: str
    striped: bool = False


class Ring(NamedTuple):
    """Outline of a circle."""

    x: float
    y: float
    radius: float
    colour: str
    width: float
    broken: bool = False


class Polygon(NamedTuple):
    """Polygon with an outline; ``points`` are relative to (x, y)."""

    x: float
    y: float
    points: tuple[tuple[float, float], ...]
    fill: str
    outline: str


class Label(NamedTuple):
    """One line of text centred on ``y``; ``halo``: colour around the letters."""

    x: float
    y: float
    text: str
    size: int
    colour: str
    halo: str | None = None
    anchor: Literal["start", "middle", "end"] = "middle"
    bold: bool = False


Shape = Line | DiscPart | Ring | Polygon | Label


def graph_shapes(graph: Graph, layout: Layout, palette: Palette) -> Iterator[Shape]:
    """Yield the shapes that stay the same all game: the edges with their weights."""
    for edge in graph.edges:
        (x1, y1), (x2, y2) = (layout.places[graph.index[end]].tolist() for end in (edge.a, edge.b))
        yield Line(x1, y1 + HEADING, x2, y2 + HEADING, palette.line, 2.0)
    for edge in graph.edges:
        x, y = ((layout.places[graph.index[edge.a]] + layout.places[graph.index[edge.b]]) / 2).tolist()
        yield DiscPart(x, y + HEADING, 8.5, 0, 1, palette.ground)
        yield Label(x, y + HEADING, str(edge.weight), 12, palette.soft)


def scene_shapes(scene: Scene, palette: Palette) -> Iterator[Shape]:
    """Yield the shapes that change: planets with their heat, shuttles and the heading."""
    planets = [
        (planet, scene.heat.get(planet.id, 0), x, y + HEADING)
        for planet, (x, y) in zip(scene.view.planets, scene.layout.places.tolist(), strict=True)
    ]
    for planet, heat, x, y in planets:
        if heat >= _SHOWN:
            colour = mixed(palette.ground, palette.heat, max(heat, _LEAST_HEAT))
            yield DiscPart(x, y, _radius(planet) + _HALO, 0, 1, colour)
    for planet, _, x, y in planets:
        yield from _planet(planet, x, y, palette)
    for planet, heat, x, y in planets:
        if heat >= _SHOWN:
            yield Label(x, y - _radius(planet) - 9, f"{heat:.2f}", 12, palette.heat, palette.ground, bold=True)
    for shuttle in (*scene.orders, *scene.view.shuttles):
        yield from _shuttle(shuttle, scene, palette)
    width, middle = scene.layout.width, 48
    yield Label(width / 2, 18, scene.headline, 15, palette.ink, bold=True)
    for player, side in enumerate(scene.players, 1):
        x, turn, anchor = (26, 1, "start") if player == 1 else (width - 26, -1, "end")
        colour, most = owner_colour(palette, player), width // 24
        name = side.name if len(side.name) <= most else f"{side.name[: most - 1]}…"
        people, planets = "person" if side.people == 1 else "people", "planet" if side.planets == 1 else "planets"
        totals = f"{side.people:,} {people}, {side.planets} {planets}"
        yield DiscPart(x, middle, 11, 0, 1, palette.planet)
        yield DiscPart(x, middle, 11, 0, 1, colour, striped=player == 2)
        yield Ring(x, middle, 11, colour, 2.5, broken=player == 2)
        yield Label(x + turn * 20, middle - 8, name, 14, colour, anchor=anchor, bold=True)
        yield Label(x + turn * 20, middle + 9, totals, 12, palette.soft, anchor=anchor)


def _planet(planet: PlanetView, x: float, y: float, palette: Palette) -> Iterator[Shape]:
    """Yield one planet; the fog leaves a dim disc with a question mark."""
    if planet.people is None or planet.size is None:
        yield DiscPart(x, y, UNKNOWN_RADIUS, 0, 1, palette.fog)
        yield Ring(x, y, UNKNOWN_RADIUS, palette.line, 1.5)
        yield Label(x, y, "?", 15, palette.nobody)
        yield Label(x, y + UNKNOWN_RADIUS + 9, f"#{planet.id}", 11, palette.nobody, palette.ground)
        return
    radius, ground, ink = radius_of(planet.size), ground_colour(palette, planet.owner), palette.ink
    (first, second), total = planet.people, sum(planet.people)
    height = min(1.0, max(_LEAST_LEVEL, total / planet.size))
    yield DiscPart(x, y, radius, 0, 1, ground)
    if first:
        yield DiscPart(x, y, radius, 0, height * first / total, palette.player_1)
    if second:
        yield DiscPart(x, y, radius, height * first / total, height, palette.player_2, striped=True)
    yield Ring(x, y, radius, owner_colour(palette, planet.owner), 3.0 if planet.owner else 2.0, planet.owner == 2)
    if first and second:
        yield Label(x, y - 7, str(second), 13, ink, ground, bold=True)
        yield Label(x, y + 7, str(first), 13, ink, ground, bold=True)
    elif total:
        yield Label(x, y, str(total), 14, ink, ground, bold=True)
    yield Label(x, y + radius + 9, f"#{planet.id}", 11, palette.soft, palette.ground)
    if planet.base:
        yield from base_shapes(x + radius * 0.75 + 3, y - radius * 0.75 - 3, planet.base, palette)


_HOUSE = ((0, -9), (9, -1), (6.5, -1), (6.5, 8), (-6.5, 8), (-6.5, -1), (-9, -1))


def base_shapes(x: float, y: float, player: int, palette: Palette) -> Iterator[Shape]:
    """Yield the sign of a player's base."""
    yield Polygon(x, y, _HOUSE, owner_colour(palette, player), palette.ground)
    yield Label(x, y + 2, str(player), 10, palette.ground, bold=True)


_DART = ((0.0, 1.15), (2.5, 1.0), (3.14159, 0.45), (-2.5, 1.0))
_LANE = 6
"""Distance of shuttles from the middle of their edge, on the right-hand side of their way."""
_ASIDE = 15


def _shuttle(shuttle: Shuttle, scene: Scene, palette: Palette) -> Iterator[Shape]:
    """Yield a shuttle: it flies from rim to rim."""
    graph, places = scene.graph, scene.layout.places
    a, b = graph.index[shuttle.source], graph.index[shuttle.destination]
    (x1, y1), (x2, y2) = places[a].tolist(), places[b].tolist()
    length = hypot(x2 - x1, y2 - y1) or 1.0
    weight = next(e.weight for e in scene.view.edges if {e.a, e.b} == {shuttle.source, shuttle.destination})
    flown = 1 - shuttle.turns / (weight * scene.turns_per_weight)
    start, end = _radius(scene.view.planets[a]) + 8, length - _radius(scene.view.planets[b]) - 8
    way = start + (max(end, start) - start) * flown
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    x, y, angle = x1 + ux * way - uy * _LANE, y1 + HEADING + uy * way + ux * _LANE, round(atan2(uy, ux), 2)
    points = tuple(
        (round(8 * cos(angle + turn) * far, 1), round(8 * sin(angle + turn) * far, 1)) for turn, far in _DART
    )
    colour, ground = owner_colour(palette, shuttle.player), palette.ground
    yield Polygon(x, y, points, *((ground, colour) if shuttle.player == 2 else (colour, ground)))
    # The number stands on the outer side of the lane, away from the shuttles that come the other way.
    x, y = x - _ASIDE * sin(angle), y + _ASIDE * cos(angle)
    yield Label(x, y, str(shuttle.people), 12, colour, ground, bold=True)


def _radius(planet: PlanetView) -> float:
    return UNKNOWN_RADIUS if planet.size is None else radius_of(planet.size)


def shapes_svg(shapes: Iterable[Shape], width: int, height: int, title: str, palette: Palette) -> str:
    """Return shapes on a ground of this size as an SVG document, which shrinks to the width of its page."""
    kinds = [(type(shape).__name__, shape) for shape in shapes]
    # A page may hold several drawings, and the names of their parts are the page's: they come from what is drawn.
    name = f"{crc32(repr(kinds).encode()):08x}"
    return fill("shapes.svg", shapes=kinds, width=width, height=height, title=title, palette=palette, name=name)
