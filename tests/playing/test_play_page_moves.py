"""Moves on the play page in a real browser: by mouse and by keyboard, to the end of a game and its replay."""

from pathlib import Path
from typing import Any

from planetwars_env.graphs.graph import Edge, Graph, Planet
from planetwars_env.playing.server import running
from planetwars_env.replay import Replay
from support.browser import needs_browser
from support.play_client import opening
from support.play_page import choose, click, end_turn, on_disk, opened, orders, shown, wait

pytestmark = needs_browser


def test_the_page_shows_the_first_turn_and_what_to_do(page: Any) -> None:
    assert page.title() == "you against noop on line, PLANETWARS"
    assert page.text_content("#status") == "your turn"
    assert page.text_content("#totals-2").replace("\xa0", " ") == "0 people, 0 planets in sight"
    assert page.is_disabled("#undo") and page.is_enabled("#end")
    rows = page.locator("#planets li").all_text_contents()  # for readers of the screen
    assert len(rows) == 5 and rows[0].startswith("#1 of yours; people: 2;") and rows[4].startswith("#5; hidden")
    said = page.inner_text(".aside")
    assert "take every planet" in said and "No orders yet." in said and "Nothing yet." in said
    for _ in range(3):
        assert page.inner_text("#log").startswith("Drag from a planet of yours")
        end_turn(page)
    assert page.inner_text("#log") == ""


def test_a_move_by_mouse_goes_from_planet_to_planet_while_the_board_keeps_its_place(page: Any) -> None:
    """A click on the destination again sends, and one beside everything puts the origin back."""
    before = page.locator("#canvas").bounding_box()
    click(page, 1)
    click(page, 2)
    assert page.is_visible("#send") and page.locator("#canvas").bounding_box() == before
    assert page.text_content("#way") == "#1 → #2, 2 turns"
    page.click("#fractions button:last-child")
    assert page.text_content("#send") == "send 2"
    page.click("#send")
    wait(page, "page.now.orders.length === 1")
    assert orders(page) == [[1, 2, 2]]
    page.click("#undo")
    wait(page, "!page.now.orders.length")
    for planet in (1, 2, 2):
        click(page, planet)
    wait(page, "page.now.orders.length === 1")
    click(page, 1)
    page.mouse.click(before["x"] + 5, before["y"] + 5)
    assert page.evaluate("page.input.source") is None
    assert orders(page) == [[1, 2, 1]]


def test_after_a_send_the_origin_is_released_and_the_next_click_begins_a_new_move(browser: Any) -> None:
    """Two planets of one's own beside each other: the click after a send picks the second one, and orders nothing."""
    planets = [Planet(1, 100, 200, 0, 0, 1), Planet(2, 100, 200, 1, 0), Planet(3, 1, 5, 2, 0, 2)]
    board = Graph("three", planets, [Edge(1, 2, 1), Edge(2, 3, 1)])
    with on_disk(opening("you", "noop", board)) as address, opened(browser, address) as page:
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


def test_while_aiming_the_page_says_what_the_move_leads_to_and_everybody_sent_leaves_the_planet_at_once(
    page: Any,
) -> None:
    click(page, 1)
    click(page, 2)
    wait(page, "page.outcome")
    assert page.text_content("#log") == "To #2 in 2 turns: nobody there; 1 takes it; your 1 makes it yours with 1."
    assert page.evaluate("[...document.querySelectorAll('#least option')].map(({ value }) => value)") == ["1"]
    page.click("#fractions button:last-child")
    wait(page, "page.outcome?.after[0] === 2")
    assert page.text_content("#log").startswith(
        "Sending 2 makes #1 neutral. To #2 in 2 turns: nobody there; 1 takes it; your 2"
    )
    page.keyboard.press("Enter")  # sends, though a button was clicked last
    wait(page, "page.now.orders.length === 1")
    assert shown(page)["state"]["planets"][0]["owner"] == 0
    assert page.text_content("#log") == "#1 will be neutral"
    assert page.text_content("#orders").startswith("2 from #1 to #2")
    assert "0\xa0planets" in page.text_content("#totals-1")
    page.keyboard.press("u")
    wait(page, "page.now.state.planets[0].owner === 1")


def test_giving_up_asks_once_more_and_takes_the_question_back(page: Any) -> None:
    page.click("#more")
    page.dblclick("#give-up")
    assert page.is_hidden("#sure")
    page.click("#give-up")
    assert "really give up?" in page.inner_text("#sure")
    page.keyboard.press("Escape")
    assert page.is_hidden("#sure") and page.is_visible("#give-up")
    page.click("#give-up")
    click(page, 1)
    assert page.is_hidden("#sure") and page.is_hidden("#menu") and not shown(page)["over"]
    choose(page, "#give-up")
    page.click("#really")
    wait(page, "page.now.over")
    assert page.is_hidden("#menu")
    assert page.text_content("#status") == "game over"
    assert page.text_content("#result-how").startswith("You have given up on turn 1.")


