"""Games in a database that another process writes."""

import sqlite3
from pathlib import Path


def games_in(folder: Path) -> int:
    """Return the number of games in a tournament's folder, 0 while there is no database."""
    try:
        base = sqlite3.connect(f"file:{folder / 'games.sqlite'}?mode=ro", uri=True)
        try:
            return base.execute("SELECT count(*) FROM games").fetchone()[0]
        finally:
            base.close()
    except sqlite3.OperationalError:
        return 0
