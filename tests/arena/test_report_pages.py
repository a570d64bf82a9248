"""The pages of a tournament in a browser: on every screen, in both themes, with links, and again while games are played."""

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser

from planetwars_env.arena.game_store import IN_MEMORY, FinishedGame, GameKey, GameStore
from planetwars_env.arena.isolation import Fault
from planetwars_env.arena.report import GameLink, tournament_pages, write_pages, write_report_page
from planetwars_env.arena.standings import Standings, compute_standings
from planetwars_env.arena.tables import Table
from support.browser import needs_browser, watched

pytestmark = needs_browser
SCREENS = [((1440, 900), "light"), ((1024, 768), "dark"), ((390, 844), "light"), ((844, 390), "dark")]
LABELS = ["ada", "a strategy with a name of many words", "x" * 60, "ai1"]
SMALL = """() => [...document.querySelectorAll("body *")].filter((one) =>
  [...one.childNodes].some((part) => part.nodeType === 3 && part.textContent.trim()) &&
  parseFloat(getComputedStyle(one).fontSize) < 11).map((one) => one.textContent)"""


@pytest.fixture(scope="module")
def standings() -> Standings:
    fault = Fault("ada", 3, "exception", "game", "Traceback (most recent call last):\nValueError: no")
    games = [
        FinishedGame(GameKey(one, other, "duel", n), 1 + (i + n) % 2, 9 + n, "rules", f"{one}{n}", faults=([fault], []))
        if one == "ada"
        else FinishedGame(GameKey(one, other, "duel", n), 1, 9, "rules", f"{one}{other}{n}")
        for i, one in enumerate(LABELS)
        for other in LABELS
        if one != other
        for n in range(3)
    ]
    with GameStore(IN_MEMORY) as store:
        store.add(games)
        return compute_standings(store, LABELS)


@pytest.mark.parametrize(("screen", "theme"), SCREENS, ids=str)
def test_pages_fit_every_screen(
    browser: Browser, standings: Standings, tmp_path: Path, screen: tuple[int, int], theme: Literal["light", "dark"]
) -> None:
    (tmp_path / "game.html").write_text("a game")
    write_pages(
        tmp_path, tournament_pages(standings, "Ranking", [GameLink("ada", "ai1", "duel", "drawn", 0, "game.html")])
    )
    touch = screen[0] in (390, 844)
    context = browser.new_context(
        viewport={"width": screen[0], "height": screen[1]}, color_scheme=theme, has_touch=touch, is_mobile=touch
    )
    page = context.new_page()
    faults = watched(page)
    page.goto((tmp_path / "ranking.html").as_uri())
    for place in ("ranking.html", "contestants/ada.html"):
        page.goto((tmp_path / place).as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate(SMALL) == []
        chosen = {"light": "dark", "dark": "light"}[page.evaluate("document.documentElement.dataset.theme") or theme]
        page.tap("#theme") if touch else page.click("#theme")
        assert page.evaluate("document.documentElement.dataset.theme") == chosen
    page.goto((tmp_path / "ranking.html").as_uri())
    heading = page.locator("table:not(.matrix) th").nth(1)
    orders = []
    for _ in range(2):
        heading.click()
        orders.append(page.locator("table:not(.matrix)").first.locator("td:nth-child(2)").all_text_contents())
    assert orders[0] == orders[1][::-1] and sorted(orders[0]) == sorted(LABELS)
    cell = page.locator('.matrix a[href="contestants/ada.html#ai1"]')
    box = cell.bounding_box()
    assert box is not None and box["width"] >= 43 and box["height"] >= (43 if touch else 35)
    cell.tap() if touch else cell.click()
    assert page.locator("tr:target .name").text_content() == "ai1"
    page.locator("summary", has_text="9 times: exception: ValueError: no").click()
    assert page.locator("details[open] pre").text_content() == "Traceback (most recent call last):\nValueError: no"
    page.locator("td.watch a").click()
    assert page.url.endswith("game.html") and faults == []
    context.close()


def test_a_long_table_is_searched(browser: Browser, tmp_path: Path) -> None:
    rows = [[f"student {number}", str(number)] for number in range(30)]
    table = Table("Points", ["student", "points"], rows)
    write_report_page(tmp_path / "grades.html", "grades.html", "Grades", rule="", grades=table, links={})
    page = browser.new_page()
    page.goto((tmp_path / "grades.html").as_uri())
    page.fill("input", "Student 2")
    assert page.locator("tr:visible").count() == 1 + 11
    page.fill("input", "")
    assert page.locator("tr:visible").count() == 31
    page.close()


def test_a_page_of_a_running_tournament_comes_again_as_it_was_left(
    browser: Browser, standings: Standings, tmp_path: Path
) -> None:
    write_pages(tmp_path, tournament_pages(standings, "Ranking", playing=(36, 100)))
    page = browser.new_page()
    faults = watched(page)
    page.clock.install()
    page.goto((tmp_path / "ranking.html").as_uri())
    assert page.locator("progress").get_attribute("value") == "36"
    page.locator("summary").first.focus()
    page.keyboard.press("Enter")
    write_pages(tmp_path, tournament_pages(standings, "Ranking", playing=(37, 100)))
    with page.expect_navigation():
        page.clock.run_for(6_000)
    assert page.locator("progress").get_attribute("value") == "37"
    assert page.locator("details").first.get_attribute("open") is not None and faults == []
    write_pages(tmp_path, tournament_pages(standings, "Ranking"))
    with page.expect_navigation():
        page.clock.run_for(6_000)
    assert page.locator("progress").count() == 0 and faults == []
    page.close()
