"""Games at the server, without a browser: turns, tabs, take back, other games, and what they are told."""

import json
import random
import socket
import threading
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed

import planetwars_env as pw
from planetwars_env.playing.server import running
from planetwars_env.playing.setup import know
from planetwars_env.replay import Replay
from planetwars_env.view import Move, View
from support.play_client import SEARCHING, Tab, get, opening, play_randomly, post, wanted
from support.strategy_files import bot, needs_fork


def test_the_page_offers_everything_that_can_be_chosen_and_holds_what_it_plays_on(server: str) -> None:
    status, page = get(server, "/")
    assert status == 200
    for name in ("ai3", "rings", "test", "SPACE_EXPLORERS"):
        assert f'"{name}"' in page
    assert f"connect-src 'self' ws://{urlsplit(server).netloc}; " in page
    assert '"wasm":"' in page and '"weights":"' in page


def test_two_strategies_play_turn_by_turn_as_pages_ask() -> None:
    with running(opening("ai1", "random", turns=500)) as address:
        tab = Tab(address, playing=False)
        assert tab.player == 0 and tab.game["moves"] == []
        for turn in (2, 1, 1, 3):  # those that are not to be played now are of a page that does not know yet
            tab.ask("step", turn=turn)
        tab.wait_for(lambda now: now["turn"] == 2)
        assert len(tab.ask("replay", notes=False)["moves"]) == 1
        tab.close()


def test_games_of_people_bots_and_agents_are_begun_for_the_page_to_play(server: str) -> None:
    found = post(server, "/game", wanted("you", "AI2", "test/17"))
    assert found["players"] == ["you", "ai2"] and found["graph"]["name"] == "test/17"
    assert post(server, "/game", wanted("Graph-All", "you", "rings"))["graph"] == "rings"
    for wrong, why in (
        ({"graph": "moon"}, "there is no graph 'moon'"),
        ({"rules": "CHESS"}, "CHESS"),
        ({"players": ["you", "nobody"]}, "unknown strategy 'nobody'"),
        ({"players": ["you", "self"]}, "'self' is not a player"),
        ({"players": ["you"]}, "players must be 2 names"),
        ({"max_turns": 0}, "max_turns"),
        ({"seed": -1}, "seed"),
        ({"seed": "x"}, "not one that this page sends"),
        ({"start": 3}, "the fog hides"),
        ({"from": {"graph": {}}}, "not one that this page sends"),
    ):
        assert why in post(server, "/game", {**wanted(), **wrong})["error"], wrong
    assert "not one that this page sends" in post(server, "/game", {})["error"]


def test_a_game_of_the_page_is_played_on_at_the_server(server: str) -> None:
    """Against an agent with a search, which only the server has."""
    replay = pw.play_match("ai1", "ai2", "rings", seed=1, max_turns=30)
    begun = {"graph": {"name": "rings", **replay.graph.to_dict()}, "max_turns": 40}
    begun |= {"rules": replay.to_dict()["rules"], "moves": replay.to_dict()["moves"][:20]}
    new = {**wanted("you", SEARCHING), "from": begun}
    tab = Tab(server, post(server, "/game", new)["session"])
    assert (tab.now["turn"], tab.game["before"], len(tab.turns)) == (21, 20, 20)
    over = {**new, "from": {**begun, "max_turns": 4}}
    assert "the game is over on turn" in post(server, "/game", over)["error"]
    tab.close()


def test_another_game_takes_the_place_of_this_one_and_a_wrong_one_leaves_it_alone(server: str) -> None:
    tab = Tab(server)
    assert "there is no graph" in post(server, "/game", wanted("you", "ai1", "moon", session=tab.key))["error"]
    tab.play()
    tab.wait_for_turn()
    first = tab.game["id"]
    assert post(server, "/game", wanted(SEARCHING, "you", session=tab.key)) == {"session": tab.key}
    tab.hear("game")
    assert tab.game["setup"]["graph"]["name"] == "k4" and tab.player == 2 and tab.game["id"] != first
    assert tab.wait_for_turn()["turn"] == 2
    tab.close()


class Unready(pw.Strategy):
    def __init__(self) -> None:
        raise KeyError("weights")

    def take_turn(self, view: View) -> list[Move]:
        return []


@pytest.mark.parametrize(
    ("player", "why"), [("self", "'self' is not a player"), (Unready, "a player cannot begin: KeyError: 'weights'")]
)
def test_a_player_that_cannot_begin_is_told_of_and_another_game_may_begin(player: Any, why: str) -> None:
    name = know(player) if player is Unready else player
    with running(opening("you", name)) as address:
        tab = Tab(address)
        assert tab.now["over"] and why in tab.now["said"]
        assert why in post(address, "/game", wanted("you", name, session=tab.key))["error"]
        assert post(address, "/game", wanted("you", SEARCHING, session=tab.key))["session"] == tab.key
        tab.hear("game")
        assert tab.wait_for_turn()["turn"] == 1 and not tab.now["over"]
        tab.close()


