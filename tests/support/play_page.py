"""The page to play on in a real browser, for tests: it is opened, clicked, and asked what it shows."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from planetwars_env.playing.pages import play_page
from planetwars_env.playing.setup import Opening
from support.browser import tab


@contextmanager
def on_disk(game: Opening) -> Iterator[str]:
    """The page of a game whose players all run in it, as a file: what it needs of a server it does not get."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "play.html"
        file.write_text(play_page(game, "nowhere", shared=False), encoding="utf-8")
        yield file.as_uri()


@contextmanager
def opened(browser: Any, address: str, newcomer: bool = False, **options: Any) -> Iterator[Any]:
    """The page in a tab; ``newcomer``: with the legend that first visitors see."""
    with tab(browser, address, **options) as page:
        page.locator("#turn", has_text="turn").wait_for()
        if not newcomer:
            page.evaluate("page.legend.toggle(false)")
        yield page


def shown(page: Any) -> dict[str, Any]:
    return page.evaluate("page.now")


def wait(page: Any, condition: str) -> None:
    """Until an expression over the page holds; the page's policy forbids playwright's own way."""
    for _ in range(500):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"not within ten seconds: {condition}; {shown(page)}")


def place_of(page: Any, planet: int) -> tuple[float, float]:
    """The middle of a planet, by its id, in pixels of the page."""
    index = f"page.game.graph.planets.findIndex(([id]) => id === {planet})"
    place = page.evaluate(f"page.drawing.placeOf({index})")
    return place["x"], place["y"]


def click(page: Any, planet: int) -> None:
    """On a planet, by its id."""
    page.mouse.click(*place_of(page, planet))


def end_turn(page: Any) -> None:
    turn = shown(page)["turn"]
    page.keyboard.press("e")
    wait(page, f"page.now.over || (page.now.yours && page.now.turn > {turn})")


def orders(page: Any) -> list[list[int]]:
    return shown(page)["orders"]


def choose(page: Any, button: str) -> None:
    """A button of the menu behind "⋯"."""
    page.click("#more")
    page.click(button)


def choose_player(page: Any, number: int, name: str) -> None:
    """One that the dialog does not offer, by its name."""
    page.select_option(f"#player-{number}", "other…")
    page.fill(f"#file-{number}", name)


def give_up(page: Any) -> None:
    choose(page, "#give-up")
    page.click("#really")
    wait(page, "page.now.over")
