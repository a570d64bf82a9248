"""Games on the play page in a real browser: begun, taken back, played on, handed over, and what comes after."""

from typing import Any

import planetwars_env as pw
from planetwars_env.playing.server import running
from support.browser import needs_browser
from support.play_client import opening
from support.play_page import choose, choose_player, click, end_turn, give_up, on_disk, opened, orders, shown, wait

pytestmark = needs_browser


def test_a_new_game_is_put_together_in_the_dialog(browser: Any) -> None:
    """It offers no noop, and marks agents that never learned the rules."""
    with running(opening("you", "noop", "line")) as address, opened(browser, address) as page:
        page.keyboard.press("n")
        for number in (1, 2):
            offered = page.locator(f"#player-{number} option").all_text_contents()
            assert "ai1" in offered and "noop" not in offered
        one, all_rules = (page.locator(f"#player-2 option[value={name}]") for name in ("graph-planetwars", "graph-all"))
        assert one.text_content() == "graph-planetwars"
        page.select_option("#rules", "PLANETWARS_HALF_STEP")
        assert one.text_content() == "graph-planetwars (learned PLANETWARS only)"
        assert all_rules.text_content() == "graph-all"
        choose_player(page, 2, "nobody.py")
        page.click("#setup-start")
        wait(page, "document.getElementById('setup-error').textContent !== ''")
        assert "nobody.py does not exist" in page.text_content("#setup-error")
        page.select_option("#player-2", "random")
        page.select_option("#graph", "test")
        page.fill("#graph-number", "17")
        page.select_option("#rules", "SPACE_EXPLORERS")
        page.keyboard.press("Enter")
        wait(page, "page.game.graph.name === 'test/17'")
        assert page.is_hidden("#setup")
        assert page.title() == "you against random on test/17, SPACE_EXPLORERS"


def test_after_start_the_board_has_the_focus_and_no_key_opens_the_dialog_again(page: Any) -> None:
    choose(page, "#new")
    page.select_option("#graph", "rings")
    page.click("#setup-start")
    wait(page, "page.game.graph.name === 'rings' && page.now")
    assert page.evaluate("document.activeElement.id") == "canvas"
    for key in ("Space", "Enter"):
        page.keyboard.press(key)
        assert page.is_hidden("#setup")


def test_between_two_people_a_handover_hides_everything(browser: Any) -> None:
    with on_disk(opening("you", "you", "rings")) as address, opened(browser, address) as page:
        assert "player 1's turn" in page.text_content("#handover-text")
        page.keyboard.press("e")
        page.keyboard.press("Escape")
        assert page.is_visible("#handover")
        page.keyboard.press("Enter")
        wait(page, "page.now.yours")
        assert page.is_hidden("#handover")
        pixels = (
            "[...page.drawing.context.getImageData(0, 0, page.drawing.canvas.width, 300).data].some((value) => value)"
        )
        assert page.evaluate(pixels)
        page.keyboard.press("e")
        wait(page, "page.now.handover === 2")
        assert page.is_visible("#handover")
        assert not page.evaluate(pixels)
        assert shown(page)["state"] is None and page.text_content("#totals-1") == ""
        assert page.locator("#planets li").count() == 0 and page.is_hidden("#events-box")


def test_after_a_game_it_is_watched_again_in_its_place_and_the_panel_offers_what_to_play_next(page: Any) -> None:
    for _ in range(3):
        end_turn(page)
    assert page.is_hidden("#scrubber")
    give_up(page)
    assert page.evaluate("document.activeElement.id") == "canvas"
    page.keyboard.press(" ")
    wait(page, "page.look.past?.turn > 1 && page.drawing.state.turn === page.look.past.turn")
    wait(page, "page.look.past === null")
    assert page.text_content("#result-who") == "noop has won"
    assert page.text_content("#result-how").startswith("You have given up on turn 7.")
    box = page.locator("#ahead").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
    wait(page, "page.look.past?.turn === 4")
    page.click("#result-sides")
    wait(page, "page.game.players[1] === 'you' && page.now?.yours")
    assert page.is_hidden("#result")
    give_up(page)
    assert "After 2 games: noop 2, you 0." in page.text_content("#result-how")
    assert page.text_content("#result-next") == "against random"
    page.click("#result-next")
    wait(page, "page.game.players[0] === 'random' && page.now?.yours")


