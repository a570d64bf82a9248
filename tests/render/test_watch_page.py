"""The replay's page, driven in a real browser: it plays, steps, scrubs, hides, and asks nothing of any network."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest

import planetwars_env as pw
from planetwars_env.render.pages import games_page, pair_page, parts_of, replay_page, write_game_page
from planetwars_env.render.templates import page_file
from planetwars_env.render.text import view_of
from planetwars_env.render.win_probability import totals_of, win_curve
from planetwars_env.replay import Replay
from support.browser import drop, needs_browser, tab

pytestmark = needs_browser


@pytest.fixture(scope="module")
def replay() -> Replay:
    return pw.play_match("ai1", "random", "rings", seed=5, max_turns=80)


@contextmanager
def shown(browser: Any, file: Path, text: str, width: int = 1200, height: int = 800, **options: Any) -> Iterator[Any]:
    """A page with this text in a tab."""
    file.write_text(text, encoding="utf-8")
    with tab(browser, file.as_uri(), viewport={"width": width, "height": height}, **options) as page:
        yield page


def test_no_two_scripts_of_a_page_give_one_name_to_two_things() -> None:
    for name in json.loads(page_file("parts.json")):
        scripts = [page_file(part) for part in ("ask.js", *parts_of(name)) if part.endswith(".js")]
        given = Counter(re.findall(r"^(?:async )?(?:function|class|const|let) (\w+)", "".join(scripts), re.MULTILINE))
        assert [one for one, count in given.items() if count > 1] == []


@pytest.fixture
def page(browser: Any, replay: Replay, tmp_path: Path) -> Iterator[Any]:
    with shown(browser, tmp_path / "game.html", replay_page(replay)) as page:
        played(page)
        yield page


def test_the_page_plays_inside_a_notebook_and_sees_nothing_of_it(browser: Any, replay: Replay, tmp_path: Path) -> None:
    text = f"<!doctype html><script>secret = 1</script><div>{pw.watch(replay)._repr_html_()}</div>"
    with shown(browser, tmp_path / "notebook.html", text, 900) as page:
        inside = page.frames[1]
        inside.click("#next")
        assert inside.text_content("#turn") == f"turn 2 of {replay.turns}"
        assert inside.is_hidden("#play-on")  # a frame cannot be loaded again
        secret = inside.evaluate("(() => { try { return parent.secret } catch (fault) { return fault.name } })()")
        assert secret == "SecurityError"


def played(page: Any) -> None:
    """Wait until the page has played its game again."""
    page.locator("#turn", has_text="turn").wait_for()


def turn(page: Any) -> int:
    return int(page.text_content("#turn").split()[1])


def test_the_page_opens_on_the_first_turn_with_both_names_and_its_buttons_step_and_jump(
    page: Any, replay: Replay
) -> None:
    assert page.title() == "ai1 against random on rings, PLANETWARS"
    assert page.text_content("#turn") == f"turn 1 of {replay.turns}"
    assert [page.text_content(f"#name-{player}") for player in (1, 2)] == ["ai1", "random"]
    assert page.text_content("#totals-1").replace("\xa0", " ") == "2 people, 1 planet"
    for button, expected in (("next", 2), ("next", 3), ("back", 2), ("last", replay.turns), ("first", 1), ("back", 1)):
        page.click(f"#{button}")
        assert turn(page) == expected


def test_playing_goes_on_by_itself_until_it_is_paused(page: Any) -> None:
    page.select_option("#speed", "32")
    page.click("#play")
    page.wait_for_timeout(400)
    page.click("#play")
    page.locator("#play", has_text="play").wait_for()
    at = turn(page)
    assert at > 5
    page.wait_for_timeout(150)
    assert turn(page) == at


def test_a_game_that_is_played_to_its_end_says_how_it_ended(page: Any, replay: Replay) -> None:
    page.keyboard.press("End")
    assert page.text_content("#turn") == f"turn {replay.turns} of {replay.turns}"
    ends = {0: "cut off", 1: "ai1 has won", 2: "random has won"}
    assert page.text_content("#status") == ends[replay.winner]
    assert "ai1 (player 1) sent " in page.text_content("#log")
    page.keyboard.press(" ")
    assert turn(page) == 1
    page.keyboard.press(" ")


def test_the_keyboard_steps_jumps_and_changes_speed_fog_and_light_after_a_click_too(page: Any) -> None:
    for key, expected in (("ArrowRight", 2), ("Shift+ArrowRight", 12), ("ArrowLeft", 11), ("Home", 1)):
        page.keyboard.press(key)
        assert turn(page) == expected
    page.keyboard.press("+")
    assert page.input_value("#speed") == "8"
    page.keyboard.press("f")
    assert page.get_attribute("#fog-1", "aria-pressed") == "true"
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.keyboard.press("t")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != ground
    page.click("#next")
    page.select_option("#speed", "1")
    assert turn(page) == 2
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    assert turn(page) == 3 and page.text_content("#play") == "pause"


def test_the_scrubber_and_the_curves_under_it_go_to_any_turn(page: Any, replay: Replay) -> None:
    page.fill("#scrubber", "30")
    assert turn(page) == 31
    box = page.locator("#curves").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
    assert turn(page) == pytest.approx(replay.turns / 2, abs=2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"], box["y"] + 20, steps=4)
    page.mouse.up()
    assert turn(page) == replay.turns


def test_totals_are_those_that_the_viewer_knows(page: Any, replay: Replay) -> None:
    games = [game.copy() for game in replay.games()]
    for viewer, number in product((0, 1, 2), (0, 20, 41)):
        page.click(f"#fog-{viewer}")
        page.evaluate(f"page.seek({number})")
        view = view_of(games[number], viewer or None)
        for player in (1, 2):
            people = sum(planet.people[player - 1] for planet in view.planets if planet.people)
            people += sum(shuttle.people for shuttle in view.shuttles if shuttle.player == player)
            said = page.text_content(f"#totals-{player}").replace("\xa0", " ")
            assert said.split(" people, ")[0] == f"{people:,}"
            assert said.endswith("in sight") == (viewer not in (0, player))


def test_the_figures_are_those_of_the_game_choose_the_curve_and_keep_to_the_fog(page: Any, replay: Replay) -> None:
    page.evaluate("page.seek(40)")
    *_, game = islice(replay.games(), 41)
    people, planets, _, growth = totals_of(game)
    said = {"people": people, "planets": planets, "growth": growth}
    for name, (first, second) in said.items():
        button = page.locator("#figures button", has_text=name)
        assert button.locator("span").all_text_contents() == [f"{first:,}", f"{second:,}"]
        button.click()
        assert button.get_attribute("aria-pressed") == "true"
        assert page.evaluate("page.curves.values[40]") == [first, second]
    ahead = page.locator("#figures button", has_text="ahead")
    chance = round(win_curve(replay)[40] / 10)
    assert ahead.locator("span").all_text_contents() == [f"{chance} %", f"{100 - chance} %"]
    lines = page.locator("#curves polyline")
    assert [line.get_attribute("class") for line in lines.all()] == ["one", "two"]
    page.click("#fog-2")
    assert ahead.is_hidden()
    assert page.locator("#figures button", has_text="people").locator("span").all_text_contents() == [f"{people[1]:,}"]
    assert [line.get_attribute("class") for line in lines.all()] == ["two"]


EVENTS = "page.events.map(({ at, kind, player, planet }) => [at, kind, player, planet])"


def test_events_are_the_changes_of_hands_that_the_viewer_sees(page: Any, replay: Replay) -> None:
    for viewer in (0, 1, 2):
        page.click(f"#fog-{viewer}")
        expected = []
        before: list[int | None] = []
        for at, game in enumerate(replay.games()):
            now = [planet.owner for planet in view_of(game, viewer or None).planets]
            for planet, (old, new) in enumerate(zip(before, now, strict=False)):
                lost = old == viewer and new is None
                if old != new and (lost or new == viewer or (old is not None and new is not None)):
                    expected.append((at, planet))
            before = now
        events = page.evaluate(EVENTS)
        changes = [(at, planet) for at, kind, _, planet in events if kind not in ("held", "turn", "end")]
        assert sorted(changes) == sorted(expected)
        assert ("turn" in {kind for _, kind, *_ in events}) <= (viewer == 0)
        assert page.locator("#events li").count() == len(events)


def test_n_goes_from_event_to_event_and_the_list_keeps_it_in_sight(page: Any) -> None:
    marked = sorted(set(page.evaluate("page.events.filter(isMarked).map(({ at }) => at)")))
    assert len(marked) > 1
    for at in marked:
        page.keyboard.press("n")
        assert page.evaluate("page.at") == at
    row = page.locator("#events [aria-current]").last.bounding_box()
    box = page.locator("#events").bounding_box()
    assert box["y"] <= row["y"] and row["y"] + row["height"] <= box["y"] + box["height"] + 1
    page.keyboard.press("Shift+N")
    assert page.evaluate("page.at") == marked[-2]
    page.click("#event-next")
    assert page.evaluate("page.at") == marked[-1]
    page.locator("#events button").first.click()
    assert page.evaluate("page.at") == page.evaluate("page.events[0].at")


def test_planets_that_change_hands_flash(page: Any) -> None:
    at, planet = page.evaluate(
        "page.events.filter(({ kind }) => kind === 'settled').map((one) => [one.at, one.planet])[0]"
    )
    drawn = """([at, planet]) => {
        page.seek(at);
        const { x, y, radius } = page.drawing.placeOf(planet);
        const box = page.drawing.canvas.getBoundingClientRect();
        const context = page.drawing.canvas.getContext("2d");
        return [...context.getImageData(x - box.left - radius - 7, y - box.top, 1, 1).data].join();
    }"""
    assert page.evaluate(drawn, [at, planet]) != page.evaluate(drawn, [at + 1, planet])


def test_the_window_follows_the_planets_that_change_hands(page: Any) -> None:
    page.evaluate("page.seek(page.events.find((one) => one.planet !== null && one.kind !== 'held').at)")
    page.keyboard.press("a")
    planet = page.evaluate("page.target")
    assert planet == page.evaluate("page.state.changed.at(-1).planet")
    assert page.evaluate("page.drawing.view.zoom") >= 2
    x, y = page.evaluate("page.drawing.view.places[page.target]")
    width, height = page.evaluate("[page.drawing.view.width, page.drawing.view.height]")
    assert 0 < x < width and 0 < y < height
    page.keyboard.press("a")
    assert page.evaluate("page.drawing.view.zoom") == 1


def test_the_address_holds_turn_and_view_and_opens_them_again(browser: Any, page: Any) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("page.seek(29)")
    page.click("#fog-2")
    page.click("#link")
    page.locator("#link", has_text="copied").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.endswith("#turn=30&as=2")
    page.wait_for_url(link)
    page.evaluate("location.hash = '#turn=12'")
    page.locator("#turn", has_text="turn 12 of").wait_for()
    assert page.get_attribute("#fog-0", "aria-pressed") == "true"
    other = browser.new_page()
    other.goto(link)
    played(other)
    assert (turn(other), other.get_attribute("#fog-2", "aria-pressed")) == (30, "true")
    other.goto("about:blank")
    other.goto(link.replace("30&as=2", "what&as=7"))
    played(other)
    assert (turn(other), other.get_attribute("#fog-0", "aria-pressed")) == (1, "true")
    other.close()


def test_two_games_run_on_one_clock(browser: Any, replay: Replay, tmp_path: Path) -> None:
    short = pw.play_match("random", "ai2", "duel", seed=1, max_turns=20)
    with shown(browser, tmp_path / "pair.html", pair_page(short, replay), 1440, 900) as page:
        one, other = page.frames[1:]
        for frame in (one, other):
            frame.wait_for_selector("#figures button")

        def both_reach(*turns: int) -> None:
            for _ in range(100):
                if [turn(frame) for frame in (one, other)] == [*turns]:
                    return
                page.wait_for_timeout(50)  # one tells the other by a message
            assert [turn(frame) for frame in (one, other)] == [*turns]

        other.click("#next")
        both_reach(2, 2)
        one.fill("#scrubber", "50")
        both_reach(20, 51)
        assert one.text_content("#status").startswith("cut off")
        one.fill("#scrubber", "0")
        both_reach(1, 1)
        one.select_option("#speed", "8")
        one.click("#play")
        for _ in range(100):
            if one.evaluate("page.at") > 3:
                break
            page.wait_for_timeout(50)
        one.click("#play")
        reached = 1 + one.evaluate("page.at")
        assert reached > 4
        both_reach(min(reached, short.turns), reached)


@pytest.mark.parametrize("width", [390, 1440])
def test_the_list_of_games_has_links_curves_and_a_filter(
    browser: Any, replay: Replay, tmp_path: Path, width: int
) -> None:
    other = pw.play_match("ai3", "ai2", "duel", seed=1, max_turns=60)
    for name, one in (("a.html", replay), ("b.html", other)):
        write_game_page(tmp_path / name, one)
        assert (tmp_path / name).stat().st_size < 20_000
    text = games_page("two games", [("a.html", replay), ("b.html", other)])
    with shown(browser, tmp_path / "games.html", text, width, 844) as page:
        assert page.locator("#games a").count() == 2
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        points = page.evaluate("curves.map(({ values }) => values.length)")
        assert points == [len(win_curve(one)) for one in (replay, other)]
        page.fill("#filter", "DUEL")
        assert [page.locator("#games li").nth(i).is_visible() for i in (0, 1)] == [False, True]
        assert page.inner_text("#title") == f"1 of two games, median {other.turns} turns"
        page.fill("#filter", "")
        page.select_option("#order", "longest first" if replay.turns < other.turns else "shortest first")
        links = "[...document.querySelectorAll('#games a')].map((one) => one.getAttribute('href'))"
        assert page.evaluate(links) == ["b.html", "a.html"]
        page.select_option("#order", "by name of file")
        page.locator("#games a").first.click()
        page.locator("#turn", has_text=f"turn 1 of {replay.turns}").wait_for()
        page.click("#next")
        assert turn(page) == 2


@pytest.mark.parametrize(("graph", "at"), [("rings", 6), ("large/0", 77)])
def test_a_saved_game_is_played_on_in_its_page(browser: Any, tmp_path: Path, graph: str, at: int) -> None:
    """It outlives a reload, also where it is too long for an address; going back leads to the replay."""
    replay = pw.play_match("ai3", "ai2", graph, seed=5, max_turns=90)
    file = tmp_path / "game.html"
    short = graph == "rings"
    pw.watch(replay).save(file) if short else write_game_page(file, replay)
    with tab(browser, file.as_uri()) as page:
        played(page)
        page.evaluate(f"page.seek({at})")
        page.click("#play-on")
        page.locator("#turn", has_text=f"turn {at + 1} of 90").wait_for()
        assert page.evaluate("page.game.players") == (["you", "ai2"] if short else ["ai3", "you"])
        moves = [[list(move) for move in turn] for turn in replay.moves[:at]]
        assert page.evaluate("page.connection._referee.saved().moves") == moves
        page.click("#end")
        page.locator("#turn", has_text=f"turn {at + 3} of 90").wait_for()
        page.wait_for_url(re.compile("#game=.+$" if short else "#game=$"))
        page.reload()
        page.locator("#turn", has_text=f"turn {at + 3} of 90").wait_for()
        assert page.locator("a:visible").count() == 0
        page.go_back()
        page.locator("#first").wait_for()
        page.locator("#turn", has_text=f"turn {at + 1} of {replay.turns}").wait_for()
        assert page.text_content("#name-1") == "ai3"


def test_a_game_that_is_over_is_played_on_from_its_last_turn_and_ai3_takes_the_place_of_an_agent(
    browser: Any, tmp_path: Path
) -> None:
    replay = pw.play_match("ai3", "random", "duel", seed=1)
    data = {**replay.to_dict(), "players": ["graph-all", "random"]}
    with shown(browser, tmp_path / "game.html", replay_page(Replay.from_dict(data))) as page:
        played(page)
        page.click("#fog-2")
        page.click("#last")
        page.click("#play-on")
        page.locator("#turn", has_text=f"turn {replay.turns - 1} of 500").wait_for()
        assert page.evaluate("[...page.game.players, page.now.over]") == ["ai3", "you", False]
        assert page.evaluate("element('save-page').hidden")


def test_a_game_in_the_storage_of_another_tab_leaves_the_replay(browser: Any, replay: Replay, tmp_path: Path) -> None:
    (tmp_path / "game.html").write_text(replay_page(replay), encoding="utf-8")
    with tab(browser, f"{(tmp_path / 'game.html').as_uri()}#game=") as page:
        page.locator("#turn", has_text=f"turn 1 of {replay.turns}").wait_for()
        assert page.is_visible("#play-on")


def test_the_page_shows_what_an_agent_reads_where_the_fog_allows_it(browser: Any, tmp_path: Path) -> None:
    agent = pw.load_agent("graph-planetwars-small")
    replay = pw.play_match(agent, "ai2", "rings", seed=2, max_turns=30)
    reading = pw.read_game(agent, replay)
    one = next(one for one in reading.turns if one.turn > 8 and one.orders and one.influence)
    move, chance = one.orders[0]
    with shown(browser, tmp_path / "read.html", replay_page(replay, reading)) as page:
        played(page)
        page.evaluate(f"page.seek({one.turn - 1})")
        said = f"{round(100 * chance)} % {move.people} from #{move.source} to #{move.destination}"
        assert page.locator("#orders li").first.text_content() == said
        assert len(page.evaluate("page.state.influence")) == len(one.influence)
        estimate = page.locator("#figures button", has_text="estimate")
        assert estimate.locator("span").all_text_contents() == [f"{one.value:.2f}".replace("-", "−"), "–"]
        estimate.click()
        page.click("#influence")
        assert page.evaluate("page.state.influence") == []
        page.click("#influence")
        page.click("#fog-2")
        assert page.evaluate("page.state.influence") == []
        assert "from" not in page.text_content("#orders")
        assert estimate.locator("span").all_text_contents() == ["–"]


def test_hovering_over_a_planet_tells_about_it(page: Any, replay: Replay) -> None:
    base = replay.graph.index[replay.graph.bases[0]]
    place = page.evaluate(f"page.drawing.placeOf({base})")
    page.mouse.move(place["x"], place["y"])
    text = page.text_content("#details")
    assert "of ai1" in text and "people: 2" in text and "base of ai1" in text
    page.click("#fog-2")
    page.mouse.move(place["x"], place["y"])
    assert "hidden by the fog" in page.text_content("#details")
    page.mouse.move(2, 2)
    assert page.is_hidden("#details")


def test_a_tap_tells_about_a_planet_and_what_it_says_stays(browser: Any, replay: Replay, tmp_path: Path) -> None:
    with shown(browser, tmp_path / "game.html", replay_page(replay), 390, 844, has_touch=True) as page:
        played(page)
        place = page.evaluate(f"page.drawing.placeOf({replay.graph.index[replay.graph.bases[0]]})")
        page.touchscreen.tap(place["x"], place["y"])
        page.wait_for_timeout(100)
        assert page.is_visible("#details") and "base of ai1" in page.text_content("#details")
        page.touchscreen.tap(4, place["y"] + 60)
        assert page.is_hidden("#details")


def test_everything_fits_phones_and_desktops(page: Any) -> None:
    for width, height in ((360, 640), (390, 844), (844, 390), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(50)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for button in ("first", "play", "last", "event-next", "link", "speed", "fog-0", "fog-2", "theme", "scrubber"):
            box = page.locator(f"#{button}").bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= width
            assert box["y"] + box["height"] <= height
        assert page.locator("#canvas").bounding_box()["height"] >= 250


def test_names_cannot_smuggle_anything_into_the_page(browser: Any, replay: Replay, tmp_path: Path) -> None:
    evil = "</script><img src=x onerror=alert(1)>"
    data = {**replay.to_dict(), "players": [evil, "b"]}
    (tmp_path / "evil.json").write_text(json.dumps(data))
    with shown(browser, tmp_path / "evil.html", replay_page(Replay.load(tmp_path / "evil.json"))) as page:
        played(page)
        assert page.text_content("#name-1") == evil


def test_a_file_that_is_dropped_is_shown_and_stands_in_the_address(
    browser: Any, replay: Replay, tmp_path: Path
) -> None:
    other = pw.play_match("ai3", "ai2", "duel", seed=1, max_turns=60)
    other.save(tmp_path / "other.json.gz")
    with shown(browser, tmp_path / "watch.html", replay_page(None)) as page:
        assert page.locator("#waiting").is_visible() and not page.locator("#canvas").is_visible()
        drop(page, "notes.txt", b"dear diary")
        page.locator("#open-fault", has_text="notes.txt: the file holds no replay").wait_for()
        page.set_input_files("#open-file", tmp_path / "other.json.gz")
        page.locator("#turn", has_text=f"turn 1 of {other.turns}").wait_for()
        page.click("#next")
        page.wait_for_url(re.compile("#replay=.*turn=2$"))
        again = browser.new_page()
        again.goto(page.url)
        again.locator("#turn", has_text=f"turn 2 of {other.turns}").wait_for()
        drop(again, "game.json", json.dumps(replay.to_dict()).encode())
        again.locator("#turn", has_text=f"turn 1 of {replay.turns}").wait_for()
        again.close()


def test_the_page_itself_stays_small(replay: Replay) -> None:
    page = replay_page(replay)
    data = page.index('id="data">'), page.index("</script>", page.index('id="data">'))
    assert len(page) - (data[1] - data[0]) < 300_000
    assert "http://" not in page and "https://" not in page


@pytest.mark.parametrize(("width", "height", "most"), [(1440, 900, 0.02), (1024, 768, 0.05), (390, 844, 0.05)])
def test_numbers_of_a_large_board_do_not_cover_each_other(
    browser: Any, tmp_path: Path, width: int, height: int, most: float
) -> None:
    """Nearly all of them are shown on a desktop; on a phone some wait for more room, and no word is below 11 pixels."""
    replay = pw.play_match("ai3", "ai3", "large/9", seed=1, max_turns=150)
    count = """() => {
        const sums = [0, 0, 0];
        for (let at = 0; at < page.game.length; at += 7) {
            page.seek(at);
            // Growth and losses wait for room everywhere.
            const [shown, wanted] = [page.drawing.labels.shown, page.drawing.labels.wanted].map((labels) => {
                return labels.filter(({ rank }) => rank < RANK.loss);
            });
            sums[0] += shown.length;
            sums[1] += shown.filter((a) => shown.some((b) => a !== b && overlap(a, b))).length;
            sums[2] += wanted.length;
        }
        return sums;
    }"""
    with shown(browser, tmp_path / "large.html", replay_page(replay), width, height) as page:
        played(page)
        page.wait_for_timeout(100)
        drawn, covered, wanted = page.evaluate(count)
        sizes = page.evaluate("[...page.drawing.labels.words.keys()].map((key) => Number(key.split('|')[1]))")
    assert min(sizes) >= 11
    assert covered <= most * drawn
    assert drawn >= (0.95 if width > 1000 else 0.75) * wanted


def test_shuttles_that_fly_side_by_side_are_one_with_a_sum_and_those_who_meet_pass_on_the_right(page: Any) -> None:
    marks = """(lefts) => {
        const one = (left, people) => ({ from: 0, to: 1, player: 1, people, left, flight: 50 });
        const ships = lefts.map((left, i) => one(left, 28 + i));
        return shuttleMarks(ships, [[0, 0], [300, 0]], [20, 20], 0, 15, 1).map(({ text }) => text);
    }"""
    assert page.evaluate(marks, [20, 21]) == ["28+29"]
    assert page.evaluate(marks, [20, 40]) == ["29", "28"]
    assert page.evaluate(marks, [20, 21, 22, 23]) == ["Σ118"]
    places = """([from, to, player, left, flown]) => {
        const ship = { from, to, player, people: 5, left, flight: 10 };
        const [{ x, y }] = shuttleMarks([ship], [[0, 0], [300, 0]], [20, 20], flown, 15, 1);
        return [x, y];
    }"""
    one, other = (page.evaluate(places, [*way, 5, 0]) for way in ((0, 1, 1), (1, 0, 2)))
    assert 28 < one[0] < 272 and one[1] * other[1] < 0 and one[0] == pytest.approx(other[0], abs=0.5)
    later, half = (page.evaluate(places, [0, 1, 1, *turn])[0] for turn in ((4, 0), (5, 0.5)))
    assert half == pytest.approx((one[0] + later) / 2)


def test_the_ground_glows_in_the_colour_of_whoever_owns_the_planets_there(page: Any, replay: Replay) -> None:
    """Beside every planet and, where both ends are one player's, on the edges; and again after a change of theme."""
    beside = """(at) => {
        page.seek(at);
        const { context, view, radii, pixels, colours } = page.drawing;
        const ground = parseInt(colours.ground.slice(5), 16) - parseInt(colours.ground.slice(1, 3), 16);
        const glow = (x, y) => {  // player 1 is blue, player 2 orange
            const [red, , blue] = context.getImageData(x * pixels, y * pixels, 1, 1).data;
            const more = blue - red - ground;
            return more > 5 ? 1 : more < -5 ? 2 : 0;
        };
        return page.state.planets.map(({ owner }, i) => {
            const [x, y] = view.places[i];
            const away = radii[i] + 9;
            return [owner, [-0.7, 0.7].map((side) => glow(x + side * away, y + side * away))];
        });
    }"""
    seen = set()
    for theme in ("light", "dark"):
        for at in (0, 20, replay.turns - 1):
            for owner, glow in page.evaluate(beside, at):
                seen.add(owner)
                assert owner == 0 or owner in glow, (theme, at)
        page.keyboard.press("t")
    assert seen == {0, 1, 2}


