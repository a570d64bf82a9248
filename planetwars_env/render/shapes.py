"""Shapes of all kinds of pictures of a graph, and the pictures as SVG."""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple
from zlib import crc32

from planetwars_env.graphs.graph import Graph
from planetwars_env.render.layout import lay_out
from planetwars_env.render.palette import LIGHT, owner_colour
from planetwars_env.render.templates import fill

HEADING = 76
"""Height of the heading above the graph."""
_HOUSE = ((0, -9), (9, -1), (6.5, -1), (6.5, 8), (-6.5, 8), (-6.5, -1), (-9, -1))


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


def graph_shapes(graph: Graph) -> Iterator[Shape]:
    """Yield the shapes that stay the same all game: the edges with their weights."""
    places = [(x, y + HEADING) for x, y in lay_out(graph).places.tolist()]
    ends = [(*places[graph.index[edge.a]], *places[graph.index[edge.b]]) for edge in graph.edges]
    for x1, y1, x2, y2 in ends:
        yield Line(x1, y1, x2, y2, LIGHT.line, 2.0)
    for edge, (x1, y1, x2, y2) in zip(graph.edges, ends, strict=True):
        x, y = (x1 + x2) / 2, (y1 + y2) / 2
        yield DiscPart(x, y, 8.5, 0, 1, LIGHT.ground)
        yield Label(x, y, str(edge.weight), 12, LIGHT.soft)


def base_shapes(x: float, y: float, player: int) -> Iterator[Shape]:
    """Yield the sign of a player's base."""
    yield Polygon(x, y, _HOUSE, owner_colour(player), LIGHT.ground)
    yield Label(x, y + 2, str(player), 10, LIGHT.ground, bold=True)


def picture_size(graph: Graph) -> tuple[int, int]:
    """Return width and height of a picture of the graph, with room for a heading."""
    layout = lay_out(graph)
    return layout.width, layout.height + HEADING


def picture_svg(graph: Graph, shapes: Iterable[Shape], title: str) -> str:
    """Return a picture of the graph with these shapes upon it as an SVG document, which shrinks to the width of its page."""
    kinds = [(type(shape).__name__, shape) for shape in (*graph_shapes(graph), *shapes)]
    # A page may hold several drawings, and the names of their parts are the page's: they come from what is drawn.
    name = f"{crc32(repr(kinds).encode()):08x}"
    width, height = picture_size(graph)
    return fill("shapes.svg", shapes=kinds, width=width, height=height, title=title, palette=LIGHT, name=name)
