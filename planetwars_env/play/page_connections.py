"""Connections to the pages that show a session's game: each is told what its player may see."""

import asyncio
from collections.abc import Callable
from typing import Protocol


class Connection(Protocol):
    """Connection to one page."""

    async def send_text(self, data: str) -> None:
        """Send one message (JSON)."""


class PageConnections:
    """``players``: every open page with the player (1, 2) whose alone it is, 0 for one that shows every person's side in turn."""

    def __init__(self) -> None:
        self.players: dict[Connection, int] = {}
        self._sent: dict[Connection, str] = {}
        # No page gets the state of a game before its graph.
        self._sending = asyncio.Lock()

    async def add(self, page: Connection, player: int, texts: Callable[[], list[str]]) -> None:
        """Add a page and send it these messages first."""
        async with self._sending:
            self.players[page] = player
            for text in texts():
                self._sent[page] = text
                await page.send_text(text)

    def remove(self, page: Connection) -> None:
        """Remove a page, if it is there."""
        self.players.pop(page, None)
        self._sent.pop(page, None)

    async def tell(self, text_for: Callable[[int], str]) -> None:
        """Send every page the message for its player. A player's own page is not told the same twice in a row.

        Otherwise it would notice whenever the opponent orders something.
        """
        async with self._sending:
            for page, player in list(self.players.items()):
                text = text_for(player)
                if player and self._sent.get(page) == text:
                    continue
                self._sent[page] = text
                try:
                    await page.send_text(text)
                except Exception:  # a lost connection raises many kinds: the page is gone, the game goes on
                    self.remove(page)