@pytest.mark.slow
def test_a_long_game_on_a_large_board_scrubs_without_stutter(browser: Any, tmp_path: Path) -> None:
    graph = pw.generate_graph("large", seed=1, planets=60)
    replay = pw.play_match("ai3", "ai3", graph, seed=1, max_turns=500)
    assert replay.turns == 500
    scrub = """() => {
        const scrubber = document.getElementById("scrubber");
        const pixels = document.getElementById("canvas").getContext("2d");
        const times = [];
        for (let at = 0; at < page.game.length; at += 3) {
            const start = performance.now();
            scrubber.value = at;
            scrubber.dispatchEvent(new Event("input"));
            pixels.getImageData(0, 0, 1, 1);  // waits until everything is drawn
            times.push(performance.now() - start);
        }
        return times.sort((a, b) => a - b);
    }"""
    with shown(browser, tmp_path / "long.html", replay_page(replay), 1280) as page:
        assert (tmp_path / "long.html").stat().st_size < 300_000
        played(page)
        times = page.evaluate(scrub)
    median = times[len(times) // 2]
    print(f"{replay.turns} turns, {len(graph.planets)} planets: median {median:.1f} ms, worst {times[-1]:.1f} ms")
    # Beside other tests on few cores everything takes longer: alone it must keep 60 frames per second.
    assert median < (16 if "PYTEST_XDIST_WORKER" not in os.environ else 50)
