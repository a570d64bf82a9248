"""Playing oneself, without a browser: the match, the server's messages, who may speak to it, and the terminal."""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import socket
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from typer.testing import CliRunner
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

import planetwars_env as pw
from planetwars_env.cli.main import app
from planetwars_env.game import Game
from planetwars_env.graphs.dot import write_dot
from planetwars_env.graphs.graph import Edge, Graph, Planet
from planetwars_env.play import edit_watch
from planetwars_env.play.header_timeout import HeaderTimeout
from planetwars_env.play.live_game import LiveGame, MoveError
from planetwars_env.play.messages import LARGEST, MESSAGES, MessageError, read_message
from planetwars_env.play.server import Opening, listen, running
from planetwars_env.play.setup import choices, make_game_setup, play_on_replay
from planetwars_env.play.state_messages import Shown, past_message, state_message
from planetwars_env.play.terminal import play_in_terminal
from planetwars_env.render.frames import replay_data
from planetwars_env.replay import Replay, ReplayError
from planetwars_env.view import Move
from support.paths import ROOT
from support.play_client import Tab, cookie_of, origin_of

FAST = 60
STRATEGY = """
class Mine:
    name = "mine"
    compete = True

    def take_turn(self, view):
        return [(p.id, e.b, 1) for p in view.owned_by(view.player) for e in view.edges if e.a == p.id]
"""


def opening(
    first: str = "you", second: str = "random", graph: str = "rings", rules: str = "PLANETWARS", turns: int = 40
) -> Opening:
    return Opening(make_game_setup((first, second), graph, rules, seed=4, max_turns=turns), graph, FAST)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running(opening()) as found:
        yield found


@pytest.fixture
def tab(address: str) -> Iterator[Tab]:
    tab = Tab(address)
    yield tab
    tab.close()


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
            tab.act("order", move=[names[source], names[target], chance.randrange(1, 6)])
        if chance.random() < 0.3:
            tab.act("undo", order=-1)
        tab.end_turn()


def load_replay(address: str, tab: Tab, folder: Path) -> Replay:
    status, text = get(address, f"/replays/{tab.key}.json")
    assert status == 200
    (folder / "game.json").write_text(text)
    return Replay.load(folder / "game.json", verify=True)


# The match.


def match(first: str = "you", second: str = "random", graph: str = "line", rules: str = "PLANETWARS") -> LiveGame:
    match = LiveGame(make_game_setup((first, second), graph, rules, seed=1))
    match.begin()
    return match


def test_orders_leave_their_planet_and_are_drawn_but_nothing_happens_before_the_turn_ends() -> None:
    game = match()
    game.order(Move(1, 2, 1))
    state = game.state(1)
    assert [planet["people"] for planet in state["planets"]][:2] == [(1, 0), (0, 0)]
    assert state["shuttles"] == [{"from": 0, "to": 1, "player": 1, "people": 1, "left": 2, "flight": 2}]
    assert game.game.people()[0] == (2, 0) and game.game.shuttles() == ()
    game.end_turn()
    assert [tuple(shuttle) for shuttle in game.game.shuttles()] == [(1, 2, 1, 1, 1)]


def test_a_planet_that_is_emptied_still_shows_what_lies_beside_it_until_the_turn_ends() -> None:
    game = match()
    game.order(Move(1, 2, 2))
    assert [planet["visible"] for planet in game.state(1)["planets"]] == [True, True, False, False, False]


def test_a_planet_that_is_emptied_is_shown_as_nobodys_until_the_order_is_taken_back() -> None:
    game = match()
    game.order(Move(1, 2, 2))
    assert game.state(1)["planets"][0]["owner"] == 0
    with pytest.raises(MoveError, match="nobody is left on planet 1"):
        game.order(Move(1, 2, 1))
    game.undo()
    assert game.state(1)["planets"][0]["owner"] == 1


def test_undo_takes_the_last_order_back() -> None:
    game = match()
    game.order(Move(1, 2, 1))
    game.order(Move(1, 2, 1))
    game.undo()
    assert game.orders == [(1, 2, 1)]
    game.undo()
    with pytest.raises(MoveError, match="no move to take back"):
        game.undo()