def test_a_game_between_bots_is_played_on_by_a_person_from_any_turn(browser: Any) -> None:
    with on_disk(opening("ai1", "ai2", "rings")) as address, opened(browser, address) as page:
        wait(page, "page.now.turn > 20")
        page.keyboard.press("p")
        page.fill("#scrubber", "15")
        wait(page, "page.look.past?.turn === 15")
        people = page.evaluate("page.look.past.state.planets.map(({ people }) => people)")
        page.click("#play-on")
        assert page.text_content("#setup-title") == "Play on from turn 15"
        assert page.is_hidden("#graph")
        page.select_option("#player-1", "you")
        page.click("#setup-start")
        wait(page, "page.now?.yours && page.now.turn === 15")
        assert page.text_content("#name-1") == "you"
        for planet, there in zip(shown(page)["state"]["planets"], people, strict=True):
            assert planet["people"] in (None, there)
        end_turn(page)
        give_up(page)
        assert page.evaluate("page.now.totals.length") == shown(page)["turn"]


def test_a_series_changes_sides_counts_and_outlives_a_reload(page: Any) -> None:
    page.keyboard.press("n")
    choose_player(page, 2, "noop")
    page.select_option("#graph", "line")
    page.select_option("#best-of", "3")
    page.click("#setup-start")
    wait(page, "page.series.now?.best === 3 && page.now?.yours")
    give_up(page)
    assert page.text_content("#result-series-text") == "Best of 3, after game 1: you 0, noop 1."
    page.reload()
    wait(page, "page.now?.over")
    assert page.text_content("#result-series-text") == "Best of 3, after game 1: you 0, noop 1."
    page.click("#result-series")
    wait(page, "page.game.players[1] === 'you' && page.now?.yours")
    end_turn(page)
    give_up(page)
    assert page.text_content("#result-series-text") == "Best of 3: you 0, noop 2; noop has won it."
    assert page.is_hidden("#result-series")
    choose(page, "#take-back")
    wait(page, "page.now?.yours")
    give_up(page)
    assert page.text_content("#result-series-text") == "Best of 3: you 0, noop 2; noop has won it."
    page.click("#result-again")
    wait(page, "page.now?.yours")
    assert page.evaluate("page.series.now") is None


def test_a_shipped_agent_gives_hints_and_the_choice_is_remembered(page: Any) -> None:
    options = page.locator("#hint-by option").all_text_contents()
    assert options[:2] == ["planner", "graph-all"]
    page.click("#more")
    page.select_option("#hint-by", "graph-planetwars")
    page.click("#hint")
    wait(page, "document.getElementById('log').textContent.startsWith('graph-planetwars would send')")
    page.reload()
    wait(page, "page.now")
    assert page.input_value("#hint-by") == "graph-planetwars"


def test_a_turn_of_a_game_that_is_over_is_played_once_more_beside_what_was_done_and_a_hint(page: Any) -> None:
    click(page, 1)
    click(page, 2)
    page.keyboard.press("Enter")
    wait(page, "page.now.orders.length === 1")
    for _ in range(4):
        end_turn(page)
    give_up(page)
    page.evaluate("page.playFrom(1, [[1, 2, 1]])")
    wait(page, "page.now?.yours && page.now.turn === 1 && page.line.advised.length > 0")
    assert page.locator("#advice li").all_inner_texts() == ["1 from #1 to #2\n0 → 1 yours"]
    assert page.evaluate("page.drawing.outcomes") == [[1, "0 → 1 yours"]]
    assert page.inner_text("#log").startswith("The planner would send")
    assert page.inner_text("#log").endswith("Your moves are grey.")
    assert page.evaluate("page.drawing.arrows[0]") == [0, 1, 1, False]
    assert page.evaluate("page.drawing.arrows.at(-1)[3]") is True
    page.click("#advice-do")
    wait(page, "page.now.orders.length === 1")
    assert page.is_hidden("#advice-box")
    page.keyboard.press("h")
    wait(page, "page.line.advised.length > 0")
    page.click("#advice-do")
    page.evaluate("page.connection._last")
    assert orders(page) == [[1, 2, 1]] and page.is_hidden("#error")
    end_turn(page)
    assert page.evaluate("page.drawing.arrows") == []


def test_a_click_on_a_worst_turn_plays_on_from_there_with_a_hint(browser: Any) -> None:
    begun = opening("you", "ai1", "rings", moves=pw.play_match("noop", "ai1", "rings", seed=2, max_turns=40).moves)
    with on_disk(begun) as address, opened(browser, address) as page:
        give_up(page)
        wait(page, "!document.getElementById('result-worst').hidden")
        button = page.locator("#result-worst button").first
        turn = int(button.inner_text().split()[1].rstrip(":"))
        button.click()
        wait(page, f"page.now?.yours && page.now.turn === {turn} && page.line.advised.length > 0")
        assert page.is_hidden("#result")
