"""SVG pictures of scenes."""

from collections.abc import Iterable
from zlib import crc32

from planetwars_env.render.palette import LIGHT, Palette
from planetwars_env.render.scene import Scene
from planetwars_env.render.shapes import HEADING, Shape, graph_shapes, scene_shapes
from planetwars_env.render.templates import fill


def scene_svg(scene: Scene, palette: Palette = LIGHT) -> str:
    """Return the picture as an SVG document."""
    shapes = [*graph_shapes(scene.graph, scene.layout, palette), *scene_shapes(scene, palette)]
    return shapes_svg(shapes, scene.layout.width, scene.layout.height + HEADING, scene.headline, palette)


def shapes_svg(shapes: Iterable[Shape], width: int, height: int, title: str, palette: Palette) -> str:
    """Return shapes on a ground of this size as an SVG document, which shrinks to the width of its page."""
    kinds = [(type(shape).__name__, shape) for shape in shapes]
    # A page may hold several drawings, and the names of their parts are the page's: they come from what is drawn.
    name = f"{crc32(repr(kinds).encode()):08x}"
    return fill("shapes.svg", shapes=kinds, width=width, height=height, title=title, palette=palette, name=name)
