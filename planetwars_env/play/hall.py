"""All tables of a server: every page has one of its own, and finds it again by its key when it is loaded anew."""

import secrets

from planetwars_env.play.setup import Setup
from planetwars_env.play.table import Table

_MOST = 24


class FullError(ValueError):
    """There are as many tables as the server keeps, and people at all of them."""


class Hall:
    """``tables`` by key. A table that nobody sits at is kept until its place is needed, the oldest first."""

    def __init__(self, setup: Setup, speed: int) -> None:
        self.tables: dict[str, Table] = {}
        self._setup = setup
        self._speed = speed

    async def table(self, key: str) -> tuple[str, Table]:
        """The table of this key, else a new one with the first game on it, and its key; FullError where there is no room."""
        if key in self.tables:
            return key, self.tables[key]
        key, table = secrets.token_urlsafe(18), Table(self._setup, self._speed)
        await self._make_room()
        self.tables[key] = table
        await table.open()
        return key, table

    async def close(self) -> None:
        """Clear all tables."""
        while self.tables:
            _, table = self.tables.popitem()
            await table.close()

    async def _make_room(self) -> None:
        if len(self.tables) < _MOST:
            return
        left = next((key for key, table in self.tables.items() if not table.pages), None)
        if left is None:
            raise FullError(f"{_MOST} games are open: close the page of one of them first")
        await self.tables.pop(left).close()
