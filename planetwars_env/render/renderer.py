"""Renderer of environments: text, pixels or a window (pygame-ce), which works without a display too (SDL_VIDEODRIVER=dummy)."""

import os
import time
from importlib.util import find_spec
from typing import Any

import numpy as np

from planetwars_env.game import Game
from planetwars_env.render.drawing import Drawing, drawing_of
from planetwars_env.render.text import game_text
from planetwars_env.shipped import pip_line

MODES = ("human", "rgb_array", "ansi")
FRAMES_PER_SECOND = 4
_LARGEST = 0.9
"""Largest part of the screen that a window takes when it opens."""
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
        self._window: Window | None = None

    def show(self, game: Game, viewer: int | None) -> Any:
        """Show the game as player ``viewer`` (1, 2; None: everything) sees it, and return what `render` returns."""
        if self.mode is None:
            return None
        if self.mode == "ansi":
            return game_text(game, viewer)
        names = {1: ("agent", "opponent"), 2: ("opponent", "agent")}.get(viewer or 0)
        drawing = drawing_of(game, viewer, names)
        if self.mode == "rgb_array":
            return np.asarray(drawing.image())
        if self._window is None:
            self._window = Window("PlanetWars", FRAMES_PER_SECOND)
        self._window.show(drawing)
        return None

    def close(self) -> None:
        """Close the window; the next call of `show` opens a new one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        # A copy of an environment has no window before it shows something.
        return {"mode": self.mode, "_window": None}


class Window:
    """Window that opens with its first drawing and can be resized; ``closed``: whether somebody has closed it."""

    def __init__(self, title: str, frames_per_second: float) -> None:
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        import pygame

        self._pygame = pygame
        self._title = title
        self._pause = 1 / frames_per_second
        self._next = 0.0
        self._image: pygame.Surface | None = None
        self.closed = False

    def show(self, drawing: Drawing) -> None:
        """Show a drawing, at the earliest one frame after the last one."""
        if self.closed:
            return
        image = drawing.image()
        if self._image is None:
            display = self._pygame.display
            display.init()
            display.set_caption(self._title)
            width, height = display.get_desktop_sizes()[0]
            size = _scaled(image.size, (_LARGEST * width, _LARGEST * height), most=1)
            display.set_mode(size, self._pygame.RESIZABLE)
        self._image = self._pygame.image.frombuffer(image.tobytes(), image.size, "RGB")
        self._paint()
        self._wait()

    def stay(self) -> None:
        """Keep the last drawing until somebody closes the window."""
        while not self.closed:
            self._wait()

    def close(self) -> None:
        """Close the window."""
        self.closed = True
        if self._image is not None:
            self._image = None
            self._pygame.display.quit()

    def _paint(self) -> None:
        """Paint the drawing in the middle of the window, as large as it fits."""
        screen, image = self._pygame.display.get_surface(), self._image
        if screen is None or image is None:
            return
        size = _scaled(image.get_size(), screen.get_size())
        shown = image if size == image.get_size() else self._pygame.transform.smoothscale(image, size)
        screen.fill(image.get_at((0, 0)))
        screen.blit(shown, shown.get_rect(center=screen.get_rect().center))
        self._pygame.display.flip()

    def _wait(self) -> None:
        """Wait for the next frame; notice a click that closes the window, and a new size."""
        while True:
            for event in self._pygame.event.get():
                if event.type == self._pygame.QUIT:
                    self.close()
                    return
                if event.type == self._pygame.VIDEORESIZE:
                    self._paint()
            left = self._next - time.monotonic()
            if left <= 0:
                break
            time.sleep(min(left, 0.05))
        self._next = time.monotonic() + self._pause


def _scaled(size: tuple[int, int], room: tuple[float, float], most: float = 4) -> tuple[int, int]:
    """Return the size of the same shape that fits into ``room``, at most ``most`` times as large."""
    factor = min(most, room[0] / size[0], room[1] / size[1])
    return max(1, round(size[0] * factor)), max(1, round(size[1] * factor))
