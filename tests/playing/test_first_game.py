"""The first game in a real browser: a program that follows only the sentences of the page wins it, at any size."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from support.browser import needs_browser
from support.play_client import opening
from support.play_page import on_disk, opened, place_of, wait

pytestmark = needs_browser

BURSTS = """() => {
    const { drawing } = page, draw = drawing._stroke;
    page.bursts = new Set();
    drawing._stroke = (...line) => { page.bursts.add(line[1]); draw.apply(drawing, line); };
}"""
CORNER = "[...page.drawing.context.getImageData(1, 1, 1, 1).data]"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with on_disk(opening("you", "ai1", "rings")) as address:
        yield address


def _follow(page: Any, sentence: str, touch: bool) -> None:
    """Do what a sentence says."""
    press = page.tap if touch else page.click
    if way := re.search(r"rag from #(\d+) to #(\d+)", sentence):
        for planet in map(int, way.groups()):
            (page.touchscreen.tap if touch else page.mouse.click)(*place_of(page, planet))
    elif "end the turn" in sentence:
        press("#end")
        wait(page, "page.now.over || page.now.yours")
    elif "choose all − 1" in sentence or "All − 1" in sentence:
        press("#fractions button:nth-child(4)")
        press("#send")
    else:
        assert "send them" in sentence, sentence
        press("#send")


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844), (844, 390)])
def test_who_follows_the_sentences_wins_and_goes_on_to_ai1(browser: Any, address: str, width: int, height: int) -> None:
    touch = width < 1000
    size = {"width": width, "height": height}
    with opened(browser, address, newcomer=True, has_touch=touch, viewport=size) as page:
        page.click("#guide-begin")
        wait(page, "page.game.graph.name === 'first game' && page.now?.yours")
        board = page.locator("#canvas").bounding_box()
        page.evaluate(BURSTS)
        ground = page.evaluate(CORNER)
        for _ in range(60):
            if page.is_visible("#result"):
                break
            _follow(page, page.inner_text("#guide-text"), touch)
            page.wait_for_timeout(30)
            # It keeps its place; the end brings the line to look back.
            assert page.is_visible("#result") or page.locator("#canvas").bounding_box() == board
        assert page.inner_text("#result-who") == "you have won"
        assert page.evaluate("page.now.turn") <= 12
        # The last battle burst in the loser's colour, and the winner's lies over the whole board.
        wait(page, "page.bursts.has(page.drawing.players[2])")
        red, _, blue, _ = page.evaluate(CORNER)
        assert page.evaluate(CORNER) != ground and blue > red
        page.click("#result-next")
        wait(page, "page.game.graph.name === 'rings' && page.game.players[1] === 'ai1' && page.now?.yours")
        assert page.is_hidden("#guide")
