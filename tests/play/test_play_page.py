"""The page to play on, driven in a real browser: by mouse and by keyboard, to the end of a game and its replay."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import planetwars_env as pw
from planetwars_env.graphs.dot import write_dot
from planetwars_env.graphs.graph import Edge, Graph, Planet
from planetwars_env.play.server import running
from planetwars_env.replay import Replay
from support.browser import needs_browser, started
from support.play_page import click, end_turn, opened, opening, orders, shown, wait

pytestmark = needs_browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with started() as browser:
        yield browser


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Against ``noop``: what becomes of a game is the page's doing alone."""
    with running(opening("you", "noop", "line")) as address:
        yield address


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    with opened(browser, address) as page:
        yield page


def test_the_page_shows_the_first_turn_and_what_to_do(page: Any) -> None:
    assert page.title() == "you against noop on line, PLANETWARS"
    assert page.text_content("#status") == "your turn"
    assert page.text_content("#totals-2").replace("\xa0", " ") == "0 people, 0 planets in sight"
    assert "Drag from a planet of yours" in page.text_content("#log")
    assert page.is_disabled("#undo") and page.is_enabled("#end")


def test_a_move_by_mouse_goes_from_planet_to_planet(page: Any) -> None:
    click(page, 1)
    click(page, 2)
    assert page.text_content("#way") == "#1 → #2, 2 turns"
    page.click("#fractions button:last-child")
    assert page.text_content("#send") == "send 2"
    page.click("#send")
    wait(page, "page.now.orders.length === 1")
    assert orders(page) == [[1, 2, 2]]
    page.click("#undo")
    wait(page, "!page.now.orders.length")


def test_the_board_keeps_its_place_when_the_hand_opens(page: Any) -> None:
    before = page.locator("#canvas").bounding_box()
    click(page, 1)
    click(page, 2)
    assert page.is_visible("#send")
    assert page.locator("#canvas").bounding_box() == before


def test_clicking_the_destination_again_sends_and_clicking_beside_puts_back(page: Any) -> None:
    for planet in (1, 2, 2):
        click(page, planet)
    wait(page, "page.now.orders.length === 1")
    click(page, 1)
    box = page.locator("#canvas").bounding_box()
    page.mouse.click(box["x"] + 5, box["y"] + 5)
    assert page.evaluate("page.input.source") is None
    assert orders(page) == [[1, 2, 1]]


def test_after_a_send_the_origin_is_released_and_the_next_click_begins_a_new_move(browser: Any, tmp_path: Path) -> None:
    """Two planets of one's own beside each other: the click after a send picks the second one, and orders nothing."""
    planets = [Planet(1, 100, 200, 0, 0, 1), Planet(2, 100, 200, 1, 0), Planet(3, 1, 5, 2, 0, 2)]
    board = tmp_path / "three.dot"
    board.write_text(write_dot(Graph("three", planets, [Edge(1, 2, 1), Edge(2, 3, 1)])))
    with running(opening("you", "noop", str(board))) as address, opened(browser, address) as page:
        click(page, 1)
        click(page, 2)
        page.click("#send")
        end_turn(page)
        for planet in (1, 2):
            click(page, planet)
        page.click("#send")
        wait(page, "page.now.orders.length === 1")
        assert page.evaluate("page.input.source") is None
        click(page, 2)
        assert page.evaluate("page.input.source") == 1
        assert page.evaluate("page.input.target") is None
        click(page, 3)
        click(page, 3)
        wait(page, "page.now.orders.length === 2")
        assert [order[:2] for order in orders(page)] == [[1, 2], [2, 3]]


def test_sending_everybody_says_so_before_and_shows_the_planet_as_nobodys_at_once(page: Any) -> None:
    click(page, 1)
    click(page, 2)
    assert "neutral" not in page.text_content("#log").split("To #2")[0]
    page.click("#fractions button:last-child")
    assert page.text_content("#log").startswith("Sending 2 makes #1 neutral. To #2")
    page.click("#send")
    wait(page, "page.now.orders.length === 1")
    assert shown(page)["state"]["planets"][0]["owner"] == 0
    assert page.text_content("#log") == "#1 will be neutral"
    assert page.text_content("#orders").startswith("2 from #1 to #2")
    assert "0\xa0planets" in page.text_content("#totals-1")
    page.keyboard.press("u")
    wait(page, "page.now.state.planets[0].owner === 1")


