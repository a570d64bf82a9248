"""Orders on the page to play on: by drags of the mouse, by fingers, and taken back from a list."""

from collections.abc import Iterator
from typing import Any

import pytest

from planetwars_env.graphs.graph import Edge, Graph, Planet
from support.browser import drag, needs_browser, touches
from support.play_client import opening
from support.play_page import click, end_turn, on_disk, opened, orders, place_of, shown, wait

pytestmark = needs_browser


def hand(page: Any) -> Any:
    return page.evaluate("page.input.move()")


def test_a_drag_to_a_neighbour_aims_one_elsewhere_does_nothing_and_one_with_shift_sends_at_once(page: Any) -> None:
    page.mouse.move(*place_of(page, 1))
    page.mouse.down()
    page.mouse.move(*place_of(page, 2), steps=5)
    assert page.evaluate("page.drawing.rubber[0]") == 0
    page.mouse.up()
    assert page.evaluate("page.drawing.rubber") is None
    assert hand(page)[:2] == [1, 2] and orders(page) == []
    page.keyboard.press("Escape")
    drag(page, place_of(page, 1), place_of(page, 4), shift=True)
    assert page.evaluate("page.input.source") is None
    # Not one's own: it moves the board, which stays where it fits.
    drag(page, place_of(page, 2), place_of(page, 1), shift=True)
    page.wait_for_timeout(50)
    assert orders(page) == [] and hand(page) is None
    drag(page, place_of(page, 1), place_of(page, 2), shift=True)
    wait(page, "page.now.orders.length === 1")
    assert orders(page) == [[1, 2, 1]] and page.evaluate("page.input.source") is None


def test_the_wheel_zooms_a_drag_moves_and_a_double_click_shows_all(page: Any) -> None:
    before = place_of(page, 1)
    page.mouse.move(*before)
    page.mouse.wheel(0, -400)
    assert place_of(page, 1) == pytest.approx(before, abs=2)
    assert place_of(page, 2)[0] - before[0] > 1.5 * (600 - before[0]) / 4
    drag(page, (600, 500), (500, 480))
    assert place_of(page, 1)[0] == pytest.approx(before[0] - 100, abs=2)
    assert orders(page) == [] and page.is_visible("#fit")
    page.mouse.dblclick(600, 120)
    assert place_of(page, 1) == pytest.approx(before, abs=2)
    assert page.is_hidden("#fit")


@pytest.fixture
def phone(browser: Any, address: str) -> Iterator[Any]:
    with opened(browser, address, has_touch=True, is_mobile=True) as page:
        page.set_viewport_size({"width": 390, "height": 844})
        page.wait_for_timeout(100)
        yield page


def test_a_finger_drags_an_order_too_and_two_fingers_zoom(phone: Any) -> None:
    start, end = place_of(phone, 1), place_of(phone, 2)
    touches(phone, [start], [((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)], [end], [])
    assert hand(phone)[:2] == [1, 2]
    phone.keyboard.press("Escape")
    touches(phone, [(150, 300), (250, 300)], [(100, 300), (300, 300)], [])
    assert phone.evaluate("page.drawing.view.zoom") == pytest.approx(2, abs=0.1)
    assert phone.evaluate("page.input.source") is None


def test_any_planet_is_looked_at_by_a_tap_and_the_board_keeps_its_place(phone: Any) -> None:
    """Fingers are enough for an order, and what they touch is 44 pixels high."""
    board = phone.locator("#canvas").bounding_box()
    for planet, said in ((4, "hidden by the fog"), (2, "neutral"), (1, "your base")):
        phone.touchscreen.tap(*place_of(phone, planet))
        phone.wait_for_timeout(100)
        assert phone.is_visible("#details") and said in phone.inner_text("#details")
        assert phone.is_hidden("#error")
    phone.touchscreen.tap(*place_of(phone, 2))
    assert hand(phone)[:2] == [1, 2]
    assert "#2, neutral" in phone.text_content("#details")
    phone.tap("#send")
    wait(phone, "page.now.orders.length === 1")
    assert phone.is_hidden("#details")
    assert phone.locator("#canvas").bounding_box() == board
    for button in phone.locator("button:visible, select:visible, input:visible").all():
        assert button.bounding_box()["height"] >= 44, button.evaluate("element => element.outerHTML")
    click(phone, 1)
    assert shown(phone)["orders"] == [[1, 2, 1]]


def test_turns_end_until_an_attack_is_in_sight_and_own_planets_that_will_fall_are_marked(browser: Any) -> None:
    """A bot beside the only planet of the player attacks it."""
    planets = [Planet(1, 1, 200, 0, 0, 1), Planet(2, 100, 200, 1, 0, 2)]
    with (
        on_disk(opening("you", "ai1", Graph("two", planets, [Edge(1, 2, 3)]))) as address,
        opened(browser, address) as page,
    ):
        page.keyboard.press("g")
        wait(page, "document.getElementById('log').textContent.startsWith('Stopped')")
        assert page.text_content("#log") == "Stopped: an attack on #1 is in sight."
        assert shown(page)["state"]["shuttles"]
        while not shown(page)["falls"]:
            end_turn(page)
        assert [mark["text"] for mark in shown(page)["state"]["marks"]] == ["⚠ lost in 2"]
        while shown(page)["falls"] and not shown(page)["over"]:
            end_turn(page)
        assert "ai1 attacks #1 with" in page.text_content("#events")
