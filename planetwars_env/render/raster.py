"""Rasteriser of drawings: shapes are drawn once, large, shrunk and cached as masks, then pasted in colour; and videos."""

import io
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFilter, ImageFont

from planetwars_env.files import replacement_file
from planetwars_env.graphs.graph import Graph
from planetwars_env.render.drawing import replay_drawings
from planetwars_env.render.palette import LIGHT
from planetwars_env.render.shapes import DiscPart, Label, Line, Polygon, Ring, Shape, graph_shapes, picture_size
from planetwars_env.replay import Replay, ReplayError

Stamp = tuple[Image.Image, int, int]
"""A mask and the offset of its corner from the point that it is pasted on."""
_FINE = 4
"""Factor of supersampling, which smooths the outlines."""
_RIM = 1.5
"""Width of the outline of a polygon."""
_MOST_TURNS = 2_000
"""Most turns of a video: each is a picture that is drawn."""
_LAST_SECONDS = 2.0
"""Seconds for which the end of a game is shown."""


def picture(graph: Graph, shapes: Iterable[Shape], scale: int = 1) -> Image.Image:
    """Return a picture of the graph with these shapes upon it, ``scale`` pixels per unit.

    It takes about 1 ms for a classic graph after its first picture.
    """
    image = _graph_image(graph, scale).copy()
    _paint(image, shapes, scale)
    return image