def test_giving_up_asks_twice_and_takes_the_question_back(page: Any) -> None:
    page.dblclick("#give-up")
    assert page.text_content("#give-up") == "really give up?"
    page.keyboard.press("ArrowRight")
    assert page.text_content("#give-up") == "give up"
    page.click("#give-up")
    click(page, 1)
    assert page.text_content("#give-up") == "give up"
    page.evaluate("TWICE.most = 100")
    page.click("#give-up")
    wait(page, "page.giveUp.button.textContent === 'give up'")
    page.evaluate("TWICE.most = 5000")
    assert not shown(page)["over"]
    page.click("#give-up")
    page.wait_for_timeout(500)
    page.click("#give-up")
    wait(page, "page.now.over")
    assert page.text_content("#status") == "you have given up"


def test_the_button_that_gives_up_stands_apart(page: Any) -> None:
    """Twice as far from its neighbour as any other two buttons, on a phone too."""
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(50)
        mine = page.locator("#give-up").bounding_box()
        for other in ("undo", "end", "new", "theme"):
            box = page.locator(f"#{other}").bounding_box()
            beside = max(box["x"] - mine["x"] - mine["width"], mine["x"] - box["x"] - box["width"])
            above = max(box["y"] - mine["y"] - mine["height"], mine["y"] - box["y"] - box["height"])
            assert max(beside, above) >= 24, other


def test_planets_that_cannot_send_are_told_of(page: Any) -> None:
    click(page, 2)
    assert "#2 is not yours" in page.text_content("#error")
    click(page, 1)
    click(page, 4)
    assert "no edge joins #1 and #4" in page.text_content("#error")


def test_the_slider_and_the_number_say_how_many(page: Any) -> None:
    for _ in range(6):
        end_turn(page)
    most = page.evaluate("page.now.state.planets[0].people[0]")
    assert most > 5
    click(page, 1)
    click(page, 2)
    page.fill("#slider", "3")
    assert page.text_content("#send") == "send 3"
    page.fill("#number", str(most + 50))
    assert page.text_content("#send") == f"send {most}"
    page.fill("#number", "2")
    page.keyboard.press("Enter")
    wait(page, "page.now.orders.length === 1")
    assert orders(page) == [[1, 2, 2]]


def test_several_moves_a_turn_by_keyboard_alone_and_undo(page: Any) -> None:
    for key in ("ArrowRight", "ArrowDown", "1", "Enter", "ArrowDown", "+", "Enter"):
        page.keyboard.press(key)
        page.wait_for_timeout(60)
    wait(page, "page.now.orders.length === 2")
    assert orders(page) == [[1, 2, 1], [1, 2, 1]]
    assert [row.split("×")[0] for row in page.locator("#orders li").all_text_contents()] == ["1 from #1 to #2"] * 2
    page.keyboard.press("u")
    wait(page, "page.now.orders.length === 1")
    end_turn(page)
    assert shown(page)["turn"] == 3
    assert shown(page)["state"]["planets"][1]["owner"] == 1
    assert page.text_content("#events") == "turn 3 you have taken #2"


def test_a_game_is_won_by_keyboard_saved_and_true_when_it_is_run_again(browser: Any, tmp_path: Path) -> None:
    """Against nobody who moves, on a small planet at the end of the way."""
    planets = [Planet(1, 20, 200, 0, 0, 1), Planet(2, 20, 50, 1, 0), Planet(3, 1, 5, 2, 0, 2)]
    board = tmp_path / "way.dot"
    board.write_text(write_dot(Graph("way", planets, [Edge(1, 2, 2), Edge(2, 3, 1)])))
    with running(opening("you", "noop", str(board))) as address, opened(browser, address) as page:
        messages: list[dict[str, Any]] = []
        page.on("websocket", lambda socket: socket.on("framereceived", lambda text: messages.append(json.loads(text))))
        page.reload()
        page.locator("#turn", has_text="turn").wait_for()
        for _ in range(10):
            end_turn(page)
        while not shown(page)["over"]:
            _march(page)
            end_turn(page)
        assert page.text_content("#status") == "you have won"
        assert "The fog is gone" in page.text_content("#log")
        replay = _saved(page, tmp_path / "game.json")
        _nothing_hidden(messages, replay)
        with page.expect_download() as download:
            page.click("#save-page")
        download.value.save_as(tmp_path / "game.html")
    _plays(browser, tmp_path / "game.html", replay)


