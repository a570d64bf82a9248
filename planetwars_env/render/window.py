"""Window that shows scenes, with pygame-ce; it works without a display too (SDL_VIDEODRIVER=dummy)."""

import os
import time

from planetwars_env.render.raster import scene_image
from planetwars_env.render.scene import Scene

_GREETING = "PYGAME_HIDE_SUPPORT_PROMPT"


_LARGEST = 0.9
"""Largest part of the screen that a window takes when it opens."""


class Window:
    """Window that opens with its first scene and can be resized; ``closed``: whether somebody has closed it."""

    def __init__(self, title: str, frames_per_second: float) -> None:
        os.environ.setdefault(_GREETING, "1")
        import pygame

        self._pygame = pygame
        self._title = title
        self._pause = 1 / frames_per_second
        self._next = 0.0
        self._image: pygame.Surface | None = None
        self.closed = False

    def show(self, scene: Scene) -> None:
        """Show a scene, at the earliest one frame after the last one."""
        if self.closed:
            return
        image = scene_image(scene)
        if self._image is None:
            self._open(image.size)
        self._image = self._pygame.image.frombuffer(image.tobytes(), image.size, "RGB")
        self._paint()
        self._wait()

    def stay(self) -> None:
        """Keep the last scene until somebody closes the window."""
        while not self.closed:
            self._wait()

    def close(self) -> None:
        """Close the window."""
        self.closed = True
        if self._image is not None:
            self._image = None
            self._pygame.display.quit()

    def _open(self, size: tuple[int, int]) -> None:
        display = self._pygame.display
        display.init()
        display.set_caption(self._title)
        width, height = display.get_desktop_sizes()[0]
        display.set_mode(_scaled(size, (_LARGEST * width, _LARGEST * height), most=1), self._pygame.RESIZABLE)

    def _paint(self) -> None:
        """Draw the scene in the middle of the window, as large as it fits."""
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
