"""SVG pictures of scenes, written without a library."""

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape
from zlib import crc32

from planetwars_env.render.palette import LIGHT, Palette
from planetwars_env.render.scene import Scene
from planetwars_env.render.shapes import (
    HEADING,
    DiscPart,
    Label,
    Line,
    Polygon,
    Ring,
    Shape,
    graph_shapes,
    scene_shapes,
)

_FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def scene_svg(scene: Scene, palette: Palette = LIGHT) -> str:
    """Return the picture as an SVG document."""
    shapes = [*graph_shapes(scene.graph, scene.layout, palette), *scene_shapes(scene, palette)]
    return shapes_svg(shapes, scene.layout.width, scene.layout.height + HEADING, scene.headline, palette)


def shapes_svg(shapes: Iterable[Shape], width: int, height: int, title: str, palette: Palette) -> str:
    """Return shapes on a ground of this size as an SVG document, which shrinks to the width of its page."""
    shapes = list(shapes)
    # A page may hold several drawings, and the names of their parts are the page's: they come from what is drawn.
    name = f"{crc32(repr(shapes).encode()):08x}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'style="max-width: 100%; height: auto" role="img" font-family="{_FONT}">',
            f"<title>{escape(title)}</title>",
            _stripes(palette, name),
            f'<rect width="100%" height="100%" fill="{palette.ground}"/>',
            *_elements(shapes, name),
            "</svg>\n",
        ]
    )


def _stripes(palette: Palette, name: str) -> str:
    return (
        f'<defs><pattern id="stripes-{name}" width="6" height="6" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate(45)"><rect width="3.4" height="6" fill="{palette.player_2}"/></pattern></defs>'
    )


def _elements(shapes: Iterable[Shape], name: str) -> Iterator[str]:
    for number, shape in enumerate(shapes):
        match shape:
            case Line():
                yield (
                    f'<line x1="{shape.x1:g}" y1="{shape.y1:g}" x2="{shape.x2:g}" y2="{shape.y2:g}" '
                    f'stroke="{shape.colour}" stroke-width="{shape.width:g}"/>'
                )
            case DiscPart():
                yield _level(shape, f"{name}-{number}", f"url(#stripes-{name})" if shape.striped else shape.colour)
            case Ring():
                dashes = ' stroke-dasharray="7 3.5"' if shape.broken else ""
                yield (
                    f'<circle cx="{shape.x:g}" cy="{shape.y:g}" r="{shape.radius:g}" fill="none" stroke="{shape.colour}" '
                    f'stroke-width="{shape.width:g}"{dashes}/>'
                )
            case Polygon():
                points = " ".join(f"{shape.x + x:.1f},{shape.y + y:.1f}" for x, y in shape.points)
                yield f'<polygon points="{points}" fill="{shape.fill}" stroke="{shape.outline}" stroke-width="1.5"/>'
            case Label():
                yield _words(shape)


def _level(shape: DiscPart, name: str, fill: str) -> str:
    circle = f'<circle cx="{shape.x:g}" cy="{shape.y:g}" r="{shape.radius:g}"'
    if (shape.low, shape.high) == (0, 1):
        return f'{circle} fill="{fill}"/>'
    top, height = shape.y + shape.radius * (1 - 2 * shape.high), 2 * shape.radius * (shape.high - shape.low)
    part = f'<rect x="{shape.x - shape.radius:g}" y="{top:.2f}" width="{2 * shape.radius:g}" height="{height:.2f}"/>'
    return f'<clipPath id="part-{name}">{part}</clipPath>{circle} fill="{fill}" clip-path="url(#part-{name})"/>'


def _words(shape: Label) -> str:
    weight = ' font-weight="700"' if shape.bold else ""
    halo = f' stroke="{shape.halo}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"' if shape.halo else ""
    return (
        f'<text x="{shape.x:.1f}" y="{shape.y:.1f}" dy="0.35em" font-size="{shape.size}" text-anchor="{shape.anchor}" '
        f'fill="{shape.colour}"{weight}{halo}>{escape(shape.text)}</text>'
    )