def _march(page: Any) -> None:
    """Everybody one planet on, by keyboard: the last neighbour is the one further on."""
    while page.evaluate("page.input.own.length"):
        before = len(orders(page))
        for key in ("Escape", "ArrowRight", "ArrowUp", "5", "Enter"):
            page.keyboard.press(key)
        wait(page, f"page.now.orders.length === {before + 1}")


def _saved(page: Any, path: Path) -> Replay:
    with page.expect_download() as download:
        page.keyboard.press("s")
    assert download.value.suggested_filename == "human-against-noop-on-way.json"
    download.value.save_as(path)
    replay = Replay.load(path, verify=True)
    assert (replay.winner, replay.turns) == (1, shown(page)["turn"])
    return replay


def _nothing_hidden(messages: list[dict[str, Any]], replay: Replay) -> None:
    """Every state before the end holds what player 1 sees and no more."""
    views = {game.turn: game.view(1) for game in replay.games() if not game.over}
    states = [message for message in messages if message["kind"] == "state" and not message["over"]]
    assert {message["turn"] for message in states} == views.keys()
    for message in states:
        for planet, told in zip(views[message["turn"]].planets, message["state"]["planets"], strict=True):
            assert told["visible"] == planet.visible
            if not planet.visible:
                assert {value for key, value in told.items() if key != "visible"} == {None}


def _plays(browser: Any, path: Path, replay: Replay) -> None:
    page = browser.new_page()
    page.goto(path.as_uri())
    assert page.text_content("#turn") == f"turn 1 of {replay.turns}"
    page.close()


def test_a_page_that_is_loaded_anew_goes_on_with_its_game_and_a_new_tab_begins_one(page: Any, address: str) -> None:
    end_turn(page)
    page.reload()
    wait(page, "page.now?.turn === 3")
    other = page.context.new_page()
    other.goto(address)
    wait(other, "page.now?.turn === 1")
    other.close()
    assert shown(page)["turn"] == 3


def test_a_new_game_is_put_together_in_the_dialog(page: Any) -> None:
    page.keyboard.press("n")
    page.select_option("#player-2", "other…")
    page.fill("#file-2", "nobody.py")
    page.click("#setup-start")
    wait(page, "document.getElementById('setup-error').textContent !== ''")
    assert "nobody.py does not exist" in page.text_content("#setup-error")
    page.select_option("#player-2", "random")
    page.select_option("#graph", "test")
    page.fill("#graph-number", "17")
    page.select_option("#rules", "SPACE_EXPLORERS")
    page.keyboard.press("Enter")
    wait(page, "page.game.graph.name === 'test/17'")
    assert page.is_hidden("#setup")
    assert page.title() == "you against random on test/17, SPACE_EXPLORERS"


@pytest.mark.parametrize("key", ["Space", "Enter"])
def test_after_start_the_board_has_the_focus_and_no_key_opens_the_dialog_again(page: Any, key: str) -> None:
    page.click("#new")
    page.select_option("#graph", "rings")
    page.click("#setup-start")
    wait(page, "page.game.graph.name === 'rings' && page.now")
    assert page.evaluate("document.activeElement.id") == "canvas"
    page.keyboard.press(key)
    assert page.is_hidden("#setup")


def test_a_button_that_was_clicked_is_not_pressed_again_by_the_keys_of_the_board(page: Any) -> None:
    """Enter sends, though the number of people was chosen by the mouse."""
    click(page, 1)
    click(page, 2)
    page.click("#fractions button:last-child")
    page.keyboard.press("Enter")
    wait(page, "page.now.orders.length === 1")


def test_the_events_of_two_bots_begin_with_the_newest_turn(browser: Any) -> None:
    with running(opening("ai1", "ai2", "rings")) as address, opened(browser, address) as page:
        wait(page, "page.now.turn > 40 || page.now.over")
        page.keyboard.press("p")
        wait(page, "page.now.paused || page.now.over")
        turns = _turns_told(page)
        assert len(turns) > 1
        assert turns == sorted(turns, reverse=True)
        last = _step_until_news(page, turns[0])
        assert last > turns[0]


def _turns_told(page: Any) -> list[int]:
    return [int(title.removeprefix("turn ")) for title in page.locator("#events b").all_text_contents()]


def _step_until_news(page: Any, newest: int) -> int:
    """The turn that the event line begins with, once it has changed."""
    for _ in range(60):
        turn = shown(page)["turn"]
        page.keyboard.press("ArrowRight")
        wait(page, f"page.now.turn > {turn} || page.now.over")
        assert not shown(page)["over"]
        first = _turns_told(page)[0]
        if first != newest:
            assert first == shown(page)["turn"]
            return first
    raise AssertionError("nothing has changed hands")


