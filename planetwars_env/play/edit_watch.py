"""Watch over the files of the strategies in a game, which tells the person of an edit."""

import time

from planetwars_env.arena.contestants import fingerprint_player
from planetwars_env.bots.catalogue import Player

_SECONDS = 1.0
"""Time between two looks at the files."""


class EditWatch:
    """Fingerprints of strategies as they were when the game began."""

    def __init__(self) -> None:
        self._known: list[tuple[Player, str]] = []
        self._looked, self._said = 0.0, ""

    def add(self, player: Player) -> None:
        """Watch a strategy's files; bots and agents have none."""
        if player.isolated:
            self._known.append((player, _fingerprint(player)))

    def edited(self) -> str:
        """Return a sentence on the strategies that were edited, empty for none; the files are read once per second."""
        if self._known and time.monotonic() - self._looked > _SECONDS:
            names = [player.name for player, known in self._known if _fingerprint(player) != known]
            self._looked = time.monotonic()
            self._said = f"{' and '.join(names)}: edited; the next game is played with the new version" if names else ""
        return self._said


def _fingerprint(player: Player) -> str:
    """Return the fingerprint of the files, empty while they cannot be read."""
    try:
        return fingerprint_player(player)
    except (OSError, ValueError):
        return ""
