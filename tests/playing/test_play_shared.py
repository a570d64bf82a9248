"""A game that two people share from machines of their own: links that work once, and each side's own view."""

import json
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
import uvicorn
from websockets.exceptions import InvalidStatus

from planetwars_env.game import Game
from planetwars_env.playing.links import player_links
from planetwars_env.playing.server import reachable_at, running
from planetwars_env.view import Move
from support.browser import needs_browser
from support.command_line import run
from support.play_client import Tab, fetch, opening, wanted
from support.play_page import choose, give_up, opened, wait

HERE, THERE = "127.0.0.1", "127.0.0.2"
"""Two addresses of this machine, for two browsers."""


@contextmanager
def shared(graph: str = "rings", second: str = "you", turns: int = 40) -> Iterator[list[str]]:
    """A server for all addresses of this machine, and the link of every person, at another one each."""
    setup = opening("you", second, graph, turns=turns)
    links = player_links(setup.setup.persons)
    with running(setup, links, "0.0.0.0") as address:
        port = int(urlsplit(address).port or 0)
        yield [link.address(host, port) for link, host in zip(links, (HERE, THERE), strict=False)]


def person(link: str) -> Tab:
    """The page of a person who opens the link first."""
    return Tab(link, cookie=fetch(link)[2].partition(";")[0])


def test_a_link_works_in_the_page_that_connects_first_and_its_cookie_goes_on_working() -> None:
    """Previews of it, as chats make them, work no longer."""
    with shared() as (one, two):
        assert fetch(one, method="HEAD")[0] == 403
        assert fetch(one, "/rules?" + urlsplit(one).query)[0] == 403
        status, page, cookie = fetch(one)
        assert status == 200 and "<canvas" in page
        assert "HttpOnly" in cookie and "SameSite=strict" in cookie
        held = cookie.partition(";")[0]
        for path in ("/editor", "/editor/load?graph=rings", "/editor/load?graph=/etc/passwd"):
            assert fetch(one, path, Cookie=held)[0] == 404
        assert fetch(one, "/", Cookie=held)[2].partition(";")[0] == held
        Tab(one, cookie=held).close()
        token = urlsplit(one).query.removeprefix("token=")
        assert token not in cookie and token not in page
        assert fetch(one)[0] == 403 and "ask whoever started the game" in fetch(one)[1]
        assert fetch(one, Cookie=held)[0] == fetch(one, "/", Cookie=held)[0] == 200
        status, text, _ = fetch(f"http://{urlsplit(one).netloc}/?token=guess")
        assert status == 403 and "whole link" in text and "<a" not in text
        assert fetch(one, "/", Cookie=held.partition("=")[0] + "=" + token)[0] == 403
        status, text, _ = fetch(f"http://{urlsplit(one).netloc}/?{urlsplit(two).query}", Cookie=held)
        assert status == 403 and "plays player 1 already" in text
        preview = fetch(two)[2].partition(";")[0]  # of a chat, which reads the page and runs nothing
        assert person(two).player == 2
        assert fetch(two)[0] == fetch(two, "/", Cookie=preview)[0] == 403
        with pytest.raises(InvalidStatus, match="403"):
            Tab(two, cookie=preview)


def test_only_the_address_at_which_a_request_arrives_is_its_host() -> None:
    with shared() as (one, two):
        port = urlsplit(one).port
        cookie = fetch(one)[2].partition(";")[0]
        for host in (f"{THERE}:{port}", f"0.0.0.0:{port}", "evil.example", f"evil.example:{port}", f"{HERE}:1", HERE):
            assert fetch(one, "/", Cookie=cookie, Host=host)[0] == 403
        assert fetch(two, Host=f"localhost:{port}")[0] == 403
        assert fetch(two, Origin=f"http://{HERE}:{port}")[0] == 403
        assert fetch(two, Origin=f"http://{THERE}:{port}")[0] == 200


def test_each_sees_its_own_side_alone_and_moves_on_its_own_turns() -> None:
    with shared() as links:
        first, second = map(person, links)
        assert [(tab.game["you"], tab.player, *tab.game["views"]) for tab in (first, second)] == [
            (1, 1, "1"),
            (2, 2, "2"),
        ]
        chance = random.Random(5)
        twin = Game(opening().setup.graph)
        for turn in range(1, 31):
            mover, other = (first, second) if turn % 2 else (second, first)
            for tab in (first, second):
                tab.wait_for(lambda now, turn=turn: now["turn"] == turn)
            edges = chance.sample(first.game["setup"]["graph"]["edges"], 3)
            moves = [move for edge in edges for move in ((edge["a"], edge["b"], 1), (edge["b"], edge["a"], 1))]
            with pytest.raises(ValueError, match="it is the turn of"):
                other.ask("play", turn=turn, moves=moves)
            mover.play(moves)
            twin.play([Move(*move) for move in moves])
        for tab, player in ((first, 1), (second, 2)):
            tab.wait_for(lambda now: now["turn"] == 31)
            assert len(tab.turns) == 30 and tab.view == json.loads(json.dumps(_view(twin, player)))
            assert all((told["moves"] is None) == (told["player"] != player) for told in tab.turns)
            # What the opponent asks or orders is not noticed: on its turns there is one message.
            waiting = [told["status"]["turn"] for told in tab.told if told.get("kind") in ("turn", "status")]
            assert len([turn for turn in waiting if turn > 2]) == 29
        for tab in (first, second):
            tab.close()


