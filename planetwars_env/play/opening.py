"""First game of a play server."""

from dataclasses import dataclass
from pathlib import Path

from planetwars_env.play.setup import GameSetup


@dataclass(frozen=True)
class Opening:
    """First game of every page: its setup, its graph's name as the user gave it, and the speed (turns per second).

    ``boards``: the folder in which the board editor saves, if there is one.
    """

    setup: GameSetup
    graph: str
    speed: int
    boards: Path | None = None
