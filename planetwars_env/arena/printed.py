"""Files of what strategies printed in their games: one file per strategy, of bounded size."""

from collections.abc import Iterable
from pathlib import Path

from planetwars_env.arena.game_records import FinishedGame
from planetwars_env.text import slug

MOST_PRINTED = 2**20
"""Largest size of a strategy's file."""


def printed_file(folder: Path, label: str) -> Path:
    """Return the path of a strategy's file."""
    return folder / f"{slug(label) or 'strategy'}.txt"


def keep_printed(folder: Path, games: Iterable[FinishedGame]) -> None:
    """Append what was printed in finished games to the strategies' files, as long as there is room."""
    for game in games:
        for label, text in zip(game.key[:2], game.printed, strict=True):
            if text:
                _append(
                    printed_file(folder, label),
                    f"--- {game.key.first} against {game.key.second} on {game.key.graph}",
                    text,
                )


def _append(path: Path, title: str, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = f"{title}\n{text.rstrip()}\n".encode()
    with path.open("ab") as file:
        if file.tell() + len(data) <= MOST_PRINTED:
            file.write(data)
