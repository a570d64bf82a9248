"""Window that shows scenes, with pygame-ce; it works without a display too (SDL_VIDEODRIVER=dummy)."""

import os
import time

from planetwars_env.render.raster import scene_image
from planetwars_env.render.scene import Scene

_GREETING = "PYGAME_HIDE_SUPPORT_PROMPT"


class Window:
    """Window that opens with its first scene; ``closed``: whether somebody has closed it."""

    def __init__(self, title: str, frames_per_second: float) -> None:
        os.environ.setdefault(_GREETING, "1")
        import pygame

        self._pygame = pygame
        self._title = title
        self._pause = 1 / frames_per_second
        self._next = 0.0
        self._screen: pygame.Surface | None = None
        self.closed = False

    def show(self, scene: Scene) -> None:
        """Show a scene, at the earliest one frame after the last one."""
        if self.closed:
            return
        image = scene_image(scene)
        if self._screen is None or self._screen.get_size() != image.size:
            self._pygame.display.init()
            self._pygame.display.set_caption(self._title)
            self._screen = self._pygame.display.set_mode(image.size)
        self._screen.blit(self._pygame.image.frombuffer(image.tobytes(), image.size, "RGB"), (0, 0))
        self._pygame.display.flip()
        self._wait()

    def stay(self) -> None:
        """Keep the last scene until somebody closes the window."""
        while not self.closed:
            self._wait()

    def close(self) -> None:
        """Close the window."""
        self.closed = True
        if self._screen is not None:
            self._screen = None
            self._pygame.display.quit()

    def _wait(self) -> None:
        """Wait for the next frame, and notice a click that closes the window."""
        while True:
            if any(event.type == self._pygame.QUIT for event in self._pygame.event.get()):
                self.close()
                return
            left = self._next - time.monotonic()
            if left <= 0:
                break
            time.sleep(min(left, 0.05))
        self._next = time.monotonic() + self._pause
