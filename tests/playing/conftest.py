"""Fixtures of the tests of play: a browser, servers and their pages."""

from collections.abc import Iterator
from typing import Any

import pytest

from planetwars_env.playing.server import running
from support.play_client import opening
from support.play_page import on_disk, opened


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Against ``noop``, without a server: what becomes of a game is the page's doing alone."""
    with on_disk(opening("you", "noop", "line")) as address:
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