def test_two_strategies_are_watched_paused_stepped_and_seen_through_either_fog(browser: Any) -> None:
    with running(opening("ai1", "random", "rings")) as address, opened(browser, address) as page:
        page.keyboard.press("p")
        wait(page, "page.now.paused")
        page.wait_for_timeout(100)
        turn = shown(page)["turn"]
        page.keyboard.press("ArrowRight")
        wait(page, f"page.now.turn === {turn + 1}")
        page.keyboard.press("f")
        wait(page, "page.now.viewer === 1")
        assert not all(planet["visible"] for planet in shown(page)["state"]["planets"])
        page.select_option("#speed", "16")
        page.click("#pause")
        wait(page, f"page.now.turn > {turn + 4} && page.now.speed === 16")


def test_earlier_turns_are_looked_at_while_the_game_goes_on(browser: Any) -> None:
    with running(opening("ai1", "ai2", "rings")) as address, opened(browser, address) as page:
        wait(page, "page.now.turn > 20")
        page.fill("#scrubber", "5")
        wait(page, "page.look.past?.turn === 5")
        assert page.text_content("#turn").startswith("turn 5 of")
        assert page.text_content("#status").startswith("looking back; now: turn ")
        turn = shown(page)["turn"]
        wait(page, f"page.now.turn > {turn} || page.now.over")
        assert page.evaluate("page.drawing.state.turn") == 5
        page.locator("#canvas").focus()
        page.keyboard.press("ArrowLeft")
        wait(page, "page.drawing.state.turn === 4")
        page.keyboard.press("f")
        wait(page, "page.look.past.viewer === 1 && page.drawing.state.planets.some(({ visible }) => !visible)")
        page.keyboard.press("Escape")
        wait(page, "page.drawing.state.turn === page.now.turn")


def test_a_game_that_is_over_is_watched_again_in_its_place(page: Any) -> None:
    for _ in range(4):
        end_turn(page)
    assert page.is_hidden("#scrubber")
    page.click("#give-up")
    page.wait_for_timeout(500)
    page.click("#give-up")
    wait(page, "page.now.over")
    assert page.evaluate("document.activeElement.id") == "canvas"
    page.keyboard.press(" ")
    wait(page, "page.drawing.state.turn === 3")
    wait(page, "page.look.past === null")


def test_only_keys_that_do_something_are_shown(page: Any) -> None:
    def keys() -> str:
        return page.text_content("#keys")

    assert "send" not in keys() and "undo" not in keys() and "cancel" not in keys()
    click(page, 1)
    click(page, 2)
    assert "Enter" in keys() and "Esc" in keys()
    page.keyboard.press("Enter")
    wait(page, "page.now.orders.length === 1")
    assert "undo" in keys() and "how many" not in keys()


def test_between_two_people_a_handover_hides_everything(browser: Any) -> None:
    with running(opening("you", "you", "rings")) as address, opened(browser, address) as page:
        assert "player 1's turn" in page.text_content("#handover-text")
        page.keyboard.press("e")
        page.keyboard.press("Enter")
        wait(page, "page.now.yours")
        assert page.is_hidden("#handover")
        pixels = (
            "[...page.drawing.context.getImageData(0, 0, page.drawing.canvas.width, 300).data].some((value) => value)"
        )
        assert page.evaluate(pixels)
        page.keyboard.press("e")
        wait(page, "page.now.handover === 2")
        assert page.is_visible("#handover")
        assert not page.evaluate(pixels)
        assert shown(page)["state"] is None and page.text_content("#totals-1") == ""
        assert page.locator("#planets tr").count() == 0 and page.is_hidden("#events-box")


def test_two_people_at_one_page_each_read_the_news_of_the_others_turn(browser: Any, tmp_path: Path) -> None:
    planets = [Planet(1, 20, 200, 0, 0, 1), Planet(2, 20, 50, 1, 0), Planet(3, 20, 200, 2, 0, 2)]
    board = tmp_path / "way.dot"
    board.write_text(write_dot(Graph("way", planets, [Edge(1, 2, 1), Edge(2, 3, 1)])))
    with running(opening("you", "you", str(board))) as address, opened(browser, address) as page:
        for player in (1, 2, 1):
            page.click("#ready")
            wait(page, f"page.now.yours && page.now.player === {player}")
            if player == 2:
                click(page, 3)
                click(page, 2)
                page.click("#send")
                wait(page, "page.now.orders.length === 1")
            if shown(page)["turn"] == 3:
                assert page.text_content("#events") == "turn 3 player 2 has taken #2"
                break
            page.keyboard.press("e")
            wait(page, f"page.now.handover === {3 - player}")


