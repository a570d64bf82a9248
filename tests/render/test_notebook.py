"""Games in a notebook: a real kernel is asked as JupyterLab does, and its outputs are shown together in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import start_new_kernel

from support.browser import needs_browser, started, watched

pytestmark = [needs_browser, pytest.mark.long]


@pytest.fixture(scope="module")
def kernel() -> Iterator[Any]:
    manager, client = start_new_kernel()
    yield client
    client.stop_channels()
    manager.shutdown_kernel()


def run(client: Any, cell: str | None, code: str) -> str:
    """Run a cell and return its output as HTML."""
    content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
    message = client.session.msg("execute_request", content, metadata={"cellId": cell} if cell else {})
    client.shell_channel.send(message)
    found = ""
    while True:
        answer = client.get_iopub_msg(timeout=120)
        if answer["parent_header"].get("msg_id") != message["header"]["msg_id"]:
            continue
        assert answer["msg_type"] != "error", answer["content"]
        found += answer["content"].get("data", {}).get("text/html", "")
        if answer["msg_type"] == "status" and answer["content"]["execution_state"] == "idle":
            return found


def test_the_player_is_in_a_notebook_once_and_every_game_plays(kernel: Any, tmp_path: Path) -> None:
    run(kernel, "a", "import planetwars_env as pw; replay = pw.play_match('ai2', 'ai1', 'rings', max_turns=9)")
    first, second, third = (run(kernel, cell, "pw.watch(replay)") for cell in "bcd")
    assert len(first) > 100_000 > 20_000 > max(len(second), len(third))
    assert len(run(kernel, "c", "pw.watch(replay)")) > 100_000  # run again: the first one may be gone
    assert len(run(kernel, None, "pw.watch(replay)")) > 100_000
    (tmp_path / "notebook.html").write_text(f"<!doctype html>{second}{first}{third}", encoding="utf-8")
    with started() as browser:
        page = browser.new_page(viewport={"width": 900, "height": 800})
        faults = watched(page)
        page.goto((tmp_path / "notebook.html").as_uri())
        for frame in page.frames[1:]:
            frame.locator("#turn", has_text="turn 1 of 9").wait_for()
            frame.locator("#next").click()
            frame.locator("#turn", has_text="turn 2 of 9").wait_for()
        assert faults == []
