"""Page of a replay inside a notebook or as a file (`pw.watch`)."""

import os
from html import escape
from pathlib import Path

from planetwars_env.files import write_atomically
from planetwars_env.render.pages import replay_page
from planetwars_env.render.readings import GameReading
from planetwars_env.replay import Replay


class ReplayPage:
    """Page of a replay. Notebooks show it; `save` writes it as one file that needs nothing else."""

    def __init__(self, replay: Replay, height: int, reading: GameReading | None = None) -> None:
        self.replay = replay
        self.height = height
        self._html = replay_page(replay, reading)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page as one .html file."""
        write_atomically(Path(path), self._html.encode())

    def _repr_html_(self) -> str:
        # A frame of its own keeps the page's styles and scripts off the notebook's; without an origin it reads nothing there.
        frame = f'width="100%" height="{self.height}" style="border: 0" sandbox="allow-scripts"'
        page = self._html.replace("&", "&amp;").replace("'", "&#39;")
        return f"<iframe title='{escape(repr(self))}' {frame} srcdoc='{page}'></iframe>"

    def __repr__(self) -> str:
        one, other = self.replay.players
        return f"ReplayPage({one} against {other}, {self.replay.turns} turns)"


def watch(replay: Replay, height: int = 680, reading: GameReading | None = None) -> ReplayPage:
    """Return the page that plays a replay, ``height`` pixels high in a notebook.

    ``reading``: of `read_game`; the page shows the agent's likely orders, its estimate and what its choices depend on.
    ReplayError if it cannot be re-run; TypeError if ``replay`` is not a Replay.
    """
    if not isinstance(replay, Replay):
        raise TypeError(f"watch takes a Replay, not {type(replay).__name__}")
    return ReplayPage(replay, height, reading)