def test_undo_takes_any_order_back() -> None:
    game = match()
    for _ in range(4):
        game.end_turn()
        game.carry_out(game.strategy_moves())
    for people in (1, 2, 3):
        game.order(Move(1, 2, people))
    game.undo(1)
    assert game.orders == [(1, 2, 1), (1, 2, 3)]
    with pytest.raises(MoveError, match="2 moves, so there is none with the number 3"):
        game.undo(2)


def test_earlier_turns_are_shown_as_they_were_once_no_person_plays() -> None:
    game, states = match("ai2", "ai1", "rings"), []
    for _ in range(30):
        states.append((game.game.turn, game.state(1), game.state(None)))
        game.carry_out(game.strategy_moves())
    for turn, seen, true in states:
        launched = past_message(game, turn, None)["state"]
        assert launched["planets"] == true["planets"]
        assert [one for one in launched["shuttles"] if one["left"] < one["flight"]] == true["shuttles"]
        assert past_message(game, turn, 1)["state"]["planets"] == seen["planets"]
    with pytest.raises(MoveError, match="turns 1 to 31, not 32"):
        past_message(game, 32, None)
    with pytest.raises(MoveError, match="the fog hides"):
        past_message(match(), 1, None)


@pytest.mark.parametrize(("length", "seen"), [(3, True), (4, False)])
def test_each_of_two_people_reads_what_the_other_ones_turn_brought(length: int, seen: bool, tmp_path: Path) -> None:
    """A planet that is taken beside player 1 is news to both, and one out of its sight to player 2 alone."""
    planets = [Planet(i, 20, 100, i, 0, {1: 1, length: 2}.get(i, 0)) for i in range(1, length + 1)]
    path = tmp_path / "path.dot"
    path.write_text(write_dot(Graph("path", planets, [Edge(i, i + 1, 1) for i in range(1, length)])))
    game = match("you", "you", str(path))
    game.end_turn()
    game.order(Move(length, length - 1, 1))
    game.end_turn()
    news = [(3, [f"player 2 has taken #{length - 1}"])]
    assert game.news.of(None) == game.news.of(2) == news
    assert game.news.of(1) == (news if seen else [])


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ((1, 3, 1), "no edge joins 1 and 3"),
        ((1, 99, 1), "no edge joins 1 and 99"),
        ((1, 2, 0), "at least one"),
        ((1, 2, 3), "only 2 people left, not 3"),
        ((2, 3, 1), "planet 2 is not yours"),
        ((5, 4, 1), "planet 5 is not yours"),
    ],
)
def test_a_move_that_cannot_be_made_is_refused_with_the_reason(move: tuple[int, int, int], why: str) -> None:
    game = match()
    with pytest.raises(MoveError, match=why):
        game.order(Move(*move))
    assert game.orders == []


@pytest.mark.parametrize("there", [0, 1])
def test_a_move_from_a_hidden_planet_is_taken_without_telling_who_lives_there(there: int) -> None:
    """SpaceExplorers: a minority may leave a planet that it does not see (R8)."""
    game = match(rules="SPACE_EXPLORERS")
    position = game.game.to_dict()
    position["planets"][3] = [4, 2, there, 5]
    game.game = Game.from_dict(game.game.graph, position, game.game.rules)
    before = game.state(1)
    assert not before["planets"][3]["visible"]
    game.order(Move(4, 3, 1))
    assert game.state(1) == before
    game.end_turn()
    assert len(game.game.shuttles()) == there


def test_the_replay_is_kept_back_while_the_game_goes_on_with_people_in_it() -> None:
    game = match()
    with pytest.raises(MoveError, match="what the fog hides"):
        game.replay()
    game.give_up()
    assert game.status == "human has given up" and game.replay().moves == ()


def test_a_strategy_from_a_file_plays_in_a_process_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(STRATEGY)
    game = match(str(tmp_path / "mine.py"), "you")
    try:
        assert game.setup.names == ("mine", "human")
        assert game.strategy_moves() == [(1, 2, 1)]
    finally:
        game.close()


def test_a_strategy_that_cannot_be_loaded_forfeits_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("raise RuntimeError('not today')")
    game = match("you", str(tmp_path / "broken.py"))
    assert game.over and game.status == "human has won: broken forfeited on turn 1 (load)"
    assert "not today" in game.fault_text
    assert (game.winner, game.replay().winner, game.replay().forfeit) == (1, 1, (2, "load"))
    game.replay().verify()


