"""Contact sheets: all graphs of a pool side by side, as a PNG or as a page of drawings."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from planetwars_env.graphs.graph import Graph
from planetwars_env.render.layout import lay_out, radius_of
from planetwars_env.render.pages import colour_variables
from planetwars_env.render.palette import LIGHT, ground_colour, owner_colour
from planetwars_env.render.shapes import HEADING, DiscPart, Label, Ring, Shape, base_shapes, picture_svg
from planetwars_env.render.templates import fill

_COLUMNS = 5
_CELL = 380
"""Pixels of one graph in a PNG."""


def sheet_html(title: str, graphs: Sequence[Graph]) -> str:
    """Return a page with every graph as SVG; it needs no network."""
    pictures = [Markup(picture_svg(graph, _shapes(graph), _title(graph))) for graph in graphs]
    return fill("sheet.html", title=title, colours=colour_variables(), pictures=pictures)


def sheet_png(graphs: Sequence[Graph]) -> bytes:
    """Return a PNG with the graphs in rows of five."""
    from PIL import Image

    from planetwars_env.render.raster import picture, png_of

    columns = min(_COLUMNS, len(graphs))
    sheet = Image.new("RGB", (columns * _CELL, -(-len(graphs) // columns) * _CELL), LIGHT.ground)
    for number, graph in enumerate(graphs):
        image = picture(graph, _shapes(graph))
        image.thumbnail((_CELL - 12, _CELL - 12), Image.Resampling.LANCZOS)
        row, column = divmod(number, columns)
        sheet.paste(image, (column * _CELL + (_CELL - image.width) // 2, row * _CELL + (_CELL - image.height) // 2))
    return png_of(sheet)


def _shapes(graph: Graph) -> Iterator[Shape]:
    """Yield a graph before the game: every planet with its size and, smaller, its habitability."""
    layout = lay_out(graph)
    for planet, (x, y) in zip(graph.planets, layout.places.tolist(), strict=True):
        y, radius = y + HEADING, radius_of(planet.size)
        yield DiscPart(x, y, radius, 0, 1, ground_colour(planet.base))
        yield Ring(x, y, radius, owner_colour(planet.base), 3 if planet.base else 2, planet.base == 2)
        yield Label(x, y - 5, str(planet.size), 13, LIGHT.ink, bold=True)
        yield Label(x, y + 8, f"{planet.habitability} %", 10, LIGHT.soft)
        yield Label(x, y + radius + 9, str(planet.id), 11, LIGHT.soft, LIGHT.ground)
        if planet.base:
            yield from base_shapes(x + radius * 0.75 + 3, y - radius * 0.75 - 3, planet.base)
    yield Label(layout.width / 2, 34, _title(graph), round(layout.width / 30), LIGHT.ink, bold=True)


def _title(graph: Graph) -> str:
    return f"{graph.name or 'graph'}: {len(graph.planets)} planets, {len(graph.edges)} edges"
