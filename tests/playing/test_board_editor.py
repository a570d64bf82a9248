"""The board editor: driven in a real browser by mouse, touch and keyboard, and its server asked without one."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import planetwars_env as pw
from planetwars_env.graphs.graph import Graph
from planetwars_env.playing.server import LARGEST_BOARD, running
from support.browser import drag, needs_browser, tab, touches
from support.play_client import cookie_of, fetch, get, opening, post, wanted
from support.play_page import choose, choose_player

Board = dict[str, Any]

# What is written on the board.
WRITTEN = """() => {
    const found = [];
    const pen = CanvasRenderingContext2D.prototype, write = pen.fillText;
    pen.fillText = function (...given) { found.push(given[0]); write.apply(this, given); };
    page.drawing.labels.forget();
    page.drawing.draw();
    pen.fillText = write;
    return found;
}"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "boards"


@pytest.fixture
def editor(folder: Path) -> Iterator[str]:
    with running(replace(opening("you", "noop"), boards=folder)) as address:
        yield address


def board(name: str = "duel") -> Board:
    return {"name": name, **pw.load_graph("duel").to_dict()}


# --- the server --------------------------------------------------------------------------------------------------


def test_a_board_is_saved_in_the_users_folder_alone_and_replaced_on_request_only(editor: str, folder: Path) -> None:
    asked = {"board": board("../../my board!"), "replace": False}
    assert post(editor, "/editor/save", asked) == {"saved": str(folder / "my-board.dot")}
    assert pw.load_graph(folder / "my-board.dot") == pw.load_graph("duel")
    asked["board"]["planets"][0]["size"] = 7
    assert post(editor, "/editor/save", asked) == {"exists": "my-board.dot"}
    assert pw.load_graph(folder / "my-board.dot") == pw.load_graph("duel")
    post(editor, "/editor/save", {**asked, "replace": True})
    assert pw.load_graph(folder / "my-board.dot").planets[0].size == 7
    assert [path.name for path in folder.iterdir()] == ["my-board.dot"]
    held = get(editor, "/editor")[1].partition('id="data">')[2].partition("</script>")[0]
    assert str(folder / "my-board.dot") in json.loads(held)["choices"]["saved"]


def test_nothing_is_saved_without_a_folder_and_nobody_else_is_answered(editor: str, folder: Path) -> None:
    asked = {"board": board(), "replace": False}
    for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}, {"Cookie": "x=1"}, {"Origin": "null"}):
        for path in ("save", "load?graph=duel", "play"):
            assert fetch(editor, f"/editor/{path}", asked, **{**cookie_of(editor), **headers})[0] == 403
    assert not folder.exists()
    with running(opening("you", "noop")) as other:
        assert "without a folder" in post(other, "/editor/save", asked)["error"]


def test_boards_that_are_too_large_or_break_the_rules_and_what_no_editor_would_send_are_refused(editor: str) -> None:
    wrong = board()
    wrong["planets"][1]["size"] = 0
    nonsense = b"", b"[]", b"{}", b"7", b'{"board": 3}', b"\xff", b"[" * 9000, b'{"planets": 1}'
    for path, asked in (
        ("/editor/save", {"board": wrong, "replace": False}),
        ("/game", {**wanted(), "from": {"graph": wrong}}),
    ):
        assert "planet 2: size is 0; it must be a whole number" in post(editor, path, asked)["error"]
        assert all(post(editor, path, body)["error"] for body in nonsense)
    assert "too large" in post(editor, "/editor/save", b" " * (LARGEST_BOARD + 1))["error"]
    assert "no graph 'moon'" in json.loads(get(editor, "/editor/load?graph=moon")[1])["error"]


# --- the page ----------------------------------------------------------------------------------------------------


@contextmanager
def opened(browser: Any, address: str, graph: str = "", **options: Any) -> Iterator[Any]:
    with tab(browser, address, **options) as page:
        page.goto(f"{address.partition('?')[0]}editor{f'?graph={graph}' if graph else ''}")
        page.locator("#fault", has_text="planets").wait_for()
        if graph:
            page.locator("#told", has_text="loaded").wait_for()
        yield page