def test_fingers_are_enough(browser: Any, address: str) -> None:
    with opened(browser, address, has_touch=True) as page:
        page.set_viewport_size({"width": 390, "height": 844})
        page.wait_for_timeout(100)
        for planet in (0, 1):
            place = page.evaluate(f"page.drawing.placeOf({planet})")
            page.touchscreen.tap(place["x"], place["y"])
        page.tap("#send")
        wait(page, "page.now.orders.length === 1")


def test_everything_that_fingers_touch_is_44_pixels_high(browser: Any, address: str) -> None:
    with opened(browser, address, has_touch=True, is_mobile=True) as page:
        page.set_viewport_size({"width": 390, "height": 844})
        page.wait_for_timeout(200)
        for planet in (0, 1):
            place = page.evaluate(f"page.drawing.placeOf({planet})")
            page.touchscreen.tap(place["x"], place["y"])
        page.tap("#send")
        wait(page, "page.now.orders.length === 1")
        for button in page.locator("button:visible, select:visible, input:visible").all():
            assert button.bounding_box()["height"] >= 44, button.evaluate("element => element.outerHTML")


def test_the_theme_is_remembered(page: Any) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(ground)
    page.keyboard.press("t")
    after = page.evaluate(ground)
    assert after != before
    page.reload()
    wait(page, "page.now")
    assert page.evaluate(ground) == after


def test_readers_of_the_screen_have_a_table_of_the_board(page: Any) -> None:
    rows = page.locator("#planets tr").all_text_contents()
    assert len(rows) == 6 and rows[1].startswith("#1you2") and rows[5].startswith("#5hidden")


def test_agents_that_never_learned_the_rules_are_marked_in_the_dialog(page: Any) -> None:
    page.keyboard.press("n")
    option = page.locator("#player-2 option[value=graph-halfstep]")
    assert option.text_content() == "graph-halfstep (learned PLANETWARS_HALF_STEP only)"
    page.select_option("#rules", "PLANETWARS_HALF_STEP")
    assert option.text_content() == "graph-halfstep"


