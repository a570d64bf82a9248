"""Animation at the top of README.md, a game of two bots seen by one of them: python scripts/release/make_pictures.py."""

from pathlib import Path
from typing import Annotated

import typer

from planetwars_env.arena.games import play_match
from planetwars_env.render.video import save_gif

FILM = Path(__file__).resolve().parents[2] / "docs" / "pictures" / "game.gif"


def make_pictures(
    out: Annotated[Path, typer.Option(help="The .gif to write.")] = FILM,
    graph: Annotated[str, typer.Option(help="A shipped board, or a .dot file.")] = "fair/20",
    viewer: Annotated[int, typer.Option("--as", min=1, max=2, help="Whose fog lies over it.")] = 1,
    speed: Annotated[int, typer.Option(min=1, max=60, help="Turns a second.")] = 6,
) -> None:
    """Film ai3 against ai2."""
    replay = play_match("ai3", "ai2", graph, seed=0)
    out.parent.mkdir(parents=True, exist_ok=True)
    save_gif(replay, out, viewer, speed)
    typer.echo(f"{out}: {replay.turns} turns, {out.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    typer.run(make_pictures)
