"""Pictures of a game or of one turn of a replay, for notebooks and papers (`pw.draw`)."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

from planetwars_env.files import write_atomically
from planetwars_env.game import Game
from planetwars_env.render.palette import LIGHT, Palette
from planetwars_env.render.scene import Scene, make_scene
from planetwars_env.render.shapes import HEADING, graph_shapes, scene_shapes, shapes_svg
from planetwars_env.replay import Replay

_KINDS = (".svg", ".png")


class Drawing:
    """A scene with its colours. Notebooks show it; `save` writes it."""

    def __init__(self, scene: Scene, palette: Palette = LIGHT) -> None:
        self.scene = scene
        self._palette = palette

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an .svg, or a .png of twice the size (needs Pillow). ValueError for another ending."""
        path = Path(path)
        if path.suffix == ".svg":
            data = self.svg().encode()
        elif path.suffix == ".png":
            data = self.png()
        else:
            raise ValueError(f"a drawing is saved as {' or '.join(_KINDS)}, not as {path.name!r}")
        write_atomically(path, data)

    def svg(self) -> str:
        """Return the drawing as SVG text."""
        scene, palette = self.scene, self._palette
        shapes = [*graph_shapes(scene.graph, scene.layout, palette), *scene_shapes(scene, palette)]
        return shapes_svg(shapes, scene.layout.width, scene.layout.height + HEADING, scene.headline, palette)

    def png(self) -> bytes:
        """Return the drawing as a PNG file with two pixels per unit."""
        from planetwars_env.render.raster import png_of, scene_image

        return png_of(scene_image(self.scene, self._palette, scale=2))

    _repr_svg_ = svg

    def __repr__(self) -> str:
        return f"Drawing({self.scene.headline})"


def draw(
    shown: Game | Replay,
    viewer: int | None = None,
    turn: int | None = None,
    palette: Palette = LIGHT,
    heat: Mapping[int, float] | None = None,
) -> Drawing:
    """Draw a game as it stands, or one turn of a replay with its moves.

    ``viewer``: 1 or 2 draws what that player sees, None everything. ``turn``: of a replay; None: its end. ``heat``: planets
    to mark by a ring and a number, from ids to values from 0 to 1; values below 0.005 are not drawn. ValueError for another
    viewer, a turn that the replay does not have, an unknown planet or a value outside 0 to 1; TypeError if ``shown`` is
    neither a game nor a replay.
    """
    if isinstance(shown, Game):
        if turn is not None:
            raise ValueError("turn goes with a replay only: a game is drawn on its present turn")
        scene = make_scene(shown, viewer)
    elif isinstance(shown, Replay):
        last = len(shown.moves)
        if turn is not None and not 1 <= turn <= max(1, last):
            raise ValueError(f"turn {turn} is not in the replay: choose one from 1 to {last}")
        scene = next(islice(replay_scenes(shown, viewer), last if turn is None else turn - 1, None))
    else:
        raise TypeError(f"draw takes a Game or a Replay, not {type(shown).__name__}")
    for planet, value in (heat or {}).items():
        if planet not in scene.graph.index:
            raise ValueError(f"heat: planet {planet} is not in this graph")
        if not 0 <= value <= 1:
            raise ValueError(f"heat: planet {planet} has {value}, which must be from 0 to 1")
    return Drawing(replace(scene, heat=dict(heat or {})), palette)


def replay_scenes(replay: Replay, viewer: int | None = None) -> Iterator[Scene]:
    """Yield the scene of every turn, and of the end."""
    for number, game in enumerate(replay.games()):
        moves = replay.moves[number] if number < len(replay.moves) else ()
        yield make_scene(game, viewer, replay.players, moves)
