"""Client of the play server, in place of the page in a browser, and games for it."""

import http.client
import json
import random
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

from websockets.sync.client import connect
from websockets.typing import Origin

from planetwars_env.graphs.graph import Graph
from planetwars_env.playing.setup import Opening, make_game_setup
from planetwars_env.view import Move


def opening(
    first: str = "you",
    second: str = "random",
    graph: str | Graph = "rings",
    rules: str = "PLANETWARS",
    turns: int | None = None,
    speed: int = 60,
    moves: Sequence[Sequence[Move]] = (),
) -> Opening:
    name = graph if isinstance(graph, str) else graph.name
    setup = make_game_setup((first, second), graph, rules, seed=2, max_turns=turns, moves=moves)
    return Opening(setup, name, speed)


def origin_of(address: str) -> Origin:
    return Origin(f"http://{urlsplit(address).netloc}")


def cookie_of(address: str) -> dict[str, str]:
    """The cookie that a browser sends after it has opened the server's link."""
    place = urlsplit(address)
    return {"Cookie": f"planetwars-{place.port}={place.query.removeprefix('token=')}"}


class Tab:
    """A page without a browser, of a game at the server: it knows the game and how it stands.

    ``turns``: what was told of each turn; ``told``: all messages; ``player``: who sits at it, 0 for nobody; ``playing``:
    whether it asks for the turns of strategies, as pages do.
    """

    def __init__(self, address: str, key: str = "", cookie: str = "", playing: bool = True) -> None:
        self.playing = playing
        self._end = ExitStack()
        opened = connect(
            f"ws://{urlsplit(address).netloc}/play?key={key}",
            origin=origin_of(address),
            additional_headers={"Cookie": cookie} if cookie else cookie_of(address),
            max_queue=None,
        )
        self.socket = self._end.enter_context(opened)
        self.told: list[dict[str, Any]] = []
        self._last = 0
        self.hear("game")

    @property
    def key(self) -> str:
        return self.game["session"]

    @property
    def player(self) -> int:
        return 1 + self.game["setup"]["here"].index(True) if any(self.game["setup"]["here"]) else 0

    @property
    def view(self) -> dict[str, Any]:
        """The latest view of the player."""
        views = self.turns[-1]["views"] if self.turns else self.game["views"]
        return views[str(self.player)]

    @property
    def yours(self) -> bool:
        return not self.now["over"] and self.now["player"] == self.player

    def ask(self, what: str, **more: Any) -> Any:
        """The server's answer; ValueError with the text of its error."""
        self._last += 1
        self.socket.send(json.dumps({"id": self._last, "do": what, **more}))
        while True:
            message = self.hear_one()
            if message.get("id") == self._last and "kind" not in message:
                return message["answer"]
            if message.get("id") == self._last:
                raise ValueError(message["error"])

    def hear(self, kind: str) -> dict[str, Any]:
        """The next message of this kind."""
        while True:
            message = self.hear_one()
            if message.get("kind") == kind:
                return message

    def hear_one(self) -> dict[str, Any]:
        """The next message."""
        message: dict[str, Any] = json.loads(self.socket.recv(timeout=120))
        self.told.append(message)
        if message.get("kind") == "game":
            self.game, self.turns = message, list(message["turns"])
        if message.get("kind") == "turn":
            self.turns.append(message["turn"])
        self.now = message.get("status", getattr(self, "now", {}))
        waits = not self.now["over"] and self.game["setup"]["players"][self.now["player"] - 1] != "you"
        if waits and self.playing and message.get("kind") in ("game", "turn"):
            self.socket.send(json.dumps({"id": 0, "do": "step", "turn": self.now["turn"]}))
        return message

    def wait_for(self, until: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The status of the game, once it is as wanted."""
        while not until(self.now):
            self.hear_one()
        return self.now

    def wait_for_turn(self) -> dict[str, Any]:
        return self.wait_for(lambda _: self.yours or self.now["over"])

    def play(self, moves: Sequence[Sequence[int]] = ()) -> None:
        self.ask("play", turn=self.now["turn"], moves=[list(move) for move in moves])

    def close(self) -> None:
        self._end.close()


def fetch(address: str, path: str = "", body: Any = None, method: str = "", **headers: str) -> tuple[int, str, str]:
    """Status, text and cookie of an answer, by default to the link itself; ``body``: an object, or bytes, to post."""
    place = urlsplit(address)
    connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=60)
    sent = body if body is None or isinstance(body, bytes) else json.dumps(body)
    method = method or ("GET" if body is None else "POST")
    connection.request(method, path or f"/?{place.query}", sent, headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode(), str(answer.getheader("Set-Cookie") or "")


def get(address: str, path: str, **headers: str) -> tuple[int, str]:
    return fetch(address, path, **{**cookie_of(address), **headers})[:2]


def post(address: str, path: str, body: Any) -> dict[str, Any]:
    """The server's answer to an object, or to bytes."""
    status, text, _ = fetch(address, path, body, **cookie_of(address))
    assert status == 200
    return json.loads(text)


SEARCHING = "graph-planetwars-small+search"
"""A player that only the server has."""


def wanted(first: str = "you", second: str = "ai1", graph: str = "k4", /, **more: Any) -> dict[str, Any]:
    """The request of a page for a new game."""
    new = {"players": [first, second], "graph": graph, "rules": "PLANETWARS", "seed": 1, "max_turns": None}
    return {**new, "start": None, "from": None, "session": "", **more}


def play_randomly(tab: Tab, chance: random.Random) -> None:
    """To the end: some moves a turn, some of which cannot be made."""
    while not tab.wait_for_turn()["over"]:
        ways = [
            way
            for edge in tab.game["setup"]["graph"]["edges"]
            for way in ((edge["a"], edge["b"]), (edge["b"], edge["a"]))
        ]
        tab.play([(*chance.choice(ways), chance.randrange(-1, 6)) for _ in range(chance.randrange(4))])
