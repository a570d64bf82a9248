"""Pictures of games in docs/pictures/: the film in README.md, and the replay page: python -m scripts.release.make_pictures."""

import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from playwright.sync_api import sync_playwright

from planetwars_env.arena.games import play_match
from planetwars_env.learn.agent import load_agent
from planetwars_env.learn.reading import read_game
from planetwars_env.render.pages import replay_page
from planetwars_env.render.video import save_gif

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def make_pictures(
    out: Annotated[Path, typer.Option(help="Folder to write into.")] = PICTURES,
    graph: Annotated[str, typer.Option(help="A shipped graph, or a .dot file.")] = "fair/20",
    viewer: Annotated[int, typer.Option("--as", min=1, max=2, help="Whose fog lies over the film.")] = 1,
    speed: Annotated[int, typer.Option(min=1, max=60, help="Turns per second of the film.")] = 6,
    turn: Annotated[int, typer.Option(min=1, help="Turn that the replay page shows.")] = 21,
) -> None:
    """Film ai3 against ai2, and photograph the page of a game of graph-planetwars, as that agent reads it, in Chromium."""
    out.mkdir(parents=True, exist_ok=True)
    film = play_match("ai3", "ai2", graph, seed=0)
    save_gif(film, out / "game.gif", viewer, speed)
    agent = load_agent("graph-planetwars")
    replay = play_match(agent, "ai3", graph, seed=0)
    _photograph(replay_page(replay, read_game(agent, replay)), turn, out / "replay.png")
    typer.echo(f"{out}: game.gif of {film.turns} turns, replay.png of turn {turn} of {replay.turns}")


def _photograph(html: str, turn: int, path: Path) -> None:
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        raise SystemExit(f"no browser was found: install one of {', '.join(_BROWSERS)}")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page = Path(folder) / "replay.html"
        page.write_text(html, encoding="utf-8")
        chromium = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        tab = chromium.new_page(viewport={"width": 1200, "height": 760})
        tab.goto(f"{page.as_uri()}#turn={turn}")
        tab.wait_for_timeout(300)
        tab.screenshot(path=path)
        chromium.close()


if __name__ == "__main__":
    typer.run(make_pictures)
