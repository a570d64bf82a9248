"""Chromium without a window, for pictures, measurements and tests of pages."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def found() -> str | None:
    """Return the browser's place, None where there is none."""
    return next((place for name in NAMES if (place := shutil.which(name))), None)


@contextmanager
def started() -> Iterator[Browser]:
    """Start the browser; end it with the block."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found(), args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()