@pytest.mark.parametrize(("width", "height"), [(360, 640), (390, 844), (844, 390), (1920, 1080)])
def test_everything_fits_phones_and_desktops(page: Any, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_timeout(50)
    click(page, 1)
    click(page, 2)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for part in ("slider", "number", "send", "undo", "end", "speed", "new", "theme"):
        box = page.locator(f"#{part}").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
    assert page.locator("#canvas").bounding_box()["height"] >= 150


FAILING = """
import planetwars_env as pw

class Failing(pw.Strategy):
    def take_turn(self, view):
        print("turn", view.turn)
        self.mark(view.owned_by(view.player)[0], "home")
        self.say("hello")
        return [self.missing] if view.turn > 3 else []
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="strategies are isolated on systems that fork")
def test_a_strategy_that_fails_is_told_at_once_with_its_lines_and_who_has_won(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "failing.py").write_text(FAILING)
    with running(opening(str(tmp_path / "failing.py"), "noop", "line")) as address, opened(browser, address) as page:
        wait(page, "page.now.over")
        assert page.text_content("#status") == "noop has won"
        assert "noop has won: Failing forfeited on turn 9 (exception)" in page.text_content("#log")
        first = page.locator("#console pre.fault").last
        assert first.text_content().startswith("fault 1 of 3, on turn 5: exception\nTraceback")
        assert "failing.py" in first.text_content() and "AttributeError" in first.text_content()
        assert "mono" in first.evaluate("element => getComputedStyle(element).fontFamily")
        assert "“hello”" in page.text_content("#console")
        assert [mark["text"] for mark in shown(page)["state"]["marks"]] == ["home"]
        page.check("#keep-console")
        with page.expect_download() as download:
            page.click("#save-page")
        download.value.save_as(tmp_path / "game.html")
    page = browser.new_page()
    page.goto((tmp_path / "game.html").as_uri())
    assert page.is_visible("#aside") and page.locator("#console li").count() == 1
    assert [mark["text"] for mark in page.evaluate("page.state.marks")] == ["home"]
    page.keyboard.press("End")
    assert page.text_content("#state").startswith("noop (player 2) wins: Failing (player 1) forfeited on turn 9")
    page.close()


@pytest.fixture
def newcomer(browser: Any, address: str) -> Iterator[Any]:
    with opened(browser, address, newcomer=True) as page:
        yield page


def test_a_first_visitor_sees_the_legend_and_closes_it_for_good(newcomer: Any) -> None:
    page = newcomer
    assert "take every planet" in page.text_content("#legend-goal")
    assert page.is_visible("#legend")
    page.click("#legend-close")
    page.reload()
    wait(page, "page.now")
    assert page.is_hidden("#legend")
    page.keyboard.press("?")
    assert page.is_visible("#legend")
    page.keyboard.press("?")
    assert page.is_hidden("#legend")


def test_the_rules_are_a_page_of_the_same_server(newcomer: Any) -> None:
    page = newcomer
    with page.context.expect_page() as opened_page:
        page.click("#legend a")
    rules = opened_page.value
    assert "Defenders count a tenth more" in rules.text_content("main")
    rules.close()


def test_a_guided_first_game_gives_advice_for_five_turns(newcomer: Any) -> None:
    page = newcomer
    page.click("#legend-guide")
    wait(page, "page.game.players[1] === 'random' && page.now?.yours")
    assert page.text_content("#guide-text").startswith("1 of 5: Your base has 2 people. Drag")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.text_content("#guide-text").startswith("1 of 5: Choose how many")
    page.keyboard.press("Enter")
    wait(page, "page.now.orders.length === 1")
    assert page.text_content("#guide-text").startswith("1 of 5: The shuttle leaves")
    for number in range(2, 6):
        end_turn(page)
        assert page.text_content("#guide-text").startswith(f"{number} of 5: ")
    end_turn(page)
    assert page.is_hidden("#guide")


def test_after_a_game_the_panel_offers_what_to_play_next(page: Any) -> None:
    for _ in range(3):
        end_turn(page)
    _give_up(page)
    assert page.text_content("#result-who") == "noop has won"
    assert page.text_content("#result-how").startswith("you have given up, on turn 7.")
    box = page.locator("#result canvas").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
    wait(page, "page.look.past?.turn === 4")
    page.click("#result-sides")
    wait(page, "page.game.players[1] === 'you' && page.now?.yours")
    assert page.is_hidden("#result")
    _give_up(page)
    assert "After 2 games: noop 2, you 0." in page.text_content("#result-how")
    assert page.text_content("#result-next") == "against random"
    page.click("#result-next")
    wait(page, "page.game.players[0] === 'random' && page.now?.yours")


def _give_up(page: Any) -> None:
    page.click("#give-up")
    page.wait_for_timeout(500)
    page.click("#give-up")
    wait(page, "page.now.over")


def test_a_turn_is_taken_back_and_a_hint_is_given(page: Any) -> None:
    pw.play_match("planner", "noop", "line", max_turns=1)  # compiles it, which may take longer than a page waits here
    click(page, 1)
    click(page, 2)
    page.keyboard.press("Enter")
    wait(page, "page.now.orders.length === 1")
    end_turn(page)
    page.keyboard.press("b")
    wait(page, "page.now?.turn === 1 && page.now.yours")
    assert orders(page) == [] and page.is_disabled("#take-back")
    page.keyboard.press("h")
    wait(page, "document.getElementById('log').textContent.startsWith('The planner would send')")


def test_a_game_between_bots_is_played_on_by_a_person_from_any_turn(browser: Any) -> None:
    with running(opening("ai1", "ai2", "rings")) as address, opened(browser, address) as page:
        wait(page, "page.now.turn > 20")
        page.keyboard.press("p")
        page.fill("#scrubber", "15")
        wait(page, "page.look.past?.turn === 15")
        people = page.evaluate("page.look.past.state.planets.map(({ people }) => people)")
        page.click("#play-on")
        assert page.text_content("#setup-title") == "Play on from turn 15"
        assert page.is_hidden("#graph")
        page.select_option("#player-1", "you")
        page.click("#setup-start")
        wait(page, "page.now?.yours && page.now.turn === 15")
        assert page.text_content("#name-1") == "you"
        for planet, there in zip(shown(page)["state"]["planets"], people, strict=True):
            assert planet["people"] in (None, there)
        end_turn(page)
        _give_up(page)
        assert page.evaluate("page.now.totals.length") == shown(page)["turn"]