def wait(page: Any, text: str, where: str = "#fault") -> None:
    page.locator(where, has_text=text).wait_for(timeout=10_000)


def data(page: Any) -> Board:
    return page.evaluate("page.model.data()")


def at(page: Any, x: float, y: float) -> tuple[float, float]:
    """A place on the canvas, in parts of its width and height."""
    box = page.locator("#canvas").bounding_box()
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


def planet(page: Any, id: int) -> tuple[float, float]:
    place = page.evaluate(f"page.drawing.placeOf(page._index({id}))")
    return place["x"], place["y"]


def edges(page: Any) -> list[tuple[int, int, int]]:
    return [(edge["a"], edge["b"], edge["weight"]) for edge in data(page)["edges"]]


@needs_browser
def test_a_board_is_drawn_by_mouse_saved_and_played_and_the_dialog_of_games_leads_back(
    browser: Any, editor: str, folder: Path
) -> None:
    with opened(browser, editor) as page:
        wait(page, "A new board: no planets yet.")
        assert page.is_disabled("#play")
        for place in ((0.3, 0.4), (0.7, 0.4), (0.5, 0.7)):
            page.mouse.click(*at(page, *place))
        wait(page, "keeps the rules: 3 planets, 0 edges")
        assert [one["base"] for one in data(page)["planets"]] == [1, 2, 0]
        drag(page, planet(page, 1), planet(page, 3))
        drag(page, planet(page, 3), planet(page, 2))
        assert [edge[:2] for edge in edges(page)] == [(1, 3), (3, 2)]
        page.fill("#edges input", "4")
        wait(page, "keeps the rules: 3 planets, 2 edges")
        before = data(page)["planets"][2]
        drag(page, planet(page, 3), at(page, 0.5, 0.2))
        after = data(page)["planets"][2]
        assert after["y"] > before["y"] + 1 and abs(after["x"] - before["x"]) < 0.1
        page.fill("#size", "0")
        wait(page, "planet 3: size is 0")
        assert page.evaluate("page.drawing.state.marks") == [{"planet": 2, "text": "⚠ size is 0", "player": 2}]
        page.mouse.click(*planet(page, 1))
        page.click("#fault-show")
        assert page.text_content("#selected-title") == "planet #3"
        page.fill("#size", "333")
        page.fill("#habitability", "7")
        page.fill("#name", "Three in a row")
        wait(page, "keeps the rules")
        assert {"#1", "#2", "4", "333"} <= set(page.evaluate(WRITTEN))
        with page.expect_download() as kept:
            page.click("#download")
        assert kept.value.suggested_filename == "Three-in-a-row.dot"
        drawn = pw.load_graph(kept.value.path())
        assert [(one.size, one.habitability) for one in drawn.planets][2] == (333, 7)
        assert [edge.weight for edge in drawn.edges if edge.a == 2] == [4]
        page.click("#save")
        wait(page, "Three-in-a-row.dot is saved", "#told")
        assert pw.load_graph(folder / "Three-in-a-row.dot") == drawn
        page.click("#save")
        page.click("#replace")
        wait(page, "is saved", "#told")
        choose_player(page, 2, "noop")
        page.click("#play")
        page.locator("#status", has_text="your turn").wait_for()
        assert page.evaluate("page.game.graph.name") == "Three in a row"
        assert page.evaluate("page.game.players") == ["you", "noop"]
        page.go_back()
        wait(page, "keeps the rules: 3 planets, 2 edges")
        page.click("text=to the game")
        page.locator("#turn", has_text="turn").wait_for()
        page.evaluate("page.legend.toggle(false)")
        choose(page, "#new")
        page.click("#editor")
        wait(page, "keeps the rules: 3 planets, 2 edges")


