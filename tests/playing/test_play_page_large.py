"""Aids that spare clicks on large boards, in a real browser: several origins, standing orders, turns until news, memory."""

from collections.abc import Iterator
from typing import Any

import pytest

from planetwars_env.graphs.graph import Edge, Graph, Planet
from planetwars_env.view import Move
from support.browser import needs_browser
from support.play_client import opening
from support.play_page import choose, click, end_turn, on_disk, opened, orders, place_of, shown, wait

pytestmark = needs_browser


@pytest.fixture(scope="module")
def board() -> Graph:
    """1, 2 and 3 in a row, 4 beside 2, and the opponent's base at the end of the way 3 - 5 - 6."""
    places = [(0, 0), (1, 0), (2, 0), (1, 1), (3, 0), (4, 0)]
    planets = [Planet(i, 100, 200, x, y, {1: 1, 6: 2}.get(i, 0)) for i, (x, y) in enumerate(places, 1)]
    edges = [Edge(1, 2, 1), Edge(2, 3, 1), Edge(2, 4, 1), Edge(3, 5, 1), Edge(5, 6, 1)]
    return Graph("tee", planets, edges)


@pytest.fixture(scope="module")
def address(board: Graph) -> Iterator[str]:
    """Of a game in which the player owns 1 to 4, with many people on each."""
    sent = {1: Move(1, 2, 1), 9: Move(2, 3, 2), 13: Move(2, 4, 2)}
    moves = [[sent[turn]] if turn in sent else [] for turn in range(1, 25)]
    with on_disk(opening("you", "noop", board, moves=moves)) as address:
        yield address


def test_several_planets_send_along_their_shortest_ways(page: Any) -> None:
    click(page, 1)
    page.keyboard.down("Shift")
    click(page, 2)
    click(page, 4)
    page.keyboard.up("Shift")
    assert page.text_content("#log") == "From #1, #2, #4. Choose where to."
    click(page, 5)
    assert page.text_content("#way") == "3 planets → #5"
    halves = [int(page.evaluate(f"Math.round(page.input.most({index}) / 2)")) for index in (0, 1, 3)]
    assert page.text_content("#send") == f"send {sum(halves)}"
    click(page, 5)
    wait(page, "page.now.orders.length === 3")
    assert orders(page) == [[1, 2, halves[0]], [2, 3, halves[1]], [4, 2, halves[2]]]
    assert page.evaluate("page.input.sources") == []
    page.click("#undo")
    wait(page, "page.now.orders.length === 2")


def test_a_box_with_shift_selects_planets_and_a_click_with_shift_leaves_one_out(page: Any) -> None:
    (left, top), (right, bottom) = place_of(page, 1), place_of(page, 3)
    page.keyboard.down("Shift")
    page.mouse.move(left - 25, top - 35)
    page.mouse.down()
    page.mouse.move(right + 40, bottom + 30, steps=4)
    assert page.evaluate("page.drawing.box !== null")
    page.mouse.up()
    assert page.evaluate("page.input.sources") == [0, 1, 2]
    click(page, 1)
    page.keyboard.up("Shift")
    assert page.evaluate("page.input.sources") == [1, 2]
    click(page, 6)
    assert "no way leads" in page.text_content("#error")
    click(page, 2)
    assert page.text_content("#log").endswith("through your planets: #3 → #2.")
    page.keyboard.press("Escape")
    assert page.evaluate("page.input.sources") == []


def test_several_planets_by_keyboard(page: Any) -> None:
    page.keyboard.press("a")
    assert page.evaluate("page.input.sources") == [0, 1, 2, 3]
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    assert len(page.evaluate("page.input.sources")) == 2
    page.keyboard.press("4")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    wait(page, "page.now.orders.length > 0")


def test_several_planets_by_fingers(browser: Any, board: Graph) -> None:
    with on_disk(opening("you", "noop", board)) as address, opened(browser, address, has_touch=True) as page:
        page.set_viewport_size({"width": 390, "height": 844})
        page.wait_for_timeout(100)
        page.touchscreen.tap(*place_of(page, 1))
        page.touchscreen.tap(*place_of(page, 2))
        page.tap("#send")
        wait(page, "page.now.orders.length === 1")
        for _ in range(3):
            end_turn(page)
        canvas = page.locator("#canvas").bounding_box()
        choose(page, "#several")
        page.touchscreen.tap(*place_of(page, 1))
        page.touchscreen.tap(*place_of(page, 2))
        assert page.evaluate("page.input.sources") == [0, 1]
        page.touchscreen.tap(*place_of(page, 3))
        page.tap("#every-turn")
        wait(page, "page.now.standing.length === 2")
        assert [order[:2] for order in shown(page)["standing"]] == [[1, 2], [2, 3]]
        assert page.locator("#canvas").bounding_box() == canvas


def test_a_standing_order_is_listed_drawn_given_on_every_turn_and_taken_back(page: Any) -> None:
    click(page, 1)
    click(page, 2)
    page.keyboard.press("3")
    page.keyboard.press("r")
    wait(page, "page.now.standing.length === 1 && page.now.orders.length === 1")
    assert page.text_content("#standing").startswith("75 % from #1 to #2")
    assert page.evaluate("page.drawing.standing") == [[0, 1, 1]]
    for _ in range(2):
        end_turn(page)
        assert [order[:2] for order in orders(page)] == [[1, 2]]
    page.reload()
    wait(page, "page.now?.standing.length === 1")
    page.click("#standing button")
    wait(page, "page.now.standing.length === 0 && page.now.orders.length === 0")
    assert page.is_hidden("#standing-box")


def test_turns_end_until_something_happens(page: Any) -> None:
    turn = shown(page)["turn"]
    page.click("#until")
    wait(page, f"page.now.yours && page.now.turn === {turn + 20}")
    assert page.text_content("#log") == "Stopped: 20 turns have passed."
    click(page, 3)
    click(page, 5)
    page.keyboard.press("Enter")
    wait(page, "page.now.orders.length === 1")
    page.keyboard.press("g")
    wait(page, f"page.now.yours && page.now.turn > {turn + 20}")
    assert page.text_content("#log") == "Stopped: you have taken #5."
    assert shown(page)["turn"] < turn + 26
    page.click("#until")
    wait(page, "page.untilNews.since")
    page.keyboard.press("Escape")
    assert page.evaluate("page.untilNews.since") is None


def test_hidden_planets_show_what_was_seen_last_and_a_switch_leaves_it_out(page: Any) -> None:
    click(page, 3)
    click(page, 2)
    page.keyboard.press("5")
    page.keyboard.press("Enter")
    wait(page, "page.now.orders.length === 1")
    turn = shown(page)["turn"]
    end_turn(page)
    labels = "page.drawing.labels.shown.map(({ text }) => text)"
    assert f"t\xa0{turn}" in page.evaluate(labels)
    page.mouse.move(*place_of(page, 5))
    assert f"seen on turn {turn}: nobody, neutral" in page.text_content("#details")
    page.keyboard.press("m")
    assert f"t\xa0{turn}" not in page.evaluate(labels)
    page.reload()
    wait(page, "page.now")
    assert f"t\xa0{turn}" not in page.evaluate(labels)
    page.keyboard.press("m")
    page.reload()
    wait(page, "page.now")
    assert f"t\xa0{turn}" in page.evaluate(labels)
    page.keyboard.press("b")
    wait(page, f"page.now?.turn === {turn} && page.now.yours")
    assert f"t\xa0{turn}" not in page.evaluate(labels) and shown(page)["memory"] == []
