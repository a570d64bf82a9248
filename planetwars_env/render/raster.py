"""Rasteriser of scenes: shapes are drawn once, large, shrunk and cached as masks, then pasted in colour; and videos."""

import io
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from planetwars_env.files import replacement_file
from planetwars_env.graphs.graph import Graph
from planetwars_env.render.drawing import replay_scenes
from planetwars_env.render.layout import lay_out
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
from planetwars_env.replay import Replay, ReplayError

Stamp = tuple[Image.Image, int, int]
"""A mask and the offset of its corner from the point that it is pasted on."""
_FINE = 4
"""Factor of supersampling, which smooths the outlines."""
_MOST_TURNS = 2_000
"""Most turns of a video: each is a picture that is drawn."""
_LAST_SECONDS = 2.0
"""Seconds for which the end of a game is shown."""


def scene_image(scene: Scene, palette: Palette = LIGHT, scale: int = 1) -> Image.Image:
    """Return the picture with ``scale`` pixels per unit: about 1 ms for a classic graph after its first picture."""
    image = _graph_image(scene.graph, palette, scale).copy()
    _stamp_all(image, scene_shapes(scene, palette), scale)
    return image


def scene_pixels(scene: Scene) -> NDArray[np.uint8]:
    """Return the picture as an array [height, width, 3], as Gymnasium's "rgb_array" asks for."""
    return np.asarray(scene_image(scene))


