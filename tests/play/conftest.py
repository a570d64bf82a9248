"""Fixtures of the tests of play: a browser, servers and their pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from planetwars_env.play.server import running
from support.browser import started
from support.play_client import Tab, opening
from support.play_page import opened


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with started() as browser:
        yield browser


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Against ``noop``: what becomes of a game is the page's doing alone."""
    with running(opening("you", "noop", "line")) as address:
        yield address


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    with opened(browser, address) as page:
        yield page


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Against ``random``, for a few turns."""
    with running(opening(turns=40)) as address:
        yield address


@pytest.fixture
def tab(server: str) -> Iterator[Tab]:
    tab = Tab(server)
    yield tab
    tab.close()