def test_the_button_that_gives_up_stands_apart(page: Any) -> None:
    """Twice as far from its neighbour as any other two buttons, on a phone too."""
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(50)
        page.click("#more")
        mine = page.locator("#give-up").bounding_box()
        for other in ("end", "more", "new", "theme"):
            box = page.locator(f"#{other}").bounding_box()
            beside = max(box["x"] - mine["x"] - mine["width"], mine["x"] - box["x"] - box["width"])
            above = max(box["y"] - mine["y"] - mine["height"], mine["y"] - box["y"] - box["height"])
            assert max(beside, above) >= 16, other
        page.keyboard.press("Escape")


def test_fractions_the_slider_and_the_number_say_how_many_and_every_origin_begins_with_half(page: Any) -> None:
    for _ in range(6):
        end_turn(page)
    most = page.evaluate("page.now.state.planets[0].people[0]")
    assert most > 5
    click(page, 1)
    click(page, 2)
    assert page.locator("#fractions button").all_text_contents()[-2:] == ["all − 1", "all"]
    page.click("#fractions button:nth-child(4)")
    assert page.evaluate("page.input.move()") == [1, 2, most - 1]
    page.keyboard.press("Escape")
    click(page, 1)
    click(page, 2)
    assert page.evaluate("page.input.move()") == [1, 2, (most + 1) // 2]
    page.fill("#slider", "3")
    assert page.text_content("#send") == "send 3"
    page.fill("#number", str(most + 50))
    assert page.text_content("#send") == f"send {most}"
    for typed in ("60", "0", "-3", ""):
        page.fill("#number", typed)
        page.locator("#number").blur()
        assert page.text_content("#send") == f"send {page.input_value('#number')}"
        assert 1 <= int(page.input_value("#number")) <= most
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
    board = Graph("way", planets, [Edge(1, 2, 2), Edge(2, 3, 1)])
    with running(opening("you", "noop", board, moves=[[]] * 20)) as address, opened(browser, address) as page:
        while not shown(page)["over"]:
            _march(page)
            end_turn(page)
        assert page.text_content("#result-who") == "you have won"
        assert page.inner_text("body").count("have won") == 1
        assert "Drag the turn" in page.text_content("#log")
        with page.expect_download() as download:
            page.keyboard.press("s")
        assert download.value.suggested_filename == "human-against-noop-on-way.json"
        download.value.save_as(tmp_path / "game.json")
        replay = Replay.load(tmp_path / "game.json", verify=True)
        assert (replay.winner, replay.turns) == (1, shown(page)["turn"])
        with page.expect_download() as download:
            choose(page, "#save-page")
        download.value.save_as(tmp_path / "game.html")
    page = browser.new_page()
    page.goto((tmp_path / "game.html").as_uri())
    page.locator("#turn", has_text=f"turn 1 of {replay.turns}").wait_for()
    page.close()


def _march(page: Any) -> None:
    """Everybody one planet on, by keyboard: the last neighbour is the one further on."""
    while page.evaluate("page.input.own.length"):
        before = len(orders(page))
        for key in ("Escape", "ArrowRight", "ArrowUp", "5", "Enter"):
            page.keyboard.press(key)
        wait(page, f"page.now.orders.length === {before + 1}")


def test_planets_that_cannot_send_are_told_of_and_only_keys_that_do_something_are_shown(page: Any) -> None:
    def keys() -> str:
        return page.text_content("#keys")

    assert "send" not in keys() and "undo" not in keys() and "cancel" not in keys()
    click(page, 2)
    assert "#2 is not yours" in page.text_content("#error")
    click(page, 1)
    click(page, 4)
    assert "no edge joins #1 and #4" in page.text_content("#error")
    click(page, 2)
    assert "Enter" in keys() and "Esc" in keys()
    page.keyboard.press("Enter")
    wait(page, "page.now.orders.length === 1")
    assert "undo" in keys() and "how many" not in keys()


def test_orders_are_listed_by_their_landing_light_their_edges_and_are_taken_back_from_there(browser: Any) -> None:
    with on_disk(opening("you", "noop", "rings")) as address, opened(browser, address) as page:
        for target in (3, 2):
            click(page, 1)
            click(page, target)
            page.keyboard.press("1")
            page.keyboard.press("Enter")
            wait(page, f"page.now.orders.at(-1)?.[1] === {target}")
        assert page.locator("#orders li").all_text_contents() == ["1 from #1 to #2×", "1 from #1 to #3×"]
        page.locator("#orders li").last.hover()
        assert page.evaluate("page.drawing.edge") == 1
        page.hover("#turn")
        assert page.evaluate("page.drawing.edge") is None
        page.get_by_role("button", name="take back: 1 from #1 to #2").click()
        wait(page, "page.now.orders.length === 1")
        assert orders(page) == [[1, 3, 1]]