def test_a_page_connects_while_a_turn_is_taken_back_behind_a_strategy_that_thinks() -> None:
    thinks, may_answer = threading.Event(), threading.Event()

    class Slow(pw.Strategy):
        def take_turn(self, view: View) -> list[Move]:
            thinks.set()
            may_answer.wait(20)
            return []

    with running(opening("you", know(Slow))) as address:
        tab = Tab(address)
        tab.play()
        assert thinks.wait(60)
        tab.socket.send(json.dumps({"id": 9, "do": "take back"}))
        twin = Tab(address, tab.key)
        assert twin.now["turn"] == 2
        may_answer.set()
        assert twin.hear("game")["status"]["turn"] == 1
        tab.close()
        twin.close()


def test_no_more_than_24_games_are_open_at_once() -> None:
    with running(opening("you", "noop", "line")) as address:
        tabs = [Tab(address) for _ in range(24)]
        full = "24 games are open: close the page of one of them first"
        assert post(address, "/game", wanted("you", SEARCHING))["error"] == full
        with pytest.raises(ConnectionClosed) as refused:
            Tab(address)
        assert refused.value.rcvd is not None and refused.value.rcvd.reason == full
        tabs.pop().close()
        tabs.append(Tab(address))
        for tab in tabs:
            tab.close()


def test_what_was_meant_for_an_older_turn_or_the_other_player_is_refused(server: str) -> None:
    tab = Tab(server)
    tab.play()
    tab.wait_for_turn()
    with pytest.raises(ValueError, match="this is turn 3, not 1"):
        tab.ask("play", turn=1, moves=[])
    with pytest.raises(ValueError, match="the fog hides"):
        tab.ask("replay", notes=False)
    tab.close()


def test_the_replay_of_a_finished_game_is_true(server: str) -> None:
    tab = Tab(server)
    play_randomly(tab, random.Random(3))
    replay = Replay.from_dict(tab.ask("replay", notes=False))
    replay.verify()
    assert replay.players == ("human", "random") and replay.turns == tab.now["turn"]
    assert "<title>human against random</title>" in post(server, "/watch", replay.to_dict())["page"]
    tab.close()


def test_two_tabs_have_a_game_each_and_two_of_one_key_share_it(server: str) -> None:
    tab, other = Tab(server), Tab(server)
    twin = Tab(server, tab.key)
    assert other.key != tab.key == twin.key
    tab.play([[1, 2, 1]])
    assert twin.hear("turn")["turn"]["moves"] == [[1, 2, 1]] and other.now["turn"] == 1
    for one in (tab, other, twin):
        one.close()


def test_a_tab_that_was_closed_or_torn_away_finds_its_game_again_and_one_that_left_does_not(server: str) -> None:
    tab = Tab(server)
    tab.play([[1, 2, 1]])
    tab.wait_for_turn()
    tab.close()
    again = Tab(server, tab.key)
    assert again.turns == tab.turns and again.view == tab.view
    again.play()
    again.socket.socket.shutdown(socket.SHUT_RDWR)
    third = Tab(server, tab.key)
    third.wait_for(lambda now: third.yours and now["turn"] >= 5)
    third.ask("leave")
    third.close()
    assert Tab(server, tab.key).key != tab.key


COUNTING = """
self.seen = [*getattr(self, "seen", []), view.turn]
self.say(" ".join(map(str, self.seen)))
return []
"""


@needs_fork
def test_after_a_take_back_a_strategy_begins_anew_and_is_shown_the_earlier_views(tmp_path: Path) -> None:
    (tmp_path / "counting.py").write_text(bot("Counting", turn=COUNTING))
    with running(opening("you", str(tmp_path / "counting.py"))) as address:
        tab = Tab(address)
        with pytest.raises(ValueError, match="no turn to take back"):
            tab.ask("take back")
        for _ in range(3):
            tab.play([[1, 2, 1]])
            tab.wait_for_turn()
        name, turns = tab.game["id"], tab.turns
        tab.ask("take back")
        assert tab.now["turn"] == 5 and tab.game["id"] == name and tab.turns == turns[:4]
        tab.play()
        tab.wait_for_turn()
        assert tab.now["held"] and not any(message.get("notes") for message in tab.told)
        tab.ask("console", on=True)
        said = [notes["said"] for notes in tab.told[-2]["notes"] + tab.told[-1].get("notes", [])]
        assert said == [["2 4 6"]]
        assert "the fog hides" in post(address, "/game", wanted(start=1, session=tab.key))["error"]
        tab.close()
    with running(opening("ai1", "ai2")) as address:
        tab = Tab(address)
        with pytest.raises(ValueError, match="one person against a strategy"):
            tab.ask("take back")
        tab.close()


def test_a_graph_that_the_page_cannot_hold_is_refused_with_what_to_do(server: str) -> None:
    planets = [{"id": i, "habitability": 5, "size": 20_000_000, "base": i, "x": i, "y": 0} for i in (1, 2)]
    graph = {"name": "large", "planets": planets, "edges": [{"a": 1, "b": 2, "weight": 1000}]}
    found = post(server, "/game", {**wanted("you", SEARCHING), "from": {"graph": graph}})
    assert found == {
        "error": "the graph is too large for the page: play it in the terminal (planetwars play --terminal)"
    }