@pytest.mark.parametrize(
    ("players", "graph", "why"),
    [
        (("you", "nobody"), "rings", "unknown strategy 'nobody'"),
        (("you", "missing.py"), "rings", "does not exist"),
        (("you", "ai1"), "moon", "there is no graph 'moon'"),
    ],
)
def test_unknown_names_are_told_with_the_known_ones(players: tuple[str, str], graph: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        make_game_setup(players, graph)


def test_agents_that_were_trained_here_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs" / "mine").mkdir(parents=True)
    (tmp_path / "runs" / "mine" / "weights.safetensors").touch()
    monkeypatch.chdir(tmp_path)
    assert choices()["agents"]["runs/mine"] == ""
    (tmp_path / "runs" / "mine" / "config.yaml").write_text("task:\n  environment: SpaceExplorers-v0\n")
    assert choices()["agents"]["runs/mine"] == "SPACE_EXPLORERS"
    assert choices()["agents"]["graph-halfstep"] == "PLANETWARS_HALF_STEP"


# Messages.


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
        '{"do": "order", "turn": true, "move": [1, 2, 3]}',
        '{"do": "order", "turn": 1, "move": [1, 2]}',
        '{"do": "order", "turn": 1, "move": [1, 2, 3.5]}',
        '{"do": "order", "turn": 1, "move": [1, 2, 99999999999999999999]}',
        '{"do": "order", "turn": 1, "move": [1, 2, true]}',
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


# The server.


def test_the_page_offers_everything_that_can_be_chosen(address: str) -> None:
    status, page = get(address, "/")
    assert status == 200
    for name in ("ai3", "rings", "test", "SPACE_EXPLORERS"):
        assert f'"{name}"' in page
    assert f"connect-src 'self' ws://{urlsplit(address).netloc}; " in page


@pytest.mark.parametrize("rules", ["PLANETWARS", "PLANETWARS_HALF_STEP", "SPACE_EXPLORERS"])
@pytest.mark.parametrize("second", ["ai2", "you"])
def test_no_message_tells_what_the_fog_hides(rules: str, second: str, tmp_path: Path) -> None:
    with running(opening("you", second, rules=rules)) as address:
        tab = Tab(address)
        play_randomly(tab, random.Random(8))
        replay = load_replay(address, tab, tmp_path)
        tab.close()
    games = {game.turn: game.copy() for game in replay.games() if not game.over}
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
    "game": {"graph", "players", "names", "rules", "coexistence", "turns_per_weight", "max_turns", "start"},
    "state": {
        *("turn", "player", "viewer", "handover", "yours", "over", "winner", "status"),
        *("fault", "orders", "paused", "speed", "state", "note", "events", "falls", "may_look_back"),
        *("console", "console_held", "seconds", "totals"),
    },
}


def test_two_people_cannot_move_or_look_before_they_have_taken_over() -> None:
    with running(opening("you", "you")) as address:
        tab = Tab(address)
        assert (tab.now["handover"], tab.now["yours"], tab.now["state"]) == (1, False, None)
        tab.act("order", move=[1, 2, 1])
        assert "has not yet taken over" in tab.hear("error")["text"]
        tab.act("ready")
        assert tab.hear("state")["yours"]
        tab.end_turn()
        assert (tab.now["handover"], tab.now["turn"], tab.now["state"]) == (2, 2, None)
        tab.close()


def test_two_strategies_play_on_by_themselves_pause_step_and_show_any_side() -> None:
    with running(opening("ai1", "random", turns=500)) as address:
        tab = Tab(address)
        tab.wait_for(lambda now: now["turn"] > 3)
        tab.say("pause", on=True)
        tab.wait_for(lambda now: now["paused"])
        tab.say("viewer", viewer=2)
        at = tab.hear("state", lambda now: now["viewer"] == 2)["turn"]
        assert not all(planet["visible"] for planet in tab.now["state"]["planets"])
        tab.say("step")
        tab.wait_for(lambda now: now["turn"] > at)
        assert get(address, f"/replays/{tab.key}.html")[0] == 200
        tab.close()


def test_another_game_takes_the_place_of_this_one_and_a_wrong_one_leaves_it_alone(tab: Tab) -> None:
    new = {"players": ["ai1", "you"], "graph": "k4", "rules": "PLANETWARS", "seed": 1, "max_turns": None, "start": None}
    tab.say("new", **{**new, "graph": "moon"})
    assert "there is no graph 'moon'" in tab.hear("error")["text"]
    tab.say("undo", turn=1, order=-1)
    assert "no move to take back" in tab.hear("error")["text"]
    tab.say("new", **new)
    assert tab.hear("game")["graph"]["name"] == "k4"
    assert tab.hear("state", lambda now: now["yours"])["turn"] == 2