def shapes_image(shapes: Iterable[Shape], width: int, height: int, palette: Palette, scale: int = 1) -> Image.Image:
    """Return shapes on a ground of this size, lines first."""
    shapes = list(shapes)
    # Even numbers, which video formats ask for.
    size = [-(-side // 2) * 2 * scale for side in (width, height)]
    image = Image.new("RGB", (size[0] * 2, size[1] * 2), palette.ground)
    draw = ImageDraw.Draw(image)
    for shape in shapes:
        if isinstance(shape, Line):
            ends = [2 * scale * value for value in shape[:4]]
            draw.line(ends, fill=shape.colour, width=round(2 * scale * shape.width))
    image = image.reduce(2)
    _stamp_all(image, shapes, scale)
    return image


@lru_cache(maxsize=32)
def _graph_image(graph: Graph, palette: Palette, scale: int) -> Image.Image:
    layout = lay_out(graph)
    shapes = graph_shapes(graph, layout, palette)
    return shapes_image(shapes, layout.width, layout.height + HEADING, palette, scale)


def _stamp_all(image: Image.Image, shapes: Iterable[Shape], scale: int) -> None:
    for shape in shapes:
        if isinstance(shape, Line):
            continue
        x, y = round(shape.x * scale), round(shape.y * scale)
        match shape:
            case DiscPart():
                _put(
                    image, x, y, _level(shape.radius * scale, shape.low, shape.high, shape.striped, scale), shape.colour
                )
            case Ring():
                _put(image, x, y, _ring(shape.radius * scale, shape.width * scale, shape.broken, scale), shape.colour)
            case Polygon():
                _put(image, x, y, _shape(shape.points, scale, 1.5 * scale), shape.outline)
                _put(image, x, y, _shape(shape.points, scale, 0.0), shape.fill)
            case Label():
                _write(image, shape, scale)


def _put(image: Image.Image, x: int, y: int, stamp: Stamp, colour: str) -> None:
    mask, dx, dy = stamp
    image.paste(colour, (x + dx, y + dy), mask)


def _canvas(reach: float) -> tuple[Image.Image, ImageDraw.ImageDraw, int]:
    """Return an empty mask, supersampled, for a shape of this reach, its drawing context and its centre."""
    half = int(reach) + 2
    mask = Image.new("L", (2 * half * _FINE, 2 * half * _FINE))
    return mask, ImageDraw.Draw(mask), half * _FINE


def _shrunk(mask: Image.Image) -> Stamp:
    small = mask.reduce(_FINE)
    return small, -small.width // 2, -small.height // 2


@lru_cache(maxsize=8192)
def _level(radius: float, low: float, high: float, striped: bool, scale: int) -> Stamp:
    disc, dx, dy = _disc(radius, striped, scale)
    top, bottom = (round(-dy + radius * (1 - 2 * part)) for part in (high, low))
    top, bottom = (0 if high == 1 else top), (disc.height if low == 0 else bottom)
    return disc.crop((0, top, disc.width, max(bottom, top + 1))), dx, dy + top


@lru_cache(maxsize=512)
def _disc(radius: float, striped: bool, scale: int) -> Stamp:
    mask, draw, middle = _canvas(radius)
    reach = radius * _FINE
    draw.ellipse([middle - reach, middle - reach, middle + reach, middle + reach], fill=255)
    if striped:
        step, gap = 8.5 * scale * _FINE, round(2.6 * scale * _FINE)
        x = -float(mask.width)
        while x < mask.width:
            draw.line([x, mask.width, x + mask.width, 0], fill=0, width=gap)
            x += step
    return _shrunk(mask)


@lru_cache(maxsize=1024)
def _ring(radius: float, width: float, broken: bool, scale: int) -> Stamp:
    mask, draw, middle = _canvas(radius + width)
    reach = (radius + width / 2) * _FINE
    box = [middle - reach, middle - reach, middle + reach, middle + reach]
    pieces = max(6, round(2 * 3.1416 * radius / (10.5 * scale))) if broken else 1
    for piece in range(pieces):
        start = 360 * piece / pieces
        draw.arc(box, start, start + (240 if broken else 360) / pieces, fill=255, width=round(width * _FINE))
    return _shrunk(mask)


@lru_cache(maxsize=4096)
def _shape(points: tuple[tuple[float, float], ...], scale: int, outline: float) -> Stamp:
    reach = max(max(abs(x), abs(y)) for x, y in points) * scale + outline
    mask, draw, middle = _canvas(reach)
    corners = [(middle + x * scale * _FINE, middle + y * scale * _FINE) for x, y in points]
    draw.polygon(corners, fill=255)
    if outline:
        draw.line([*corners, *corners[:2]], fill=255, width=round(2 * outline * _FINE), joint="curve")
        for x, y in corners:
            rim = outline * _FINE
            draw.ellipse([x - rim, y - rim, x + rim, y + rim], fill=255)
    return _shrunk(mask)


def _write(image: Image.Image, shape: Label, scale: int) -> None:
    """Write word by word: most words are cached when only the numbers between them change."""
    size = shape.size * scale
    words = [_word(word, size, shape.bold, 2 * scale) for word in shape.text.split(" ")]
    space = 0.27 * size
    width = sum(length for _, _, length in words) + space * (len(words) - 1)
    x = shape.x * scale - {"start": 0.0, "middle": width / 2, "end": width}[shape.anchor]
    for letters, halo, length in words:
        place = round(x), round(shape.y * scale)
        if shape.halo:
            _put(image, *place, halo, shape.halo)
        _put(image, *place, letters, shape.colour)
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
    *_, last = replay_scenes(replay, viewer)
    table = scene_image(last).quantize(64, method=Image.Quantize.MEDIANCUT)
    frames = (image.quantize(palette=table, dither=Image.Dither.NONE) for image in images)
    with replacement_file(path, path.suffix) as draft:
        first.quantize(palette=table, dither=Image.Dither.NONE).save(
            draft, save_all=True, append_images=frames, duration=round(1000 / turns_per_second), loop=0
        )


def _images(replay: Replay, viewer: int | None, turns_per_second: int) -> Iterator[Image.Image]:
    if len(replay.moves) > _MOST_TURNS:
        raise ReplayError(
            f"a video has at most {_MOST_TURNS:,} turns, and this game has {len(replay.moves):,}: write it as .html"
        )
    for scene in replay_scenes(replay, viewer):
        yield (image := scene_image(scene))
    for _ in range(round(_LAST_SECONDS * turns_per_second)):
        yield image
