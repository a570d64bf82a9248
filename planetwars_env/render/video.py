"""Videos of replays (.mp4, .gif)."""

from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from planetwars_env.files import replacement_file
from planetwars_env.render.drawing import replay_scenes
from planetwars_env.render.raster import scene_image
from planetwars_env.replay import Replay, ReplayError

_MOST_TURNS = 2_000
"""Most turns of a video: each is a picture that is drawn."""
_LAST_SECONDS = 2.0
"""Seconds for which the end of a game is shown."""


def save_mp4(replay: Replay, path: Path, viewer: int | None, turns_per_second: int) -> None:
    """Write an .mp4 (H.264), which needs imageio-ffmpeg.

    RuntimeError or OSError if it cannot be written, ReplayError for a game that is too long.
    """
    from imageio_ffmpeg import write_frames

    _check_length(replay)
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
    _check_length(replay)
    images = _images(replay, viewer, turns_per_second)
    first = next(images)
    # One table of colours for all frames keeps the file small and the picture quiet: all of them stand in the end.
    table = _last(replay, viewer).quantize(64, method=Image.Quantize.MEDIANCUT)
    frames = (image.quantize(palette=table, dither=Image.Dither.NONE) for image in images)
    with replacement_file(path, path.suffix) as draft:
        first.quantize(palette=table, dither=Image.Dither.NONE).save(
            draft, save_all=True, append_images=frames, duration=round(1000 / turns_per_second), loop=0
        )


def _check_length(replay: Replay) -> None:
    if len(replay.moves) > _MOST_TURNS:
        raise ReplayError(
            f"a video has at most {_MOST_TURNS:,} turns, and this game has {len(replay.moves):,}: write it as .html"
        )


def _images(replay: Replay, viewer: int | None, turns_per_second: int) -> Iterator[Image.Image]:
    image = None
    for scene in replay_scenes(replay, viewer):
        image = scene_image(scene)
        yield image
    for _ in range(round(_LAST_SECONDS * turns_per_second)):
        if image is not None:
            yield image


def _last(replay: Replay, viewer: int | None) -> Image.Image:
    *_, scene = replay_scenes(replay, viewer)
    return scene_image(scene)