def test_a_player_that_cannot_play_here_is_told_of_and_another_game_may_begin() -> None:
    with running(opening("you", "self")) as address:
        tab = Tab(address)
        assert tab.now["over"] and "'self' is no player" in tab.now["status"]
        tab.say("new", players=["you", "ai1"], graph="k4", rules="PLANETWARS", seed=1, max_turns=None, start=None)
        assert tab.hear("state", lambda now: not now["over"])["yours"]
        tab.close()


def test_what_was_meant_for_an_older_turn_is_refused(tab: Tab) -> None:
    tab.end_turn()
    tab.say("end", turn=1)
    assert "not 1" in tab.hear("error")["text"]


def test_the_replay_of_a_finished_game_is_true_and_that_of_a_running_one_is_kept_back(
    address: str, tab: Tab, tmp_path: Path
) -> None:
    assert get(address, f"/replays/{tab.key}.json")[0] == 409
    assert get(address, "/replays/nobody.json")[0] == 404
    play_randomly(tab, random.Random(3))
    replay = load_replay(address, tab, tmp_path)
    assert replay.players == ("human", "random") and replay.turns == tab.now["turn"]
    assert "<canvas" in get(address, f"/replays/{tab.key}.html")[1]


def test_two_tabs_have_a_game_each_and_two_of_one_key_share_it(address: str, tab: Tab) -> None:
    other, twin = Tab(address), Tab(address, tab.key)
    assert other.key != tab.key == twin.key
    tab.act("order", move=[1, 2, 1])
    assert twin.hear("state")["orders"] == [[1, 2, 1]]
    other.act("undo", order=-1)
    assert "no move" in other.hear("error")["text"]
    other.close()
    twin.close()


def test_a_tab_that_was_closed_or_torn_away_finds_its_game_again(address: str) -> None:
    tab = Tab(address)
    tab.end_turn()
    tab.close()
    again = Tab(address, tab.key)
    assert again.now["turn"] >= 2
    again.wait_for_turn()
    again.act("end")
    again.socket.socket.shutdown(socket.SHUT_RDWR)
    third = Tab(address, tab.key)
    assert third.wait_for(lambda now: now["yours"] and now["turn"] >= 3)
    third.close()


def test_messages_that_are_too_large_end_their_connection_and_nothing_else(address: str, tab: Tab) -> None:
    other = Tab(address)
    other.say("new", players=["x" * LARGEST, "you"])
    with pytest.raises(ConnectionClosed) as closed:
        other.hear("state")
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1009
    tab.act("undo", order=-1)
    assert tab.hear("error")


def test_bytes_and_broken_text_are_answered_or_end_their_connection(address: str, tab: Tab) -> None:
    tab.socket.send(b"\x00\xff{}")
    assert "not JSON" in tab.hear("error")["text"]
    other = Tab(address)
    other.socket.send(b"\xff\xfe", text=True)
    with pytest.raises(ConnectionClosed):
        other.hear("state")
    assert get(address, "/")[0] == 200


def test_a_thousand_random_messages_leave_the_server_standing(address: str, tmp_path: Path) -> None:
    chance = random.Random(6)
    tab = Tab(address)
    for _ in range(1000):
        try:
            tab.socket.send(_nonsense(chance))
        except ConnectionClosed:
            tab = Tab(address, tab.key)
    tab.close()
    fresh = Tab(address)
    play_randomly(fresh, chance)
    assert load_replay(address, fresh, tmp_path).turns == 40
    again = Tab(address, tab.key)
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
        "seed": chance.choice([None, 1, -1]),
        "max_turns": chance.choice([None, 1, 0, 5, 10]),
        "turn": chance.randrange(1, 8),
        "start": chance.choice([None, None, 1, 3]),
        "at": chance.randrange(-1, 8),
        "order": chance.randrange(-2, 3),
        "move": [chance.randrange(9), chance.randrange(9), chance.randrange(-1, 5)],
        "on": chance.random() < 0.2,
        "turns": chance.choice([0, 60, 60, 61]),
        "viewer": chance.randrange(-1, 4),
    }[name]


# Who may speak to it.


