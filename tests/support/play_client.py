"""Client of the play server, in place of the page in a browser."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

from websockets.sync.client import connect
from websockets.typing import Origin


def origin_of(address: str) -> Origin:
    return Origin(f"http://{urlsplit(address).netloc}")


def cookie_of(address: str) -> dict[str, str]:
    """The cookie that a browser sends after it has opened the server's link."""
    place = urlsplit(address)
    return {"Cookie": f"planetwars-{place.port}={place.query.removeprefix('token=')}"}


class Tab:
    """A page without a browser: it knows the last state it was told."""

    def __init__(self, address: str, key: str = "") -> None:
        self._end = ExitStack()
        opened = connect(
            f"ws://{urlsplit(address).netloc}/play?key={key}",
            origin=origin_of(address),
            additional_headers=cookie_of(address),
            max_queue=None,
        )
        self.socket = self._end.enter_context(opened)
        self.told: list[dict[str, Any]] = []
        self.key = self.hear("session")["session"]
        self.game = self.hear("game")
        self.now = self.hear("state")

    def say(self, what: str, **more: Any) -> None:
        self.socket.send(json.dumps({"do": what, **more}))

    def act(self, what: str, **more: Any) -> None:
        self.say(what, turn=self.now["turn"], **more)

    def hear(self, kind: str, until: Callable[[dict[str, Any]], bool] = lambda _: True) -> dict[str, Any]:
        """The next message of this kind that is as wanted."""
        while True:
            message = json.loads(self.socket.recv(timeout=20))
            self.told.append(message)
            if message["kind"] == "state":
                self.now = message
            if message["kind"] == kind and until(message):
                return message

    def wait_for(self, until: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        return self.now if until(self.now) else self.hear("state", until)

    def wait_for_turn(self) -> dict[str, Any]:
        return self.wait_for(lambda now: now["yours"] or now["handover"] or now["over"])

    def end_turn(self) -> None:
        turn = self.now["turn"]
        self.act("end")
        self.hear("state", lambda now: now["turn"] > turn or now["over"])

    def close(self) -> None:
        self._end.close()
