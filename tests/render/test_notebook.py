"""Games in a notebook: a real kernel is asked as JupyterLab does, and its outputs are shown together in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import start_new_kernel

from support.browser import needs_browser, tab

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


def test_the_player_is_in_a_notebook_once_and_every_game_of_it_is_watched_and_played(
    kernel: Any, browser: Any, tmp_path: Path
) -> None:
    run(kernel, "a", "import planetwars_env as pw; replay = pw.play_match('ai2', 'ai1', 'rings', max_turns=9)")
    first, second, third = (run(kernel, cell, "pw.watch(replay)") for cell in "bcd")
    assert len(first) > 60_000 > 20_000 > max(len(second), len(third))
    assert len(run(kernel, "c", "pw.watch(replay)")) > 60_000  # run again: the first one may be gone
    assert len(run(kernel, None, "pw.watch(replay)")) > 60_000
    whole = run(kernel, None, "pw.play('ai1', 'k4', seed=3)")
    fourth = run(kernel, "g", "pw.play('ai1', 'k4', seed=3)")
    fifth = run(kernel, "h", "pw.play('ai2', pw.load_graph('test/3'), side=2)")
    assert 720_000 > len(whole) > len(fourth) + 35_000 and len(fifth) < 20_000
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html>{second}{first}{third}{fourth}{fifth}", encoding="utf-8")
    with tab(browser, notebook.as_uri(), viewport={"width": 900, "height": 800}) as page:
        for frame in page.frames[1:4]:
            frame.locator("#turn", has_text="turn 1 of 9").wait_for()
            frame.locator("#next").click()
            frame.locator("#turn", has_text="turn 2 of 9").wait_for()
        for frame, turn in zip(page.frames[4:], (1, 2), strict=True):
            frame.locator("#turn", has_text=f"turn {turn} of 500").wait_for()
            frame.locator("#status", has_text="your turn").wait_for()
            frame.locator("#end").click()
            frame.locator("#turn", has_text=f"turn {turn + 2} of 500").wait_for()
            assert frame.locator("a:visible").count() == 0


def test_a_strategy_of_the_notebook_is_played_against_at_a_server_in_the_frame(
    kernel: Any, browser: Any, tmp_path: Path
) -> None:
    mine = "class Mine(pw.Strategy):\n    def take_turn(self, view):\n        return []\n"
    run(kernel, "i", f"import planetwars_env as pw\n{mine}")
    frame = run(kernel, "j", "page = pw.play(Mine, 'k4'); page")
    assert len(frame) < 1_000
    (tmp_path / "notebook.html").write_text(f"<!doctype html>{frame}", encoding="utf-8")
    page = browser.new_page(viewport={"width": 900, "height": 800})
    page.goto((tmp_path / "notebook.html").as_uri())
    inside = page.frames[1]
    inside.locator("#name-2", has_text="Mine").wait_for()
    inside.locator("#end").click()
    inside.locator("#turn", has_text="turn 3 of 500").wait_for()
    address = page.frames[1].url
    bare = browser.new_page()
    answer = bare.goto(address.partition("?")[0])
    assert answer and answer.status == 403
    run(kernel, "k", "page.close()")
