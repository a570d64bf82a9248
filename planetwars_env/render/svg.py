"""A scene as an SVG picture, written by hand: it needs no library and stays sharp in print."""

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape
from zlib import crc32

from planetwars_env.render.marks import HEADING, Level, Line, Mark, Ring, Shape, Words, board_marks, scene_marks
from planetwars_env.render.palette import LIGHT, Palette
from planetwars_env.render.scene import Scene

_FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def scene_svg(scene: Scene, palette: Palette = LIGHT) -> str:
    """The whole picture as a document of its own."""
    marks = [*board_marks(scene.graph, scene.layout, palette), *scene_marks(scene, palette)]
    return marks_svg(marks, scene.layout.width, scene.layout.height + HEADING, scene.headline, palette)


def marks_svg(marks: Iterable[Mark], width: int, height: int, title: str, palette: Palette) -> str:
    """Any marks on a ground of this size, which shrinks to the page that it stands on."""
    marks = list(marks)
    # A page may hold several drawings, and the names of their parts are the page's: they come from what is drawn.
    name = f"{crc32(repr(marks).encode()):08x}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'style="max-width: 100%; height: auto" role="img" font-family="{_FONT}">',
            f"<title>{escape(title)}</title>",
            _stripes(palette, name),
            f'<rect width="100%" height="100%" fill="{palette.ground}"/>',
            *_elements(marks, name),
            "</svg>\n",
        ]
    )


def _stripes(palette: Palette, name: str) -> str:
    return (
        f'<defs><pattern id="stripes-{name}" width="6" height="6" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate(45)"><rect width="3.4" height="6" fill="{palette.player_2}"/></pattern></defs>'
    )


def _elements(marks: Iterable[Mark], name: str) -> Iterator[str]:
    for number, mark in enumerate(marks):
        match mark:
            case Line():
                yield (
                    f'<line x1="{mark.x1:g}" y1="{mark.y1:g}" x2="{mark.x2:g}" y2="{mark.y2:g}" '
                    f'stroke="{mark.colour}" stroke-width="{mark.width:g}"/>'
                )
            case Level():
                yield _level(mark, f"{name}-{number}", f"url(#stripes-{name})" if mark.striped else mark.colour)
            case Ring():
                dashes = ' stroke-dasharray="7 3.5"' if mark.broken else ""
                yield (
                    f'<circle cx="{mark.x:g}" cy="{mark.y:g}" r="{mark.radius:g}" fill="none" stroke="{mark.colour}" '
                    f'stroke-width="{mark.width:g}"{dashes}/>'
                )
            case Shape():
                points = " ".join(f"{mark.x + x:.1f},{mark.y + y:.1f}" for x, y in mark.points)
                yield f'<polygon points="{points}" fill="{mark.fill}" stroke="{mark.outline}" stroke-width="1.5"/>'
            case Words():
                yield _words(mark)


def _level(mark: Level, name: str, fill: str) -> str:
    circle = f'<circle cx="{mark.x:g}" cy="{mark.y:g}" r="{mark.radius:g}"'
    if (mark.low, mark.high) == (0, 1):
        return f'{circle} fill="{fill}"/>'
    top, height = mark.y + mark.radius * (1 - 2 * mark.high), 2 * mark.radius * (mark.high - mark.low)
    part = f'<rect x="{mark.x - mark.radius:g}" y="{top:.2f}" width="{2 * mark.radius:g}" height="{height:.2f}"/>'
    return f'<clipPath id="part-{name}">{part}</clipPath>{circle} fill="{fill}" clip-path="url(#part-{name})"/>'


def _words(mark: Words) -> str:
    weight = ' font-weight="700"' if mark.bold else ""
    halo = f' stroke="{mark.halo}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"' if mark.halo else ""
    return (
        f'<text x="{mark.x:.1f}" y="{mark.y:.1f}" dy="0.35em" font-size="{mark.size}" text-anchor="{mark.anchor}" '
        f'fill="{mark.colour}"{weight}{halo}>{escape(mark.text)}</text>'
    )
