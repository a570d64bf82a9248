"""The play page on phones and desktops in a real browser: sizes, legend and guided game."""

from typing import Any

from support.browser import needs_browser
from support.play_page import click, give_up, opened, wait

pytestmark = needs_browser


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


def test_a_first_visitor_sees_the_legend_beside_the_end_of_a_game_and_closes_it_for_good(
    browser: Any, address: str
) -> None:
    with opened(browser, address, newcomer=True, viewport={"width": 1024, "height": 768}) as page:
        assert "take every planet" in page.text_content("#legend-goal")
        give_up(page)
        assert page.is_visible("#legend")
        box = page.locator("#result-again").bounding_box()
        assert box is not None and box["y"] + box["height"] < 768
        page.click("#legend-close")
        page.reload()
        wait(page, "page.now")
        assert page.is_hidden("#legend")
        page.keyboard.press("?")
        assert page.is_visible("#legend")
        page.keyboard.press("?")
        assert page.is_hidden("#legend")


def test_on_a_phone_the_legend_begins_closed(browser: Any, address: str) -> None:
    for width, height in ((390, 844), (844, 390)):
        size = {"width": width, "height": height}
        with opened(browser, address, newcomer=True, has_touch=True, viewport=size) as page:
            assert page.is_hidden("#legend") and "New here?" in page.inner_text("#guide")
            page.tap("#help")
            assert page.is_visible("#legend") and page.is_visible("#legend-guide")
            page.tap("#legend-close")
            assert page.is_hidden("#legend")