@lru_cache(maxsize=32)
def _graph_image(graph: Graph, scale: int) -> Image.Image:
    # Even numbers, which video formats ask for.
    size = [-(-side // 2) * 2 * scale for side in picture_size(graph)]
    image = Image.new("RGB", (size[0] * 2, size[1] * 2), LIGHT.ground)
    draw, shapes = ImageDraw.Draw(image), list(graph_shapes(graph))
    for shape in shapes:
        if isinstance(shape, Line):
            ends = [2 * scale * value for value in shape[:4]]
            draw.line(ends, fill=shape.colour, width=round(2 * scale * shape.width))
    image = image.reduce(2)
    _paint(image, shapes, scale)
    return image


def _paint(image: Image.Image, shapes: Iterable[Shape], scale: int) -> None:
    """Paint all shapes but lines."""
    for shape in shapes:
        match shape:
            case DiscPart(x, y, radius, low, high, colour, striped):
                disc, dx, dy = _stamp(DiscPart(0, 0, radius, 0, 1, "", striped), scale)
                top, bottom = (round(-dy + radius * scale * (1 - 2 * part)) for part in (high, low))
                top, bottom = (0 if high == 1 else top), (disc.height if low == 0 else bottom)
                part = disc.crop((0, top, disc.width, max(bottom, top + 1)))
                _put(image, x, y, (part, dx, dy + top), colour, scale)
            case Ring(x, y, colour=colour):
                _put(image, x, y, _stamp(shape._replace(x=0, y=0, colour=""), scale), colour, scale)
            case Polygon(x, y, points, inside, outline):
                for rim, colour in ((_RIM, outline), (0.0, inside)):
                    _put(image, x, y, _stamp(Polygon(0, 0, points, "", ""), scale, rim), colour, scale)
            case Label():
                _write(image, shape, scale)


def _put(image: Image.Image, x: float, y: float, stamp: Stamp, colour: str, scale: int) -> None:
    mask, dx, dy = stamp
    image.paste(colour, (round(x * scale) + dx, round(y * scale) + dy), mask)


@lru_cache(maxsize=8192)
def _stamp(shape: DiscPart | Ring | Polygon, scale: int, rim: float = 0.0) -> Stamp:
    """Return the mask of a shape at (0, 0), of a polygon with an outline of width ``rim``."""
    match shape:
        case Ring():
            reach = shape.radius + shape.width
        case DiscPart():
            reach = shape.radius
        case Polygon():
            reach = max(max(abs(x), abs(y)) for x, y in shape.points) + rim
    half, fine = int(reach * scale) + 2, scale * _FINE
    middle, side = half * _FINE, 2 * half * _FINE
    mask = Image.new("L", (side, side))
    draw = ImageDraw.Draw(mask)

    def circle(radius: float, x: float = middle, y: float = middle) -> list[float]:
        return [x - radius * fine, y - radius * fine, x + radius * fine, y + radius * fine]

    match shape:
        case DiscPart():
            draw.ellipse(circle(shape.radius), fill=255)
            stripes = range(-side, side, round(8.5 * fine)) if shape.striped else ()
            for x in stripes:
                draw.line([x, side, x + side, 0], fill=0, width=round(2.6 * fine))
        case Ring():
            pieces = max(6, round(2 * 3.1416 * shape.radius / 10.5)) if shape.broken else 1
            for piece in range(pieces):
                start, length = 360 * piece / pieces, (240 if shape.broken else 360) / pieces
                box = circle(shape.radius + shape.width / 2)
                draw.arc(box, start, start + length, fill=255, width=round(shape.width * fine))
        case Polygon():
            corners = [(middle + x * fine, middle + y * fine) for x, y in shape.points]
            draw.polygon(corners, fill=255)
            if rim:
                draw.line([*corners, *corners[:2]], fill=255, width=round(2 * rim * fine), joint="curve")
                for x, y in corners:
                    draw.ellipse(circle(rim, x, y), fill=255)
    small = mask.reduce(_FINE)
    return small, -small.width // 2, -small.height // 2


def _write(image: Image.Image, shape: Label, scale: int) -> None:
    """Write word by word: most words are cached when only the numbers between them change."""
    size = shape.size * scale
    words = [_word(word, size, shape.bold, 2 * scale) for word in shape.text.split(" ")]
    space = 0.27 * size
    width = sum(length for _, _, length in words) + space * (len(words) - 1)
    x = shape.x * scale - {"start": 0.0, "middle": width / 2, "end": width}[shape.anchor]
    for letters, halo, length in words:
        for stamp, colour in ((halo, shape.halo), (letters, shape.colour)):
            if colour:
                _put(image, x, shape.y * scale, stamp, colour, 1)
        x += length + space


@lru_cache(maxsize=8192)
def _word(text: str, size: int, bold: bool, rim: int) -> tuple[Stamp, Stamp, float]:
    """Return the letters and their halo, both from the left end of the middle line, and the length of the word.

    Bold letters are written twice, side by side, and the halo is a dilation: Pillow's strokes take ten times as long.
    """
    font, shift = _font(size), size / 22 if bold else 0.0
    length, room = font.getlength(text), rim + 3
    mask = Image.new("L", (int(length) + 2 * room, 2 * size))
    draw = ImageDraw.Draw(mask)
    for x in (-shift / 2, shift / 2) if bold else (0,):
        draw.text((room + x, size), text, fill=255, font=font, anchor="lm")
    swollen = mask.filter(ImageFilter.MaxFilter(2 * rim + 1)).filter(ImageFilter.BoxBlur(0.5 * rim))
    return (mask, -room, -size), (swollen.point(_STRONGER), -room, -size), length


_STRONGER = [min(255, 2 * value) for value in range(256)]


@lru_cache(maxsize=64)
def _font(size: int) -> ImageFont.FreeTypeFont:
    """Return Pillow's own font, so that pictures are alike on all machines."""
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font


def png_of(image: Image.Image) -> bytes:
    """Return a PNG file with 256 colours, which suffice for flat drawings."""
    buffer = io.BytesIO()
    image.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def save_mp4(replay: Replay, path: Path, viewer: int | None, turns_per_second: int) -> None:
    """Write an .mp4 (H.264), which needs imageio-ffmpeg.

    RuntimeError or OSError if it cannot be written, ReplayError for a game that is too long.
    """
    from imageio_ffmpeg import write_frames

    with replacement_file(path, path.suffix) as draft:
        writer = None
        for image in _images(replay, viewer, turns_per_second):
            if writer is None:
                writer = write_frames(draft, image.size, fps=turns_per_second, macro_block_size=2, quality=7)
                writer.send(None)
            writer.send(image.tobytes())
        if writer is not None:
            writer.close()


def save_gif(replay: Replay, path: Path, viewer: int | None, turns_per_second: int) -> None:
    """Write an endless .gif. ReplayError for a game that is too long."""
    images = _images(replay, viewer, turns_per_second)
    first = next(images)
    # One table of colours for all frames keeps the file small and the picture quiet: all of them stand in the end.
    *_, last = replay_drawings(replay, viewer)
    table = last.image().quantize(64, method=Image.Quantize.MEDIANCUT)
    frames = (image.quantize(palette=table, dither=Image.Dither.NONE) for image in images)
    with replacement_file(path, path.suffix) as draft:
        duration = round(1000 / turns_per_second)
        start = first.quantize(palette=table, dither=Image.Dither.NONE)
        start.save(draft, save_all=True, append_images=frames, duration=duration, loop=0)


def _images(replay: Replay, viewer: int | None, turns_per_second: int) -> Iterator[Image.Image]:
    if len(replay.moves) > _MOST_TURNS:
        raise ReplayError(
            f"a video has at most {_MOST_TURNS:,} turns, and this game has {len(replay.moves):,}: write it as .html"
        )
    for drawing in replay_drawings(replay, viewer):
        yield (image := drawing.image())
    for _ in range(round(_LAST_SECONDS * turns_per_second)):
        yield image
