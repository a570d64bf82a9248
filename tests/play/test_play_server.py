"""The server of the play page: games, tabs, handovers and replays, without a browser."""

from __future__ import annotations

import random
import socket
from pathlib import Path
from urllib.parse import urlsplit

from planetwars_env.play.server import running
from support.play_client import Tab, get, load_replay, opening, play_randomly


def test_the_page_offers_everything_that_can_be_chosen(server: str) -> None:
    status, page = get(server, "/")
    assert status == 200
    for name in ("ai3", "rings", "test", "SPACE_EXPLORERS"):
        assert f'"{name}"' in page
    assert f"connect-src 'self' ws://{urlsplit(server).netloc}; " in page


def test_two_people_cannot_move_or_look_before_they_have_taken_over() -> None:
    with running(opening("you", "you")) as address:
        tab = Tab(address)
        assert (tab.now["handover"], tab.now["yours"], tab.now["state"]) == (1, False, None)
        tab.act("order", moves=[[1, 2, 1]])
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
        assert tab.now["over"] and "'self' is not a player" in tab.now["status"]
        tab.say("new", players=["you", "ai1"], graph="k4", rules="PLANETWARS", seed=1, max_turns=None, start=None)
        assert tab.hear("state", lambda now: not now["over"])["yours"]
        tab.close()


def test_what_was_meant_for_an_older_turn_is_refused(tab: Tab) -> None:
    tab.end_turn()
    tab.say("end", turn=1)
    assert "not 1" in tab.hear("error")["text"]


def test_the_replay_of_a_finished_game_is_true_and_that_of_a_running_one_is_kept_back(
    server: str, tab: Tab, tmp_path: Path
) -> None:
    assert get(server, f"/replays/{tab.key}.json")[0] == 409
    assert get(server, "/replays/nobody.json")[0] == 404
    play_randomly(tab, random.Random(3))
    replay = load_replay(server, tab, tmp_path)
    assert replay.players == ("human", "random") and replay.turns == tab.now["turn"]
    assert "<canvas" in get(server, f"/replays/{tab.key}.html")[1]


def test_two_tabs_have_a_game_each_and_two_of_one_key_share_it(server: str, tab: Tab) -> None:
    other, twin = Tab(server), Tab(server, tab.key)
    assert other.key != tab.key == twin.key
    tab.act("order", moves=[[1, 2, 1]])
    assert twin.hear("state")["orders"] == [[1, 2, 1]]
    other.act("undo", order=-1)
    assert "no move" in other.hear("error")["text"]
    other.close()
    twin.close()


def test_a_tab_that_was_closed_or_torn_away_finds_its_game_again(server: str) -> None:
    tab = Tab(server)
    tab.end_turn()
    tab.close()
    again = Tab(server, tab.key)
    assert again.now["turn"] >= 2
    again.wait_for_turn()
    again.act("end")
    again.socket.socket.shutdown(socket.SHUT_RDWR)
    third = Tab(server, tab.key)
    assert third.wait_for(lambda now: now["yours"] and now["turn"] >= 3)
    third.close()


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