@needs_browser
def test_every_change_is_undone_and_done_again(browser: Any, editor: str) -> None:
    with opened(browser, editor, "rings") as page:
        wait(page, "8 planets, 9 edges")
        assert Graph.from_dict(data(page), "rings") == pw.load_graph("rings")
        page.select_option("#mirror", "point")  # which it keeps already
        wait(page, "8 planets, 9 edges")
        assert Graph.from_dict(data(page), "") == pw.load_graph("rings")
        page.select_option("#mirror", "none")
        states = [data(page)]
        for change in (
            lambda: page.mouse.click(*at(page, 0.5, 0.9)),
            lambda: drag(page, planet(page, 9), planet(page, 4)),
            lambda: page.keyboard.press("Delete"),
            lambda: drag(page, planet(page, 9), at(page, 0.5, 0.1)),
            lambda: page.locator("#size").press_sequentially("12"),
            lambda: page.select_option("#base", "1"),
            lambda: page.click("#remove"),
            lambda: page.select_option("#mirror", "point"),
            lambda: page.click("#clear"),
        ):
            change()
            assert data(page) != states[-1]
            states.append(data(page))
        for state in reversed(states[:-1]):
            page.click("#undo")
            assert data(page) == state
        for state in states[1:]:
            page.keyboard.press("Control+Shift+z")
            assert data(page) == state
        page.keyboard.press("Control+z")
        wait(page, "8 planets, 9 edges")


@needs_browser
@pytest.mark.parametrize("mirror", ["point", "sides"])
def test_under_a_mirror_the_second_half_is_made_from_the_first(browser: Any, editor: str, mirror: str) -> None:
    with opened(browser, editor) as page:
        page.mouse.click(*at(page, 0.2, 0.3))
        page.mouse.click(*at(page, 0.35, 0.6))
        drag(page, planet(page, 1), planet(page, 2))
        page.select_option("#mirror", mirror)
        wait(page, "keeps the rules: 4 planets, 2 edges")
        assert is_fair(page, mirror)
        page.mouse.click(*at(page, 0.5, 0.5))
        page.mouse.click(*at(page, 0.3, 0.85))
        other = max(one["id"] for one in data(page)["planets"])
        drag(page, planet(page, other - 1), planet(page, other))
        page.fill("#edges input", "6")
        drag(page, planet(page, other), at(page, 0.8, 0.2))
        page.fill("#size", "77")
        page.select_option("#base", "2")
        assert is_fair(page, mirror) and len(data(page)["planets"]) == 7
        drag(page, planet(page, other - 2), planet(page, 1))
        assert is_fair(page, mirror) and len(edges(page)) == 5
        wait(page, "7 planets, 5 edges")
        page.click("#spread")
        page.wait_for_timeout(300)
        assert is_fair(page, mirror)
        page.mouse.click(*planet(page, 1))
        page.keyboard.press("Delete")
        assert is_fair(page, mirror) and len(data(page)["planets"]) == 5
        page.select_option("#mirror", "none")
        page.mouse.click(*at(page, 0.9, 0.9))
        assert len(data(page)["planets"]) == 6


def is_fair(page: Any, mirror: str) -> bool:
    """Whether the board is its own image with the players exchanged."""
    made = data(page)
    cx, cy = page.evaluate("page.model.board.centre")
    places = {
        (round(one["x"], 1), round(one["y"], 1)): (one["size"], one["habitability"], one["base"])
        for one in made["planets"]
    }
    by_id = {one["id"]: one for one in made["planets"]}

    def image(one: Board) -> tuple[float, float]:
        return round(2 * cx - one["x"], 1), round(2 * cy - one["y"] if mirror == "point" else one["y"], 1)

    swapped = {image(one): (one["size"], one["habitability"], (3 - one["base"]) % 3) for one in made["planets"]}
    ends = [frozenset((round(by_id[i]["x"], 1), round(by_id[i]["y"], 1)) for i in edge[:2]) for edge in edges(page)]
    images = [frozenset(image(by_id[i]) for i in edge[:2]) for edge in edges(page)]
    weights = dict(zip(ends, (edge[2] for edge in edges(page)), strict=True))
    return places == swapped and weights == dict(zip(images, weights.values(), strict=True))


