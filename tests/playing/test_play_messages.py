"""Messages between a page and the server: what they refuse."""

import json
import random
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from planetwars_env.playing.session import LARGEST
from support.play_client import SEARCHING, Tab, get, play_randomly, post, wanted


def test_what_no_page_would_say_is_refused_and_changes_nothing(server: str) -> None:
    tab = Tab(server)
    for text in (
        "",
        "{",
        "[]",
        "7",
        '{"id": 1, "do": 7}',
        '{"id": 1, "do": "fly"}',
        '{"id": 1, "do": "play"}',
        '{"do": "step"}',
        '{"id": 1, "do": "play", "turn": 1, "moves": [[1, 2]]}',
        '{"id": 1, "do": "play", "turn": 1, "moves": [[1, 2, 3], [1, 2, 3.5]]}',
        '{"id": 1, "do": "play", "turn": 1, "moves": {"1": 2}}',
        '{"id": 1, "do": "play", "turn": 1, "moves": [[1, 2, 99999999999999999999]]}',
        '{"id": 1, "do": "console", "on": 1}',
        "[" * 8000,
        '{"id": 1, "do": "step", "turn": ' + "9" * 5000 + "}",
    ):
        tab.socket.send(text)
        assert tab.hear("error")["error"], text
    assert tab.now["turn"] == 1 and not {"turn", "status", "notes"} & {told.get("kind") for told in tab.told}
    tab.close()


def test_bytes_are_answered_and_broken_or_too_large_messages_end_their_connection_and_nothing_else(server: str) -> None:
    tab, broken, large = Tab(server), Tab(server), Tab(server)
    tab.socket.send(b"\x00\xff{}")
    assert tab.hear("error")["text"]
    broken.socket.send(b"\xff\xfe", text=True)
    with pytest.raises(ConnectionClosed):
        broken.hear("turn")
    with pytest.raises(ConnectionClosed) as closed:
        large.ask("replay", notes="x" * LARGEST)
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1009
    assert get(server, "/")[0] == 200
    tab.play()
    tab.close()


def test_a_thousand_random_messages_leave_the_server_standing(server: str) -> None:
    chance = random.Random(6)
    tab = Tab(server)
    for i in range(1000):
        try:
            tab.socket.send(_nonsense(chance))
        except ConnectionClosed:
            tab = Tab(server, tab.key)
        if i % 10 == 0:
            post(server, "/game", _nonsense_game(chance, tab.key))
    tab.close()
    fresh = Tab(server)
    play_randomly(fresh, chance)
    assert fresh.now["turn"] == 40
    again = Tab(server, tab.key)
    new = wanted("you", SEARCHING, "duel", max_turns=9, session=tab.key)
    assert post(server, "/game", new)["session"]
    again = Tab(server, tab.key)
    play_randomly(again, chance)
    for one in (fresh, again):
        one.close()


MESSAGES = {"play": ("turn", "moves"), "step": ("turn",), "console": ("on",), "replay": ("notes",)}
MESSAGES |= dict.fromkeys(("give up", "take back"), ())


def _nonsense(chance: random.Random) -> str | bytes:
    """Bytes, texts, JSON, and messages that are nearly right."""
    kind = chance.randrange(10)
    if kind == 0:
        return chance.randbytes(chance.randrange(200))
    if kind == 1:
        return "".join(chr(chance.randrange(32, 1000)) for _ in range(chance.randrange(200)))
    if kind == 2:
        return json.dumps(_value(chance, 3))
    what = chance.choice([*MESSAGES, "fly"])
    parts = {
        name: _value(chance, 1) if chance.random() < 0.3 else _likely(chance, name) for name in MESSAGES.get(what, ())
    }
    return json.dumps({"id": chance.choice([1, 2, -1]), "do": what, **parts})


def _nonsense_game(chance: random.Random, key: str) -> dict[str, Any]:
    asked = wanted(session=key)
    new = {name: _value(chance, 2) if chance.random() < 0.2 else _likely(chance, name) for name in asked}
    return {**new, "session": chance.choice([key, key, "", "x"])}


def _value(chance: random.Random, depth: int) -> Any:
    plain = [None, True, -1, 0, 2**70, 0.5, float("nan"), "", "you", "\u0000", "x" * 300]
    if depth == 0 or chance.random() < 0.5:
        return chance.choice(plain)
    if chance.random() < 0.5:
        return [_value(chance, depth - 1) for _ in range(chance.randrange(5))]
    return {str(chance.choice(plain)): _value(chance, depth - 1) for _ in range(chance.randrange(4))}


def _likely(chance: random.Random, name: str) -> Any:
    return {
        "players": [chance.choice(["you", "you", "ai1", "planner", "self", "nobody", "/", "x.py"]) for _ in range(2)],
        "graph": chance.choice(["duel", "rings", "line", "moon", "test/3", "/dev/null", "train"]),
        "rules": chance.choice(["PLANETWARS", "SPACE_EXPLORERS", "CHESS"]),
        "by": chance.choice(["ai1", "ai3", "x.py", "you"]),
        "seed": chance.choice([None, 1, -1]),
        "max_turns": chance.choice([None, 1, 0, 5, 10]),
        "turn": chance.randrange(1, 8),
        "start": chance.choice([None, None, 1, 3]),
        "from": chance.choice([None, None, {"graph": {"name": "", "planets": [], "edges": []}}]),
        "session": "",
        "moves": [[chance.randrange(9), chance.randrange(9), chance.randrange(-1, 5)] for _ in range(2)],
        "notes": chance.random() < 0.5,
        "on": chance.random() < 0.2,
    }[name]