def test_it_listens_on_this_machine_only() -> None:
    with listen() as found:
        host, port = found.getsockname()
        assert host == "127.0.0.1"
        with pytest.raises(OSError, match="cannot be used"):
            listen(port)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", port), timeout=2)


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:{port}"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1:1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "http://localhost:{port}"},
    ],
)
def test_other_hosts_and_origins_are_refused(address: str, headers: dict[str, str]) -> None:
    port = str(urlsplit(address).port)
    sent = {name: value.replace("{port}", port) for name, value in headers.items()}
    for path in ("/", "/replays/x.json"):
        assert get(address, path, **sent)[0] == 403
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "Origin": origin_of(address),
    }
    assert get(address, "/play", **{**upgrade, **sent})[0] == 403


@pytest.mark.parametrize("origin", [None, "http://evil.example", "null"])
def test_a_connection_of_another_site_or_of_none_is_refused(address: str, origin: Any) -> None:
    place = f"ws://{urlsplit(address).netloc}/play"
    cookie = cookie_of(address)
    with pytest.raises(InvalidStatus) as refused, connect(place, origin=origin, additional_headers=cookie):
        pass
    assert refused.value.response.status_code == 403


def test_both_names_of_this_machine_are_good(address: str) -> None:
    port = urlsplit(address).port
    assert get(address, "/", Host=f"localhost:{port}")[0] == 200
    assert get(address, "/", Origin=origin_of(address))[0] == 200


@pytest.mark.parametrize(
    "cookie", ["", "planetwars-{port}=guess", "planetwars-{port}={token}x", "planetwars-1={token}"]
)
def test_without_the_links_token_nobody_is_answered(address: str, cookie: str) -> None:
    """Another user of this machine can connect, and does not know the link."""
    port, token = urlsplit(address).port, urlsplit(address).query.removeprefix("token=")
    cookie = cookie.format(port=port, token=token)
    for path in ("/", "/?token=", "/?token=guess", "/?token=%ff%00", "/replays/x.json", "/nowhere"):
        status, text = get(address, path, Cookie=cookie)
        assert status == 403
        assert "whole link" in text
        assert token not in text
    with pytest.raises(InvalidStatus) as refused:
        connect(
            f"ws://{urlsplit(address).netloc}/play", origin=origin_of(address), additional_headers={"Cookie": cookie}
        )
    assert refused.value.response.status_code == 403


def test_the_link_opens_the_page_and_leaves_its_token_in_a_cookie(address: str) -> None:
    place = urlsplit(address)
    token = place.query.removeprefix("token=")
    assert len(token) >= 32
    connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=10)
    connection.request("GET", f"/?{place.query}", headers={"Cookie": f"planetwars-{place.port}=of-an-older-server"})
    answer = connection.getresponse()
    assert answer.status == 200
    assert token not in answer.read().decode()
    cookie = str(answer.getheader("Set-Cookie"))
    assert cookie.startswith(f"planetwars-{place.port}={token};")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: ", b"GET /?a=1 HTTP/1.1\r\n\r\nGET / HT"])
def test_a_client_that_does_not_finish_its_request_is_let_go(said: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HeaderTimeout, "seconds", 0.5)
    with running(opening()) as address:
        place = urlsplit(address)
        with socket.create_connection((str(place.hostname), place.port), timeout=8) as client:
            client.sendall(said)
            start = time.monotonic()
            while client.recv(4096):
                assert time.monotonic() - start < 8
        tab = Tab(address)  # which is open for longer, and is not let go
        time.sleep(1)
        tab.end_turn()
        tab.close()


# The documentation.


def test_every_example_of_the_documentation_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "watch-and-play.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(block, "docs/watch-and-play.md", "exec"), names)
    assert {path.name for path in tmp_path.iterdir()} == {"game.html", "game.json.gz", "start.svg", "turn-12.svg"}


# The terminal.


def in_terminal(*arguments: str, lines: list[str]) -> str:
    answer = CliRunner().invoke(app, ["play", "--terminal", *arguments], input="".join(f"{line}\n" for line in lines))
    assert answer.exit_code == 0, answer.output
    return answer.output


