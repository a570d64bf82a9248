"""Pictures in docs/pictures/, by Chromium: the film in README.md, the page to play on and the replay page.

python -m scripts.release.make_pictures
"""

import io
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from PIL import Image

from planetwars_env.arena.games import play_match
from planetwars_env.learn.agent import load_agent, read_game
from planetwars_env.playing.pages import play_page
from planetwars_env.playing.setup import Opening, play_on_replay
from planetwars_env.render.pages import replay_page
from scripts.release.browser import started

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
_FRAMES_PER_TURN = 2
_LAST_SECONDS = 3
# The board alone fills the window; its words are as large as those around the film.
_ONLY_BOARD = "body { display: block } body > :not(.board) { display: none } .board { height: 100% }"


def make_pictures(
    out: Annotated[Path, typer.Option(help="Folder to write into.")] = PICTURES,
    graph: Annotated[str, typer.Option(help="A shipped graph, or a .dot file.")] = "fair/20",
    viewer: Annotated[int, typer.Option("--as", min=0, max=2, help="Whose fog lies over the film; 0: none.")] = 0,
    speed: Annotated[int, typer.Option(min=1, max=60, help="Turns per second of the film.")] = 5,
    turn: Annotated[int, typer.Option(min=1, help="Turn that the pages show.")] = 21,
) -> None:
    """Film ai3 against ai2; photograph a page to play on, and that of a game of graph-planetwars, as that agent reads it."""
    out.mkdir(parents=True, exist_ok=True)
    film = play_match("ai3", "ai2", graph, seed=0)
    agent = load_agent("graph-planetwars")
    replay = play_match(agent, "ai3", graph, seed=0)
    game = Opening(play_on_replay(("you", "ai2"), film, turn), graph, 1)
    with started() as browser:
        _film(browser, replay_page(film), viewer, speed, out / "game.webp")
        _photograph(browser, replay_page(replay, read_game(agent, replay)), turn, out / "replay.png")
        _photograph(browser, play_page(game, "nowhere", shared=False), turn, out / "play.png")
    typer.echo(f"{out}: game.webp of {film.turns} turns, replay.png and play.png of turn {turn}")


@contextmanager
def _opened(browser: Any, html: str, width: int, height: int, place: str = "") -> Iterator[Any]:
    """A page in a tab of its own, in dark colours; ``place``: of its address, after the #."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(html, encoding="utf-8")
        tab = browser.new_page(viewport={"width": width, "height": height}, color_scheme="dark")
        tab.goto(page.as_uri() + place)
        tab.wait_for_timeout(1500)
        yield tab
        tab.close()


def _photograph(browser: Any, html: str, turn: int, path: Path) -> None:
    with _opened(browser, html, 1200, 760, f"#turn={turn}") as tab:
        if tab.locator("#legend-close").is_visible():
            tab.click("#legend-close")
        tab.screenshot(path=path)


def _film(browser: Any, html: str, viewer: int, speed: int, path: Path) -> None:
    with _opened(browser, html, 640, 480, f"#as={viewer}") as tab:
        tab.add_style_tag(content=_ONLY_BOARD)
        tab.wait_for_timeout(200)
        images = []
        for at in range(tab.evaluate("page.game.length")):
            tab.evaluate(f"page.seek({at})")
            for part in range(_FRAMES_PER_TURN):
                tab.evaluate(f"page.drawing.show(page.state, {part / _FRAMES_PER_TURN})")
                images.append(Image.open(io.BytesIO(tab.screenshot())).convert("RGB"))
    frame = round(1000 / speed / _FRAMES_PER_TURN)
    times = [frame] * (len(images) - 1) + [1000 * _LAST_SECONDS]
    images[0].save(path, save_all=True, append_images=images[1:], duration=times, loop=0, quality=45, method=4)


if __name__ == "__main__":
    typer.run(make_pictures)
