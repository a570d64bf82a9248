"""Timeout for request headers: a client that connects and sends nothing loses its connection."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 10.0
"""Seconds for the headers of a request, counted from the connection or from their first byte."""


class HeaderTimeout(H11Protocol):
    """Uvicorn's HTTP protocol that closes a connection whose request headers do not arrive in time."""

    seconds = SECONDS
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the timer for a new connection."""
        super().connection_made(transport)
        self._start()

    def data_received(self, data: bytes) -> None:
        """Stop the timer when the headers are complete: h11's client state is then no longer IDLE."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._timer is None:
            self._start()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer of a closed connection."""
        self._stop()
        super().connection_lost(exc)

    def _start(self) -> None:
        self._timer = self.loop.call_later(self.seconds, self.transport.close)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
