"""Pages inside a notebook, and `pw.watch`. Each part of a page's script is in the output of one cell."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from planetwars_env.files import write_atomically
from planetwars_env.render.pages import engine_script, game_data, replay_page_of, small_page, title_of, watch_script
from planetwars_env.render.readings import GameReading
from planetwars_env.render.templates import fill, page_file
from planetwars_env.replay import Replay

_MISSING = "The script of this page is in another cell, which shows a game too: scroll there, or run this cell again."
_cells: dict[str, set[str]] = {}
"""Cells of the notebook that have shown a page, by the parts that its script has."""


def in_notebook(title: str, page: str, data: Any, parts: Mapping[str, str], height: int) -> str:
    """Return a page as the output of a cell.

    ``parts``: what its script is made of, in order, by name, besides the engine; ``page``: its text form.
    """
    carried = {name: text if _carries(name) else "" for name, text in {"engine": engine_script(), **parts}.items()}
    known = json.dumps(carried).replace("</", "<\\/")
    small = small_page(title, data, _MISSING, script=str(page_file("notebook.js")).replace("PARTS", known, 1))
    return fill("frame.html", title=page, height=height, page=small, address="")


def _carries(part: str) -> bool:
    """Return whether the output of this cell is to hold a part.

    The first cell of a notebook that needs it has it, and a cell that is run again, since the first one may be gone.
    Where cells are not known, or are pages of their own, every output has it.
    """
    kernel = getattr(getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)(), "kernel", None)
    cell = kernel and kernel.get_parent().get("metadata", {}).get("cellId")
    if not cell or "google.colab" in sys.modules:
        return True
    cells = _cells.setdefault(part, set())
    first = not cells or cell in cells
    cells.add(cell)
    return first


class ReplayPage:
    """Page of a replay. Notebooks show it; `save` writes it as one file that needs nothing else."""

    def __init__(self, replay: Replay, height: int, reading: GameReading | None = None) -> None:
        self.replay = replay
        self.height = height
        self._data = game_data(replay, reading)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page as one .html file."""
        write_atomically(Path(path), replay_page_of(title_of(self.replay), self._data).encode())

    def _repr_html_(self) -> str:
        return in_notebook(title_of(self.replay), repr(self), self._data, {"watch": watch_script()}, self.height)

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
