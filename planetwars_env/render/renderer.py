"""Renderer of environments: text, pixels or a window."""

from importlib.util import find_spec
from typing import Any

from planetwars_env.game import Game
from planetwars_env.render.scene import make_scene
from planetwars_env.render.text import game_text
from planetwars_env.shipped import pip_line

MODES = ("human", "rgb_array", "ansi")
FRAMES_PER_SECOND = 4
_NEEDS = {"human": ("pygame", "PIL"), "rgb_array": ("PIL",)}


class Renderer:
    """Renderer of one mode: "ansi" returns text, "rgb_array" [height, width, 3] uint8, "human" shows a window, None nothing.

    ValueError for another mode, ImportError if a library is missing.
    """

    def __init__(self, mode: str | None) -> None:
        if mode not in (None, *MODES):
            raise ValueError(f"unknown render_mode {mode!r}: choose one of {', '.join(MODES)}, or None")
        if missing := [name for name in _NEEDS.get(mode or "", ()) if find_spec(name) is None]:
            raise ImportError(
                f"render_mode={mode!r} needs {', '.join(missing)}, which is not installed: {pip_line('render')}"
            )
        self.mode = mode
        self._window: Any = None

    def show(self, game: Game, viewer: int | None) -> Any:
        """Show the game as player ``viewer`` (1, 2; None: everything) sees it, and return what `render` returns."""
        if self.mode is None:
            return None
        if self.mode == "ansi":
            return game_text(game, viewer)
        names = {1: ("agent", "opponent"), 2: ("opponent", "agent")}.get(viewer or 0)
        scene = make_scene(game, viewer, names)
        if self.mode == "rgb_array":
            from planetwars_env.render.raster import scene_pixels

            return scene_pixels(scene)
        self._open().show(scene)
        return None

    def close(self) -> None:
        """Close the window; the next call of `show` opens a new one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def _open(self) -> Any:
        if self._window is None:
            from planetwars_env.render.window import Window

            self._window = Window("PlanetWars", FRAMES_PER_SECOND)
        return self._window

    def __getstate__(self) -> dict[str, Any]:
        # A copy of an environment has no window before it shows something.
        return {"mode": self.mode, "_window": None}