@needs_browser
@pytest.mark.parametrize("size", [(390, 844), (844, 390)])
def test_a_board_is_drawn_by_touch(browser: Any, editor: str, size: tuple[int, int]) -> None:
    view = {"width": size[0], "height": size[1]}
    with opened(browser, editor, viewport=view, has_touch=True, is_mobile=True) as page:
        for place in ((0.25, 0.3), (0.7, 0.7)):
            page.touchscreen.tap(*at(page, *place))
        wait(page, "2 planets, 0 edges")
        (x, y), (x2, y2) = planet(page, 1), planet(page, 2)
        way = [[(x + (x2 - x) * part, y + (y2 - y) * part)] for part in (0, 0.3, 0.6, 1)]
        touches(page, *way, [])
        wait(page, "2 planets, 1 edge.")
        low = page.evaluate(
            "[...document.querySelectorAll('button, select, input')].filter((one) => one.offsetParent)"
            ".map((one) => [one.id, one.offsetHeight]).filter(([, high]) => high < 44)"
        )
        assert low == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


@needs_browser
def test_a_board_is_drawn_by_keys(browser: Any, editor: str) -> None:
    with opened(browser, editor) as page:
        page.focus("#canvas")
        for key in ("p", "p", "p"):
            page.keyboard.press(key)
        page.keyboard.press("2")
        assert [one["base"] for one in data(page)["planets"]] == [1, 0, 2]
        page.evaluate("page.select({ planet: 1 })")
        page.keyboard.press("e")
        page.evaluate("page.select({ planet: 3 })")
        page.keyboard.press("Enter")
        assert [edge[:2] for edge in edges(page)] == [(1, 3)]
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowRight")
        assert page.evaluate("page.selected") == {"planet": 1}
        before = data(page)["planets"][0]["x"]
        page.keyboard.press("Shift+ArrowLeft")
        assert data(page)["planets"][0]["x"] < before
        page.keyboard.press("ArrowRight")
        chosen = page.evaluate("page.selected.planet")
        assert chosen != 1
        page.keyboard.press("Enter")
        page.keyboard.type("64")
        assert page.evaluate(f"page.model.planet({chosen}).size") == 64
        page.focus("#canvas")
        page.keyboard.press("Delete")
        page.keyboard.press("u")
        wait(page, "3 planets, 1 edge.")


# Of every visible text its size and its contrast to what lies behind it; disabled buttons may be pale.
TEXTS = """
() => {
  const parts = (colour) => (colour.match(/[0-9.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const line = (v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * line(r) + 0.7152 * line(g) + 0.0722 * line(b);
  };
  const behind = (one) => {
    for (; one; one = one.parentElement) {
      const colour = parts(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  return [...document.body.querySelectorAll("*")].flatMap((one) => {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!(own || one.tagName === "INPUT") || !one.checkVisibility() || one.disabled || one.closest(".unseen, script")) return [];
    const style = getComputedStyle(one);
    const [a, b] = [light(parts(style.color)), light(behind(one))].sort((x, y) => y - x);
    return [[one.id || one.tagName, parseFloat(style.fontSize), (a + 0.05) / (b + 0.05)]];
  });
}
"""


@needs_browser
@pytest.mark.parametrize(
    ("size", "theme"), [((1440, 900), "light"), ((1024, 768), "dark"), ((390, 844), "light"), ((844, 390), "dark")]
)
def test_the_editor_fits_every_screen_and_is_read_easily(
    browser: Any, editor: str, size: tuple[int, int], theme: str
) -> None:
    view = {"width": size[0], "height": size[1]}
    with opened(browser, editor, "rings", viewport=view, color_scheme=theme) as page:
        page.mouse.click(*planet(page, 3))
        page.fill("#size", "0")
        wait(page, "planet 3: size is 0")
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        assert page.evaluate("document.documentElement.scrollHeight") <= size[1]
        box = page.locator("#canvas").bounding_box()
        assert box["width"] >= 380 and box["height"] >= 200
        texts = page.evaluate(TEXTS)
        assert len(texts) > 20
        assert [text for text in texts if text[1] < 11 or text[2] < 4.5] == []
        lowest = min(page.evaluate("page.drawing.labels.shown.map((one) => one.bottom - one.top)"))
        assert round(lowest, 6) >= 0.75 * 11
