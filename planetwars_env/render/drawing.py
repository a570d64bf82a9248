"""`pw.draw`: a picture of a game or of a turn of a replay, for notebooks and papers."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from planetwars_env.files import write_atomically
from planetwars_env.game import Game
from planetwars_env.render.palette import LIGHT, Palette
from planetwars_env.render.scene import Scene, make_scene
from planetwars_env.render.svg import scene_svg
from planetwars_env.replay import Replay

_KINDS = (".svg", ".png")


class Drawing:
    """A scene in its colours. Notebooks show it; `save` writes it."""

    def __init__(self, scene: Scene, palette: Palette = LIGHT) -> None:
        self.scene = scene
        self._palette = palette

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an .svg, or a .png in twice the size (needs Pillow). ValueError for another kind of file."""
        path = Path(path)
        if path.suffix == ".svg":
            data = self.svg().encode()
        elif path.suffix == ".png":
            data = self.png()
        else:
            raise ValueError(f"a drawing is saved as {' or '.join(_KINDS)}, not as {path.name!r}")
        write_atomically(path, data)

    def svg(self) -> str:
        """The drawing as SVG text."""
        return scene_svg(self.scene, self._palette)

    def png(self) -> bytes:
        """The drawing as a PNG file, two pixels a unit."""
        from planetwars_env.render.raster import png_of, scene_image

        return png_of(scene_image(self.scene, self._palette, scale=2))

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"Drawing({self.scene.headline})"


def draw(
    shown: Game | Replay,
    viewer: int | None = None,
    turn: int | None = None,
    palette: Palette = LIGHT,
    heat: Mapping[int, float] | None = None,
) -> Drawing:
    """Draw a game as it stands, or a replay on turn ``turn`` (its end, where none is named), with that turn's moves.

    ``viewer``: 1 or 2 draws what that player sees, None everything. ``heat``: planets to mark by a ring and a number, ids
    to numbers from 0 (none, as below 0.005) to 1. ValueError for another viewer, a turn that the replay has not, a planet
    that is not on the board or a number that is not from 0 to 1; TypeError where ``shown`` is neither.
    """
    if isinstance(shown, Game):
        if turn is not None:
            raise ValueError("a game stands on one turn; to draw another one, draw its replay")
        return Drawing(_marked(make_scene(shown, viewer), heat), palette)
    if not isinstance(shown, Replay):
        raise TypeError(f"draw takes a Game or a Replay, not {type(shown).__name__}")
    return Drawing(_marked(replay_scene(shown, viewer, turn), heat), palette)


def _marked(scene: Scene, heat: Mapping[int, float] | None) -> Scene:
    for planet, share in (heat or {}).items():
        if planet not in scene.graph.index:
            raise ValueError(f"heat: planet {planet} is not on this board")
        if not 0 <= share <= 1:
            raise ValueError(f"heat: planet {planet} has {share}; it must be a number from 0 to 1")
    return replace(scene, heat=dict(heat or {}))


def replay_scene(replay: Replay, viewer: int | None = None, turn: int | None = None) -> Scene:
    """The scene of one turn of a replay; None: of its end."""
    last = len(replay.moves)
    if turn is not None and not 1 <= turn <= max(1, last):
        raise ValueError(f"the replay has turns 1 to {last}, and turn {turn} is none of them")
    place = last if turn is None else turn - 1
    game = next(game for number, game in enumerate(replay.games()) if number == place)
    return make_scene(game, viewer, replay.players, replay.moves[place] if place < last else ())
