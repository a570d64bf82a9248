"""A real browser, without a window, for tests of the pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Page

from scripts.release.browser import found

needs_browser = pytest.mark.skipif(
    found() is None,
    reason="NO BROWSER, SO THE PAGES ARE NOT TESTED: install one with 'apt-get install -y chromium' (as .ci/run does)",
)


def watched(page: Page) -> list[str]:
    """Everything that goes wrong in a page from now on, and everything that it asks of a network."""
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(f"error: {error}"))
    page.on("console", lambda line: faults.append(f"console: {line.text}") if line.type == "error" else None)
    page.on("request", lambda request: faults.append(request.url) if request.url.startswith("http") else None)
    return faults


@contextmanager
def tab(browser: Any, address: str, **options: Any) -> Iterator[Any]:
    """A page in a tab of its own, and at last whether nothing went wrong in it and nobody but its server was asked.

    It stays open after a failure, and where nobody keeps the manager.
    """
    context = browser.new_context(**{"viewport": {"width": 1200, "height": 800}, "accept_downloads": True, **options})
    page = context.new_page()
    faults = watched(page)
    page.goto(address)
    yield page
    context.close()
    assert [fault for fault in faults if not fault.startswith(address.partition("?")[0])] == []


def drop(page: Page, name: str, data: bytes) -> None:
    """A file is dropped on the page."""
    page.evaluate(
        """([name, bytes]) => {
            const held = new DataTransfer();
            held.items.add(new File([new Uint8Array(bytes)], name));
            document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: held, bubbles: true, cancelable: true }));
        }""",
        [name, [*data]],
    )


def drag(page: Any, start: tuple[float, float], end: tuple[float, float], shift: bool = False) -> None:
    """A drag of the mouse; ``shift``: the key is held where it ends."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=5)
    if shift:
        page.keyboard.down("Shift")
    page.mouse.up()
    page.keyboard.up("Shift")


def touches(page: Any, *events: list[tuple[float, float]]) -> None:
    """Touch events, each with the places of its fingers; playwright itself can only tap."""
    session = page.context.new_cdp_session(page)
    for i, points in enumerate(events):
        fingers = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        kind = "touchStart" if i == 0 else "touchMove" if points else "touchEnd"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})
