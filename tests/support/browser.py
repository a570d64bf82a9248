"""A real browser, without a window, for tests of the pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def found() -> str | None:
    """The browser's place, None where there is none."""
    return next((place for name in NAMES if (place := shutil.which(name))), None)


needs_browser = pytest.mark.skipif(
    found() is None,
    reason="NO BROWSER, SO THE PAGES ARE NOT TESTED: install one with 'apt-get install -y chromium' (as .ci/run does)",
)


@contextmanager
def started() -> Iterator[Browser]:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found(), args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()


def watched(page: Page) -> list[str]:
    """Everything that goes wrong in a page from now on, and everything that it asks of a network."""
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(f"error: {error}"))
    page.on("console", lambda line: faults.append(f"console: {line.text}") if line.type == "error" else None)
    page.on("request", lambda request: faults.append(request.url) if request.url.startswith("http") else None)
    return faults


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
