"""Client of the play server, in place of the page in a browser, and games for it."""

from __future__ import annotations

import http.client
import json
import random
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from websockets.sync.client import connect
from websockets.typing import Origin

from planetwars_env.play.live_game import LiveGame
from planetwars_env.play.setup import Opening, make_game_setup
from planetwars_env.replay import Replay


def opening(
    first: str = "you",
    second: str = "random",
    graph: str = "rings",
    rules: str = "PLANETWARS",
    turns: int | None = None,
    speed: int = 60,
) -> Opening:
    return Opening(make_game_setup((first, second), graph, rules, seed=2, max_turns=turns), graph, speed)


def origin_of(address: str) -> Origin:
    return Origin(f"http://{urlsplit(address).netloc}")


def cookie_of(address: str) -> dict[str, str]:
    """The cookie that a browser sends after it has opened the server's link."""
    place = urlsplit(address)
    return {"Cookie": f"planetwars-{place.port}={place.query.removeprefix('token=')}"}


class Tab:
    """A page without a browser: it knows the last state it was told."""

    def __init__(self, address: str, key: str = "", cookie: str = "") -> None:
        self._end = ExitStack()
        opened = connect(
            f"ws://{urlsplit(address).netloc}/play?key={key}",
            origin=origin_of(address),
            additional_headers={"Cookie": cookie} if cookie else cookie_of(address),
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
            message = self.hear_one()
            if message["kind"] == kind and until(message):
                return message

    def hear_one(self) -> dict[str, Any]:
        """The next message."""
        message: dict[str, Any] = json.loads(self.socket.recv(timeout=20))
        self.told.append(message)
        if message["kind"] == "state":
            self.now = message
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


def get(address: str, path: str, **headers: str) -> tuple[int, str]:
    place = urlsplit(address)
    connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=10)
    connection.request("GET", path, headers={**cookie_of(address), **headers})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def play_randomly(tab: Tab, chance: random.Random) -> None:
    """To the end: some moves a turn, some of them taken back, and some that cannot be made."""
    names = [planet[0] for planet in tab.game["graph"]["planets"]]
    while not tab.wait_for_turn()["over"]:
        if tab.now["handover"]:
            tab.act("ready")
            tab.hear("state", lambda now: not now["handover"])
        for _ in range(chance.randrange(4)):
            a, b, _ = chance.choice(tab.game["graph"]["edges"])
            source, target = chance.choice([(a, b), (b, a)])
            tab.act("order", moves=[[names[source], names[target], chance.randrange(1, 6)]])
        if chance.random() < 0.3:
            tab.act("undo", order=-1)
        tab.end_turn()


def load_replay(address: str, tab: Tab, folder: Path) -> Replay:
    status, text = get(address, f"/replays/{tab.key}.json")
    assert status == 200
    (folder / "game.json").write_text(text)
    return Replay.load(folder / "game.json", verify=True)


def match(first: str = "you", second: str = "random", graph: str = "line", rules: str = "PLANETWARS") -> LiveGame:
    live = LiveGame(make_game_setup((first, second), graph, rules, seed=1))
    live.begin()
    return live
