"""Sessions of a play server by key: a page that is loaded again finds its session again."""

import asyncio
import secrets

from planetwars_env.play.session import Session
from planetwars_env.play.setup import GameSetup

_MOST = 24


class TooManySessionsError(ValueError):
    """The server keeps its largest number of sessions, and every one of them has an open page."""


class Sessions:
    """``by_key``: the open sessions. One without a page is kept until its place is needed, the oldest first.

    ``shared``: there is one session, for players at machines of their own.
    """

    def __init__(self, setup: GameSetup, speed: int, shared: bool = False) -> None:
        self.by_key: dict[str, Session] = {}
        self._setup = setup
        self._speed = speed
        self._shared = shared
        self._opening = asyncio.Lock()

    async def find_or_open(self, key: str) -> tuple[str, Session]:
        """Return the key and the session of this key, else those of a new session with the first game.

        TooManySessionsError if there is no room for a new one.
        """
        async with self._opening:
            if self._shared and self.by_key:
                key = next(iter(self.by_key))
            if key not in self.by_key:
                key = await self.open(self._setup)
            return key, self.by_key[key]

    async def open(self, setup: GameSetup) -> str:
        """Open a session with a game and return its key. TooManySessionsError if there is no room for it."""
        key, session = secrets.token_urlsafe(18), Session(setup, self._speed, self._shared)
        await self._make_room()
        self.by_key[key] = session
        await session.open()
        return key

    async def close(self) -> None:
        """Close all sessions."""
        while self.by_key:
            _, session = self.by_key.popitem()
            await session.close()

    async def _make_room(self) -> None:
        if len(self.by_key) < _MOST:
            return
        unused = next((key for key, session in self.by_key.items() if not session.pages.players), None)
        if unused is None:
            raise TooManySessionsError(f"{_MOST} games are open: close the page of one of them first")
        await self.by_key.pop(unused).close()