def test_a_game_in_the_terminal_is_played_to_its_end_and_saved(tmp_path: Path) -> None:
    replay = tmp_path / "game.json"
    lines = ["1 2 1", "1 9 1", "nonsense", "undo", "1 2 half", "end", "", "", f"save {replay}", "quit"]
    said = in_terminal("--against", "random", "--graph", "line", "--seed", "1", "--max-turns", "6", lines=lines)
    assert "no edge joins 1 and 9" in said and "cut off" in said
    saved = Replay.load(replay, verify=True)
    assert saved.moves[0] == ((1, 2, 1),) and saved.turns == 6


def test_the_terminal_shows_no_more_than_the_view() -> None:
    said = in_terminal("--against", "ai1", "--graph", "line", lines=["quit"])
    assert "     5         ?" in said and "base of you" in said and "base of opponent" not in said


def test_the_terminal_takes_moves_as_language_models_write_them() -> None:
    lines = ["send 1 -> 2: 1", "send 1 -> 9: 1", "quit"]
    said = in_terminal("--against", "ai1", "--graph", "line", lines=lines)
    assert "this turn: 1 from 1 to 2" in said and "send 1 -> 9: 1: no edge joins 1 and 9" in said


def test_a_terminal_without_anybody_at_it_ends_the_game() -> None:
    assert "player 1" in in_terminal("--against", "you", "--graph", "duel", lines=[""])


def test_two_strategies_play_in_the_terminal_too() -> None:
    assert (
        "to move" not in in_terminal("--player", "ai3", "--against", "random", "--graph", "duel", lines=["quit"])[-200:]
    )


def test_a_wrong_name_is_one_sentence() -> None:
    answer = CliRunner().invoke(app, ["play", "--against", "ai9"])
    assert answer.exit_code == 1 and "unknown strategy 'ai9'" in answer.output and "Traceback" not in answer.output


# --- a student's strategy ----------------------------------------------------------------------------------------

STUDENT = """
import planetwars_env as pw

class Student(pw.Strategy):
    name = "The student"

    def take_turn(self, view):
        print("version", {version}, "on turn", view.turn)
        return [pw.Move(99, 98, 1)]
"""


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="strategies are isolated on systems that fork")


@needs_fork
def test_a_strategys_name_prints_moves_and_edits_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edit_watch, "_SECONDS", 0)
    file = tmp_path / "mine.py"
    file.write_text(STUDENT.format(version=1))
    setup = make_game_setup((str(file), "noop"), "duel", max_turns=5)
    live = LiveGame(setup)
    live.begin()
    assert live.setup.names == ("The student", "noop")
    live.carry_out(live.strategy_moves())
    assert [(notes.turn, notes.player, notes.printed, notes.dropped) for notes in live.console.notes] == [
        (1, 1, "version 1 on turn 1\n", 1)
    ]
    assert live.edited == ""
    file.write_text(STUDENT.format(version=2))
    live.carry_out(live.strategy_moves())  # of noop
    live.carry_out(live.strategy_moves())
    assert live.console.notes[-1].printed == "version 1 on turn 3\n"
    assert live.edited == "mine: edited; the next game is played with the new version"
    live.close()
    said: list[str] = []
    play_in_terminal(LiveGame(setup), lambda _: "quit", said.append)
    assert "version 2 on turn 5\n" in said
    assert "None of the 3 moves of The student is legal, so it never moved (3: no edge joins the planets)." in said


TALKER = """
import planetwars_env as pw

class Talker(pw.Strategy):
    def take_turn(self, view):
        print("seen", view.turn)
        self.say("my turn " + str(view.turn))
        self.mark(view.owned_by(view.player)[0], "home")
        self.mark(99, "nowhere")
        if view.turn > 2:
            raise RuntimeError("no idea")
        return []
"""


@pytest.fixture
def talker(tmp_path: Path) -> str:
    (tmp_path / "talker.py").write_text(TALKER)
    return str(tmp_path / "talker.py")


def told(live: LiveGame, console: bool = False, viewer: int | None = None) -> dict[str, Any]:
    return state_message(live, Shown(viewer, 0, False, 1, console))


