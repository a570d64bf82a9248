"""Games in a database that another process writes."""

import sqlite3
from pathlib import Path


def games_in(folder: Path) -> set[tuple[object, ...]]:
    """Return the keys of the games in a tournament's folder, none while there is no database."""
    try:
        base = sqlite3.connect(f"file:{folder / 'games.sqlite'}?mode=ro", uri=True)
        try:
            return set(base.execute("SELECT first, second, graph, repetition FROM games"))
        finally:
            base.close()
    except sqlite3.OperationalError:
        return set()
