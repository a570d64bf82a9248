"""Messages between a page and the server: what they refuse, and that they tell nothing the fog hides."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from planetwars_env.play.messages import LARGEST, MESSAGES, MessageError, read_message
from planetwars_env.play.server import running
from planetwars_env.replay import Replay
from support.play_client import Tab, get, load_replay, opening, play_randomly


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "7",
        '{"do": 7}',
        '{"do": "fly"}',
        '{"do": "order"}',
        '{"do": "order", "turn": true, "moves": [[1, 2, 3]]}',
        '{"do": "order", "turn": 1, "moves": [[1, 2]]}',
        '{"do": "order", "turn": 1, "moves": [[1, 2, 3], [1, 2, 3.5]]}',
        '{"do": "order", "turn": 1, "moves": [[1, 2, 99999999999999999999]]}',
        '{"do": "order", "turn": 1, "moves": [[1, 2, true]]}',
        '{"do": "step", "turn": 1}',
        '{"do": "new", "players": ["you", 1], "graph": "", "rules": "", "seed": null, "max_turns": null, "start": null}',
        '{"do": "pause", "on": 1}',
        "[" * 8000,
        '{"do": "speed", "turns": ' + "9" * 5000 + "}",
    ],
)
def test_what_no_page_would_say_is_refused(text: str) -> None:
    with pytest.raises(MessageError):
        read_message(text)


@pytest.mark.parametrize("rules", ["PLANETWARS", "PLANETWARS_HALF_STEP", "SPACE_EXPLORERS"])
@pytest.mark.parametrize("second", ["ai2", "you"])
def test_no_message_tells_what_the_fog_hides(rules: str, second: str, tmp_path: Path) -> None:
    with running(opening("you", second, rules=rules, turns=40)) as address:
        tab = Tab(address)
        play_randomly(tab, random.Random(8))
        replay = load_replay(address, tab, tmp_path)
        tab.close()
    games = {game.turn: game.copy() for game in replay.games() if not game.over}
    views = {(turn, viewer): game.view(viewer) for turn, game in games.items() for viewer in (1, 2)}
    ids = [planet.id for planet in replay.graph.planets]
    checked: list[Any] = []
    for message in tab.told:
        assert set(message) in (KEYS[message["kind"]], {"kind"} | KEYS[message["kind"]])
        if message["kind"] != "state" or message["over"]:
            continue
        if message["handover"]:
            assert message["state"] is None and message["orders"] == message["events"] == []
            continue
        game, viewer = games[message["turn"]], message["viewer"]
        assert viewer == (game.player if second == "you" else 1)
        view = game.view(viewer)
        for planet, shown in zip(view.planets, message["state"]["planets"], strict=True):
            if planet.visible:
                leaving = sum(move[2] for move in message["orders"] if move[0] == planet.id)
                assert sum(shown["people"]) == (planet.population or 0) - leaving
            else:
                assert {value for key, value in shown.items() if key != "visible"} == {None} and not shown["visible"]
        shown = {
            (ids[one["from"]], ids[one["to"]], one["player"], one["people"], one["left"])
            for one in message["state"]["shuttles"]
            if one["player"] != viewer or one["left"] < one["flight"]
        }
        assert shown == {tuple(shuttle) for shuttle in view.shuttles}
        for known in message["memory"]:
            seen = views[known["turn"], viewer].planets[known["planet"]]
            assert seen.visible and not view.planets[known["planet"]].visible and known["size"] == seen.size
            left = sum(move.people for move in replay.moves[known["turn"] - 1] if move.source == seen.id)
            mine = viewer == 2 - known["turn"] % 2
            assert sum(known["people"]) in ((seen.population or 0) - left * mine, seen.population)
        assert _told_by_views(message["events"], replay, viewer, len(checked))
        checked.append(message)
    assert len(checked) > 20


def _told_by_views(events: list[Any], replay: Replay, viewer: int, number: int) -> bool:
    """Whether every planet in the news is one that the viewer saw at that turn or the one before; one message of ten."""
    if number % 10:
        return True
    views = {game.turn: game.view(viewer) for game in replay.games()}
    return all(
        any(views[at].planet(int(planet)).visible for at in (turn - 1, turn))
        for turn, said in events
        for planet in re.findall(r"#(\d+)", "; ".join(said))
    )


KEYS = {
    "session": {"session"},
    "aim": {"move", "outcome"},
    "error": {"text"},
    "game": {"graph", "players", "names", "rules", "coexistence", "turns_per_weight", "max_turns", "start", "you"},
    "state": {
        *("turn", "player", "viewer", "handover", "yours", "over", "winner", "status"),
        *(
            "fault",
            "orders",
            "paused",
            "speed",
            "state",
            "note",
            "events",
            "falls",
            "memory",
            "standing",
            "may_look_back",
        ),
        *("console", "console_held", "seconds", "totals"),
    },
}


def test_messages_that_are_too_large_end_their_connection_and_nothing_else(server: str, tab: Tab) -> None:
    other = Tab(server)
    other.say("new", players=["x" * LARGEST, "you"])
    with pytest.raises(ConnectionClosed) as closed:
        other.hear("state")
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1009
    tab.act("undo", order=-1)
    assert tab.hear("error")


def test_bytes_and_broken_text_are_answered_or_end_their_connection(server: str, tab: Tab) -> None:
    tab.socket.send(b"\x00\xff{}")
    assert "not JSON" in tab.hear("error")["text"]
    other = Tab(server)
    other.socket.send(b"\xff\xfe", text=True)
    with pytest.raises(ConnectionClosed):
        other.hear("state")
    assert get(server, "/")[0] == 200


def test_a_thousand_random_messages_leave_the_server_standing(server: str, tmp_path: Path) -> None:
    chance = random.Random(6)
    tab = Tab(server)
    for _ in range(1000):
        try:
            tab.socket.send(_nonsense(chance))
        except ConnectionClosed:
            tab = Tab(server, tab.key)
    tab.close()
    fresh = Tab(server)
    play_randomly(fresh, chance)
    assert load_replay(server, fresh, tmp_path).turns == 40
    again = Tab(server, tab.key)
    new = {"players": ["you", "ai1"], "graph": "duel", "rules": "PLANETWARS", "seed": 1, "max_turns": 9, "start": None}
    again.say("new", **new)
    assert again.hear("game")["graph"]["name"] == "duel"
    again.hear("state")  # of the new game: what names a turn of the old one is refused
    play_randomly(again, chance)
    for one in (fresh, again):
        one.close()


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
        name: _value(chance, 1) if chance.random() < 0.3 else _likely(chance, name) for name in MESSAGES.get(what, {})
    }
    return json.dumps({"do": what, **parts})


def _value(chance: random.Random, depth: int) -> Any:
    plain = [None, True, -1, 0, 2**70, 0.5, float("nan"), "", "you", "\u0000", "x" * 300]
    if depth == 0 or chance.random() < 0.5:
        return chance.choice(plain)
    if chance.random() < 0.5:
        return [_value(chance, depth - 1) for _ in range(chance.randrange(5))]
    return {str(chance.choice(plain)): _value(chance, depth - 1) for _ in range(chance.randrange(4))}


def _likely(chance: random.Random, name: str) -> Any:
    return {
        "players": [chance.choice(["you", "you", "ai1", "random", "self", "nobody", "/", "x.py"]) for _ in range(2)],
        "graph": chance.choice(["duel", "rings", "line", "moon", "test/3", "/dev/null", "train"]),
        "rules": chance.choice(["PLANETWARS", "SPACE_EXPLORERS", "CHESS"]),
        "by": chance.choice(["ai1", "ai3", "x.py", "you"]),
        "seed": chance.choice([None, 1, -1]),
        "max_turns": chance.choice([None, 1, 0, 5, 10]),
        "turn": chance.randrange(1, 8),
        "start": chance.choice([None, None, 1, 3]),
        "at": chance.randrange(-1, 8),
        "order": chance.randrange(-2, 3),
        "move": [chance.randrange(9), chance.randrange(9), chance.randrange(-1, 5)],
        "moves": [[chance.randrange(9), chance.randrange(9), chance.randrange(-1, 5)] for _ in range(2)],
        "on": chance.random() < 0.2,
        "turns": chance.choice([0, 60, 60, 61]),
        "viewer": chance.randrange(-1, 4),
    }[name]
