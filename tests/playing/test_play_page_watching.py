"""Strategies on the play page in a real browser: watched, looked back at, and told of when they fail."""

from pathlib import Path
from typing import Any

import planetwars_env as pw
from planetwars_env.playing.server import running
from support.browser import drop, needs_browser
from support.paths import TALKER
from support.play_client import opening
from support.play_page import choose, on_disk, opened, shown, wait
from support.strategy_files import needs_fork

pytestmark = needs_browser


def test_two_strategies_are_watched_paused_stepped_and_seen_through_either_fog(browser: Any) -> None:
    with on_disk(opening("ai1", "random", "rings")) as address, opened(browser, address) as page:
        page.keyboard.press("p")
        wait(page, "page.now.paused")
        page.wait_for_timeout(100)
        turn = shown(page)["turn"]
        page.keyboard.press("ArrowRight")
        wait(page, f"page.now.turn === {turn + 1}")
        assert page.is_visible("#ahead")
        page.keyboard.press("f")
        wait(page, "page.now.viewer === 1")
        assert not all(planet["visible"] for planet in shown(page)["state"]["planets"])
        assert page.is_hidden("#ahead")
        page.click("#more")
        page.select_option("#speed", "16")
        page.click("#pause")
        wait(page, f"page.now.turn > {turn + 4} && page.now.speed === 16")


def test_bots_are_watched_in_the_dark_until_the_reader_chooses(browser: Any) -> None:
    scheme = "getComputedStyle(document.documentElement).colorScheme"
    with on_disk(opening("ai1", "ai2")) as address, opened(browser, address, color_scheme="light") as page:
        assert page.evaluate(scheme) == "dark"
        page.keyboard.press("t")
        assert page.evaluate(scheme) == "light"
        page.reload()
        wait(page, "page.now")
        assert page.evaluate(scheme) == "light"
    with on_disk(opening("you", "ai2")) as address, opened(browser, address, color_scheme="light") as page:
        assert page.evaluate(scheme) == "light"


def test_earlier_turns_are_looked_at_while_the_game_goes_on(browser: Any) -> None:
    with on_disk(opening("ai1", "ai2", "rings", speed=8)) as address, opened(browser, address) as page:
        wait(page, "page.now.turn > 20")
        assert page.evaluate("page.look.curves.part && page.look.curves.values.length === page.now.turn")
        hold = "page.look.hold({ ...page.now, turning: [{ at: 7, player: 2 }] }), page.look.curves.marks"
        assert page.evaluate(hold) == [{"at": 7, "player": 2, "kind": "turn"}]
        page.fill("#scrubber", "5")
        wait(page, "page.look.past?.turn === 5")
        assert page.text_content("#turn").startswith("turn 5 of")
        assert page.text_content("#status").startswith("looking back; now: turn ")
        turn = shown(page)["turn"]
        wait(page, f"page.now.turn > {turn} || page.now.over")
        assert page.evaluate("page.drawing.state.turn") == 5
        page.locator("#canvas").focus()
        page.keyboard.press("ArrowLeft")
        wait(page, "page.drawing.state.turn === 4")
        page.keyboard.press("f")
        wait(page, "page.look.past.viewer === 1 && page.drawing.state.planets.some(({ visible }) => !visible)")
        page.keyboard.press("Escape")
        wait(page, "page.drawing.state.turn === page.now.turn")


@needs_fork
def test_a_strategy_that_fails_is_told_at_once_with_its_lines_and_who_has_won(browser: Any, tmp_path: Path) -> None:
    with running(opening(str(TALKER), "noop", "line")) as address, opened(browser, address) as page:
        wait(page, "page.now.over")
        assert page.text_content("#result-who") == "noop has won"
        assert page.text_content("#result-how").startswith("Talker forfeited on turn 9 (exception).")
        first = page.locator("#console pre.fault").last
        assert first.text_content().startswith("fault 1 of 3, on turn 5: exception\nTraceback")
        assert "talker.py" in first.text_content() and "AttributeError" in first.text_content()
        assert "mono" in first.evaluate("element => getComputedStyle(element).fontFamily")
        assert "“my turn 1”" in page.text_content("#console")
        assert [mark["text"] for mark in shown(page)["state"]["marks"]] == ["home"]
        page.click("#more")
        page.check("#keep-console")
        with page.expect_download() as download:
            page.click("#save-page")
        download.value.save_as(tmp_path / "game.html")
    page = browser.new_page()
    page.goto((tmp_path / "game.html").as_uri())
    page.locator("#notes").wait_for()
    assert page.locator("#console li").count() == 1
    assert [mark["text"] for mark in page.evaluate("page.state.marks")] == ["home"]
    page.keyboard.press("End")
    assert page.text_content("#status") == "noop (player 2) wins"
    assert page.text_content("#log").startswith("noop (player 2) wins: Talker (player 1) forfeited on turn 9")
    page.close()


def test_a_replay_dropped_on_the_page_is_watched_there(browser: Any, tmp_path: Path) -> None:
    replay = pw.play_match("ai1", "noop", "duel", max_turns=60)
    replay.save(tmp_path / "game.json")
    (tmp_path / "other.json").write_text("{}")
    with running(opening("you", "noop", "line")) as address, opened(browser, address) as page:
        choose(page, "#new")
        page.set_input_files("#open-replay", tmp_path / "other.json")
        page.locator("#setup-error", has_text="other.json: this is not a replay").wait_for()
        page.keyboard.press("Escape")
        drop(page, "game.json", (tmp_path / "game.json").read_bytes())
        page.locator("#turn", has_text=f"turn 1 of {replay.turns}").wait_for()
        page.keyboard.press("End")
        page.locator("#turn", has_text=f"turn {replay.turns} of {replay.turns}").wait_for()
