"""A time limit for the head of a request: a client that connects and says nothing does not hold the connection for ever."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 10.0
"""For the head of a request, from the connection's beginning or the head's first byte."""


class HeadTimeout(H11Protocol):
    """Uvicorn's protocol, which closes a connection whose request head is not whole in time."""

    seconds = SECONDS
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """A client has connected."""
        super().connection_made(transport)
        self._start()

    def data_received(self, data: bytes) -> None:
        """Bytes have come; the head is whole when the client's state is no longer idle."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._timer is None:
            self._start()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is closed."""
        self._stop()
        super().connection_lost(exc)

    def _start(self) -> None:
        self._timer = self.loop.call_later(self.seconds, self.transport.close)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
