"""The site's pages as files: they open from disk, work together by their addresses, and ask no other machine."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import planetwars_env as pw
from planetwars_env.graphs.dot import read_dots, save_dot
from planetwars_env.graphs.graph import Graph
from scripts.release.docs_tables import first_link
from scripts.release.site import build
from support.browser import needs_browser, tab

pytestmark = [needs_browser, pytest.mark.long]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build(folder, pools=["test"])
    return folder


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    with tab(browser, "about:blank") as page:
        yield page


def test_the_editor_reads_checks_and_saves_a_graph(page: Any, site: Path, tmp_path: Path) -> None:
    graph = pw.load_graph("test/3")
    save_dot(Graph("mine", graph.planets, graph.edges), tmp_path / "mine.dot")
    page.goto((site / "editor.html").as_uri())
    page.set_input_files("#open-file", tmp_path / "mine.dot")
    page.locator("#told", has_text="mine is loaded.").wait_for()
    page.locator("#fault", has_text=f"The board keeps the rules: {len(graph.planets)} planets").wait_for()
    with page.expect_download() as download:
        page.click("#download")
    download.value.save_as(tmp_path / "again.dot")
    assert read_dots(tmp_path / "again.dot") == [Graph("mine", graph.planets, graph.edges)]
    page.click("#spread")
    page.select_option("#player-2", "ai2")
    page.click("#play")
    page.locator("#turn", has_text="turn 1 of 500").wait_for()
    assert page.evaluate("page.game.players") == ["you", "ai2"] and "play.html#game=" in page.url
    page.go_back()
    page.locator("#fault", has_text="planets").wait_for()
    (tmp_path / "bad.dot").write_text("graph {\n 1 [size=1] }")
    page.set_input_files("#open-file", tmp_path / "bad.dot")
    page.locator("#told", has_text="bad, line 2: planet 1 has no habit").wait_for()
    page.evaluate("page.change((model) => { model.board.planets[0].size = 0; })")
    page.locator("#fault", has_text="size is 0; it must be a whole number").wait_for()


def test_a_replay_is_watched_and_a_game_is_played(page: Any, site: Path, tmp_path: Path) -> None:
    replay = pw.play_match("ai1", "ai2", "rings", max_turns=20)
    replay.save(tmp_path / "game.json")
    page.goto((site / "watch.html").as_uri())
    page.set_input_files("#open-file", tmp_path / "game.json")
    page.locator("#turn", has_text="turn 1 of 20").wait_for()
    page.goto((site / "play.html").as_uri())
    page.locator("#turn", has_text="turn 1 of 500").wait_for()
    assert page.get_attribute("#editor", "href") == "editor.html"
    page.go_back()
    page.locator("#turn", has_text="of 20").wait_for()
    page.evaluate("page.seek(4)")
    page.click("#play-on")
    page.locator("#turn", has_text="turn 5 of 20").wait_for()
    assert page.evaluate("page.game.players") == ["you", "ai2"]
    assert page.evaluate("page.connection._referee.saved().moves") == replay.to_dict()["moves"][:4]
    for name in ("rules.html", "editor.html", "watch.html", "play.html"):
        text = (site / name).read_text(encoding="utf-8")
        assert 'href="/' not in text and not re.search(r'(src|href)="https?:', text)


def test_the_readme_leads_to_the_page_to_play_on_first() -> None:
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert re.search(r"\[[^\]]*\]\([^)]*\)", text)[0] in first_link()  # pyright: ignore[reportOptionalSubscript]