def _view(game: Game, player: int) -> dict[str, Any]:
    return {key: value for key, value in game.view(player).to_dict().items() if key != "edges"}


def test_who_leaves_and_comes_back_goes_on_and_the_other_one_is_told() -> None:
    with shared() as (one, two):
        first = person(one)
        assert first.now["note"] == "player 2: not here yet, or away"
        cookie = fetch(two)[2].partition(";")[0]
        second = Tab(two, cookie=cookie)
        first.wait_for(lambda now: not now["note"])
        first.play()
        second.wait_for(lambda _: second.yours)
        second.close()
        first.wait_for(lambda now: now["note"])
        again = Tab(two, cookie=cookie)
        assert again.yours and again.now["turn"] == 2 and len(again.turns) == 1
        again.ask("give up")
        assert first.wait_for(lambda now: now["over"])["said"] == "player 2 has given up"
        assert first.now["gave_up"] == 2
        whole = next(told["whole"] for told in first.told if told.get("whole"))
        assert whole["moves"] == [[]] and all("size" in planet for planet in whole["graph"]["planets"])
        first.close()
        again.close()


def test_a_shared_game_names_no_files_of_the_server_and_keeps_its_players() -> None:
    with shared() as links:
        cookies = [fetch(link)[2].partition(";")[0] for link in links]
        first, second = (Tab(link, cookie=cookie) for link, cookie in zip(links, cookies, strict=True))

        def new(**more: Any) -> dict[str, Any]:
            asked = {**wanted("you", "you", max_turns=9), **more}
            return json.loads(fetch(links[1], "/game", asked, Cookie=cookies[1])[1])

        assert "the game is not over" in new()["error"]
        first.ask("give up")
        for wrong in (
            {"players": ["you", "ai1"]},
            {"players": ["/etc/passwd", "you"]},
            {"graph": "/etc/passwd"},
            {"graph": "test/../x.dot"},
            {"graph": "rings/x.dot"},
            {"graph": ""},
            {"from": {"graph": {}}},
        ):
            assert re.search("players of a shared game|no graph .* among the shipped", new(**wrong)["error"]), wrong
        assert new() == {"session": first.key}
        assert first.hear("game")["setup"]["graph"]["name"] == "k4"
        assert first.yours
        assert fetch(links[0], "/editor/check", {}, Cookie=cookies[0])[0] == 404
        first.close()
        second.close()


def test_a_game_of_strategies_is_not_shared_and_the_command_says_what_it_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uvicorn.Server, "run", lambda *_, **__: None)
    said = run("play", "--host", HERE)
    assert said.exit_code == 0, said.output
    assert f"open to the network at {HERE}, port " in said.output and "in the clear" in said.output
    assert len(set(re.findall(rf"player [12]: http://{re.escape(HERE)}:\d+/\?token=\S{{32}}", said.output))) == 2
    said = run("play", "--host", HERE, "--player", "ai1", "--against", "ai2")
    assert said.exit_code == 1 and "a game is shared by people" in said.output
    assert "open to the network" not in run("play", "--no-browser").output
    assert reachable_at(HERE) == HERE


@needs_browser
def test_two_people_play_in_two_browsers(browser: Any) -> None:
    with shared("line") as (one, two), opened(browser, one) as first, opened(browser, two) as second:
        assert "token" not in first.url and "token" not in second.url
        assert first.text_content("#name-1") == "you, player 1" and second.text_content("#name-2") == "you, player 2"
        wait(first, "!page.now.note")
        assert first.is_hidden("#handover") and second.is_hidden("#handover")
        assert first.text_content("#status") == "your turn" and second.is_disabled("#end")
        assert [first.evaluate("page.now.viewer"), second.evaluate("page.now.viewer")] == [1, 2]
        assert second.evaluate("page.now.state.planets[0].people") is None
        first.keyboard.press("e")
        wait(second, "page.now.yours")
        second.reload()
        second.locator("#status", has_text="your turn").wait_for()
        second.keyboard.press("e")
        wait(first, "page.now.yours && page.now.turn === 3")
        end = first.context.browser.new_context()
        late = end.new_page()
        late.goto(one)
        assert "This link was opened already" in late.text_content("p")
        late.click("a")
        assert "whole link" in late.text_content("p")
        end.close()
        assert first.is_hidden("#new")
        give_up(first)
        wait(second, "page.now.over")
        assert second.is_hidden("#result-sides")
        choose(second, "#new")
        assert second.is_hidden("#player-1") and second.locator("#graph option", has_text=".dot").count() == 0
        second.click("#setup-start")
        wait(first, "page.now && !page.now.over && page.now.turn === 1")
