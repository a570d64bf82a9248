"""First game of a play server."""

from dataclasses import dataclass

from planetwars_env.play.setup import GameSetup


@dataclass(frozen=True)
class Opening:
    """First game of every page: its setup, its graph's name as the user gave it, and the speed (turns per second)."""

    setup: GameSetup
    graph: str
    speed: int