@needs_fork
def test_what_a_strategy_says_and_marks_and_its_first_fault_are_told_turn_by_turn(talker: str) -> None:
    live = match(talker, "noop", "duel")
    live.carry_out(live.strategy_moves())
    message = told(live)
    assert message["state"]["marks"] == [{"planet": 0, "text": "home", "player": 1}]
    (line,) = message["console"]
    assert (line["said"], line["printed"], line["fault"]) == (("my turn 1",), "seen 1\n", "")
    assert message["seconds"][0] > 0
    assert told(live, viewer=2)["console"] == [] == told(live, viewer=2)["state"]["marks"]
    live.carry_out(live.strategy_moves())
    live.carry_out(live.strategy_moves())
    assert told(live)["fault"] == "Talker: fault 1 of 3, on turn 3: exception"
    fault = told(live)["console"][0]["fault"].splitlines()
    assert fault[1] == "Traceback (most recent call last):" and "talker.py" in fault[2]
    assert fault[-1] == "RuntimeError: no idea" and not live.over
    while not live.over:
        live.carry_out(live.strategy_moves())
    assert live.status == "noop has won: Talker forfeited on turn 7 (exception)"
    assert (live.winner, live.replay().forfeit) == (2, (1, "exception"))
    live.close()


@needs_fork
def test_against_a_person_a_strategy_tells_nothing_before_it_is_asked(talker: str) -> None:
    """It sees what the fog hides from the person."""
    live = match(talker, "you", "duel")
    live.carry_out(live.strategy_moves())
    held = told(live, viewer=2)
    assert (held["console"], held["console_held"], held["seconds"]) == ([], True, [0.0, 0.0])
    assert "marks" not in held["state"]
    asked = told(live, console=True, viewer=2)
    assert asked["console"][0]["said"] == ("my turn 1",) and asked["state"]["marks"]
    live.end_turn()
    live.carry_out(live.strategy_moves())
    assert "no idea" not in json.dumps(told(live, viewer=2)) and "fault 1 of 3" in told(live, viewer=2)["fault"]
    live.close()


@needs_fork
def test_notes_are_kept_in_the_replay_on_request(talker: str, tmp_path: Path) -> None:
    live = match(talker, "noop", "duel")
    for _ in range(3):
        live.carry_out(live.strategy_moves())
    live.close()
    live.replay(console=True).save(tmp_path / "game.json")
    replay = Replay.load(tmp_path / "game.json")
    assert replay.console == tuple(live.console.notes) and replay.console[0].marks == ((1, "home"), (99, "nowhere"))
    assert live.replay().console == ()
    shown = replay_data(replay)["console"]
    assert [(line["turn"], line["marks"]) for line in shown] == [(1, [[0, "home"]]), (3, [[0, "home"]])]
    data = {**replay.to_dict(), "console": [[1, 1, "said"]]}
    with pytest.raises(ReplayError, match="console: the notes of a turn must be turn, player"):
        Replay.from_dict(data)


def test_a_turn_of_a_replay_is_played_on_by_anybody(tmp_path: Path) -> None:
    replay = pw.play_match("ai1", "ai2", "rings", seed=1, max_turns=60)
    setup = play_on_replay(("you", "noop"), replay, 20)
    live = LiveGame(setup)
    live.begin()
    assert (live.game.turn, live.moves) == (20, list(replay.moves[:19]))
    *_, before = (game.copy() for game in islice(replay.games(), 20))
    assert live.game.to_dict() == before.to_dict()
    assert live.news.of(None) and not live.over
    live.carry_out(live.strategy_moves())
    live.give_up()
    live.replay().verify()
    with pytest.raises(ValueError, match="played on from turns 1 to 60, not 61"):
        play_on_replay(("you", "noop"), replay, 61)
    replay.save(tmp_path / "game.json")
    said = in_terminal("--replay", str(tmp_path / "game.json"), "--turn", "21", "--against", "noop", lines=["quit"])
    assert "turn 21" in said


def test_only_a_person_against_a_strategy_takes_turns_back() -> None:
    with running(opening("you", "noop")) as address:
        tab = Tab(address)
        tab.say("take back")
        assert "no turn to take back" in tab.hear("error")["text"]
        for _ in range(3):
            tab.end_turn()
            tab.wait_for_turn()
        tab.say("take back")
        assert tab.hear("game") and tab.hear("state")["turn"] == 5
        tab.say("take back")
        assert tab.hear("game") and tab.hear("state")["turn"] == 3
        tab.say("new", players=["you", "ai1"], graph="", rules="", seed=None, max_turns=None, start=1)
        assert "the fog hides" in tab.hear("error")["text"]
        tab.close()
    with running(opening("you", "you")) as address:
        tab = Tab(address)
        tab.say("take back")
        assert "one person against a strategy" in tab.hear("error")["text"]
        tab.close()
