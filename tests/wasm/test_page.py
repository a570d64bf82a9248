"""The play page as one file: it opens from disk, a person plays in it by clicks, and it asks nobody for anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import planetwars_env as pw
from planetwars_env.replay import Replay
from scripts.release.wasm.page import play_page
from support.browser import needs_browser, started
from support.play_page import click, end_turn, opened, shown, wait

pytestmark = [needs_browser, pytest.mark.long]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    file = tmp_path_factory.mktemp("page") / "play.html"
    file.write_text(play_page(["test"]), encoding="utf-8")
    with started() as browser, opened(browser, file.as_uri()) as page:
        yield page


def begin(page: Any, players: list[str], graph: str, rules: str, **more: Any) -> None:
    message = {"players": players, "graph": graph, "rules": rules, "seed": 5, "max_turns": None, "start": None, **more}
    page.evaluate("message => page.send({ do: 'new', ...message })", message)
    wait(page, f"page.now && page.game.rules === '{rules}' && page.game.players.join() === '{','.join(players)}'")
    page.evaluate("page.send({ do: 'speed', turns: 60 })")


def saved(page: Any, folder: Path) -> Replay:
    wait(page, "page.now.over")
    with page.expect_download() as download:
        page.evaluate("document.getElementById('save-replay').click()")
    download.value.save_as(folder / "game.json")
    return Replay.load(folder / "game.json", verify=True)


def test_the_page_opens_with_a_game_of_500_turns(page: Any) -> None:
    wait(page, "page.now")
    assert page.locator("#turn").text_content() == "turn 1 of 500"


def test_a_person_plays_by_clicks_and_saves_the_game(page: Any, tmp_path: Path) -> None:
    begin(page, ["you", "ai2"], "rings", "PLANETWARS")
    for _ in range(3):
        end_turn(page)
    graph = pw.load_graph("rings")
    base = graph.bases[0]
    click(page, base)
    click(page, graph.neighbours(base)[0])
    page.keyboard.press("Enter")
    wait(page, "page.now.orders.length === 1")
    order = shown(page)["orders"][0]
    end_turn(page)
    page.evaluate("page.send({ do: 'give up' })")
    replay = saved(page, tmp_path)
    assert replay.players == ("human", "ai2") and replay.winner == 2
    assert [list(move) for move in replay.moves[6]] == [order]


def test_an_agent_watched_in_the_page_plays_as_in_python(page: Any, tmp_path: Path) -> None:
    begin(page, ["graph-planetwars", "ai3"], "test/4", "PLANETWARS", max_turns=40)
    expected = pw.play_match("graph-planetwars", "ai3", "test/4", seed=5, max_turns=40)
    assert saved(page, tmp_path).digests == expected.digests


def test_the_page_says_what_it_cannot_do_and_how_to_get_it(page: Any) -> None:
    message = {"do": "new", "players": ["you", "mine.py"], "graph": "rings", "rules": "PLANETWARS"}
    page.evaluate("message => page.send(message)", {**message, "seed": None, "max_turns": None, "start": None})
    page.locator("text=pip install planetwars-env").first.wait_for(state="attached")
