"""Settings of all tests: hypothesis's number of examples, torch's threads, and the order of tests."""

import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

# Two workers with a pool of threads each would stand in each other's way; small networks are faster on one anyway.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# A shell starts background jobs with SIGINT ignored, and programs that the tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Windows open without a screen.
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

# PLANETWARS_EXAMPLES is a share in per cent. No deadline: the first example of a test may compile a kernel. The usual
# share draws the same examples every time, so that a red CI is the submission's fault; a larger one looks elsewhere.
SHARE = int(os.environ.get("PLANETWARS_EXAMPLES", "100"))
settings.register_profile(
    "planetwars", max_examples=max(1, SHARE), deadline=None, derandomize=SHARE <= 100, database=None
)
settings.load_profile("planetwars")

# Strategies from files are confined by means of Linux, and mutants are tried out in forks.
LINUX_ONLY = [
    *(f"arena/test_{name}.py" for name in ("isolation", "sandbox", "supervisor", "worker")),
    "scripts/test_mutants.py",
]
collect_ignore = [] if sys.platform == "linux" else LINUX_ONLY


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from scripts.release.browser import started

    with started() as found:
        yield found


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests run last, so that a plain fault shows early."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)
