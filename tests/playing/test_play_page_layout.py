"""The play page on phones and desktops in a real browser: sizes, fingers, theme, legend and guided game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.browser import needs_browser
from support.play_page import click, end_turn, give_up, opened, place_of, wait

pytestmark = needs_browser


def test_fingers_are_enough_and_what_they_touch_is_44_pixels_high(browser: Any, address: str) -> None:
    with opened(browser, address, has_touch=True, is_mobile=True) as page:
        page.set_viewport_size({"width": 390, "height": 844})
        page.wait_for_timeout(200)
        for planet in (1, 2):
            page.touchscreen.tap(*place_of(page, planet))
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


def test_everything_fits_phones_and_desktops(page: Any) -> None:
    def assert_shown(*parts: str) -> None:
        for part in parts:  # waits, since a busy machine lays the page out later
            box = f"document.querySelector('#{part}').getBoundingClientRect()"
            wait(page, f"{box}.width > 0 && {box}.left >= 0 && {box}.right <= {width}")
            wait(page, f"{box}.top >= 0 && {box}.bottom <= {height}")

    for width, height in ((360, 640), (390, 844), (844, 390), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(50)
        assert_shown("undo", "end", "until", "more", "help")
        click(page, 1)
        click(page, 2)
        assert_shown("slider", "number", "send", "put-back")
        page.click("#put-back")
        page.click("#more")
        assert_shown("menu", "hint")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("#canvas").bounding_box()["height"] >= 0.42 * height
        page.keyboard.press("Escape")


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


def test_the_end_is_in_sight_beside_an_open_legend(browser: Any, address: str) -> None:
    with opened(browser, address, newcomer=True, viewport={"width": 1024, "height": 768}) as page:
        give_up(page)
        assert page.is_visible("#legend")
        box = page.locator("#result-again").bounding_box()
        assert box is not None and box["y"] + box["height"] < 768


def test_on_the_first_turn_the_list_beside_the_board_says_the_goal_and_what_will_stand_there(page: Any) -> None:
    said = page.inner_text(".aside")
    assert "take every planet" in said and "No orders yet." in said and "Nothing yet." in said


def test_on_a_phone_the_legend_begins_closed(browser: Any, address: str) -> None:
    for width, height in ((390, 844), (844, 390)):
        size = {"width": width, "height": height}
        with opened(browser, address, newcomer=True, has_touch=True, viewport=size) as page:
            assert page.is_hidden("#legend") and "New here?" in page.inner_text("#guide")
            page.tap("#help")
            assert page.is_visible("#legend") and page.is_visible("#legend-guide")
            page.tap("#legend-close")
            assert page.is_hidden("#legend")


def test_the_advice_line_goes_after_the_third_turn(page: Any) -> None:
    for _ in range(3):
        assert page.inner_text("#log").startswith("Drag from a planet of yours")
        end_turn(page)
    assert page.inner_text("#log") == ""


def test_the_rules_are_a_page_of_the_same_server(served: Any) -> None:
    page = served
    page.keyboard.press("?")
    with page.context.expect_page() as opened_page:
        page.click("#legend a")
    rules = opened_page.value
    assert "Defenders count a tenth more" in rules.text_content("main")
    rules.close()
