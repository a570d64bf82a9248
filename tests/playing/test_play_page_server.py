"""The page and its server in a real browser: what each plays, reloads, links, and a server that ends."""

from base64 import b64encode
from pathlib import Path
from typing import Any

from planetwars_env.playing.server import running
from support.browser import needs_browser
from support.paths import TALKER
from support.play_client import opening, wanted
from support.play_page import click, end_turn, on_disk, opened, orders, shown, wait
from support.strategy_files import needs_fork

pytestmark = needs_browser

NEEDS = "needs the program: pip install planetwars-env, then planetwars play"
GONE = "The server does not answer. If it has ended, start it again (planetwars play)"


def begin(page: Any, first: str, second: str, graph: str = "rings") -> None:
    """A new game, as the dialog asks for it."""
    page.evaluate("asked => page.connection.begin(asked)", wanted(first, second, graph))


def told(page: Any, text: str) -> None:
    page.locator("#error", has_text=text).wait_for()


def test_a_game_in_the_page_asks_nobody_on_a_turn_has_the_rules_of_its_server_and_outlives_it(browser: Any) -> None:
    asked: list[str] = []
    with running(opening("you", "ai1", "rings")) as address:
        opening_page = opened(browser, address)
        page = opening_page.__enter__()
        page.on("request", lambda request: asked.append(request.url))
        page.on("websocket", lambda socket: asked.append(socket.url))
        for _ in range(3):
            end_turn(page)
        assert asked == []
        page.keyboard.press("?")
        with page.context.expect_page() as opened_page:
            page.click("#legend a")
        assert "Defenders count a tenth more" in opened_page.value.text_content("main")
        opened_page.value.close()
    end_turn(page)
    begin(page, "you", "mine.py")
    told(page, GONE)
    begin(page, "you", "ai2", "k4")
    wait(page, "page.game.graph.name === 'k4' && page.now?.yours")
    end_turn(page)
    page.context.close()
    assert len(asked) == 1


def test_a_page_without_a_server_says_what_it_cannot_do_and_how_to_get_it(browser: Any, tmp_path: Path) -> None:
    with on_disk(opening("you", "noop", "line")) as address:
        file = Path(address.removeprefix("file://"))
        file.write_text(file.read_text().replace('"server":true', '"server":false'))
        with opened(browser, address) as page:
            begin(page, "you", "mine.py")
            told(page, f"this page has no player mine.py: that {NEEDS}")
            begin(page, "you", "ai1", "test/3")
            told(page, f"this page has no graph test/3: that {NEEDS}")


def test_a_game_goes_on_after_a_reload_is_opened_elsewhere_by_its_address_and_a_long_one_is_kept_by_its_tab(
    page: Any, address: str
) -> None:
    end_turn(page)
    page.reload()
    wait(page, "page.now?.turn === 3")
    click(page, 1)
    click(page, 2)
    page.keyboard.press("Enter")
    wait(page, "page.now.orders.length === 1 && location.hash.length > 100")
    page.wait_for_timeout(400)
    for link, turn in ((address, 1), (page.url, 3)):
        other = page.context.new_page()
        other.goto(link)
        wait(other, f"page.now?.turn === {turn}")
    assert orders(other) == orders(page) and shown(other)["state"] == shown(page)["state"]
    page.evaluate("page.act((session) => session.order([[1, 2, 50]], true))")
    wait(page, "page.now.standing.length === 1")
    page.wait_for_timeout(400)
    long = {"graph": "line", "players": ["you", "noop"], "seed": 1, "max_turns": 9000, "moves": [[]] * 3000}
    page.evaluate("history.replaceState(null, '', location.pathname)")
    page.evaluate("game => sessionStorage.setItem('game', JSON.stringify(game))", long)
    page.reload()
    wait(page, "page.now?.turn === 3001")
    end_turn(page)
    page.wait_for_timeout(400)
    assert page.url.endswith("#game=")
    page.reload()
    wait(page, "page.now?.turn === 3003")


def test_a_link_to_a_game_that_cannot_be_is_told_of_and_the_first_game_begins(browser: Any, address: str) -> None:
    wrong = b64encode(b'{"graph": "line", "players": ["you", "noop"], "moves": [[[1, 2]]]}').decode()
    with opened(browser, f"{address}#game={wrong}") as page:
        told(page, "The game in the address cannot go on: the moves of turn 1 must be a list of")
        wait(page, "page.now?.turn === 1 && page.now.yours")
    with opened(browser, f"{address}#game={wrong[:40]}") as page:
        told(page, "The address holds no whole game: here is another one")
        wait(page, "page.now?.turn === 1 && page.now.yours")


@needs_fork
def test_a_game_against_a_strategy_goes_on_after_a_reload_and_tells_what_it_said_once_asked(browser: Any) -> None:
    with running(opening("you", str(TALKER), "line")) as address, opened(browser, address) as page:
        page.evaluate("page.act((session) => session.order([[1, 2, 50]], true))")
        wait(page, "page.now.standing.length === 1")
        for _ in range(2):
            end_turn(page)
        page.reload()
        wait(page, "page.now?.turn === 5 && page.now.standing.length === 1")
        assert len(orders(page)) == 1 and page.is_visible("#console-ask") and page.is_hidden("#console li")
        page.keyboard.press("b")
        wait(page, "page.now?.turn === 3 && page.now.yours")
        assert len(shown(page)["standing"]) == 1
        end_turn(page)
        page.click("#console-ask")
        page.locator("#console", has_text="“my turn 4”").wait_for()
        assert "home" in [mark["text"] for mark in shown(page)["state"]["marks"]]
        begin(page, "you", "ai1", "k4")
        wait(page, "page.game.graph.name === 'k4' && page.now?.yours")
        end_turn(page)


@needs_fork
def test_when_the_server_of_a_game_ends_the_page_says_what_to_do(browser: Any) -> None:
    game = opening("you", str(TALKER), "line")
    with running(game) as address:
        page = opened(browser, address).__enter__()
        end_turn(page)
    told(page, "The connection is lost. If the server has ended, start it again: planetwars play")
    page.keyboard.press("e")
    told(page, "There is no connection to the server.")
    with running(game, port=int(address.split(":")[2].split("/")[0])):
        told(page, "open the new link that it printed")
    page.context.close()
