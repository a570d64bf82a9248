"""``planetwars watch``: a replay in the terminal, in a window, or as a file to share."""

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from planetwars_env.cli.errors import require, user_errors
from planetwars_env.files import write_atomically
from planetwars_env.replay import Replay, ReplayError
from planetwars_env.text import clean_text

_KINDS = ".html, .mp4, .gif, .svg, .png or .txt"


def watch(
    file: Annotated[Path, typer.Argument(help="A replay: .json or .json.gz.")],
    out: Annotated[Path | None, typer.Option(help=f"Write it to this file instead: {_KINDS}.")] = None,
    window: Annotated[bool, typer.Option("--window", help="Play it in a window.")] = False,
    viewer: Annotated[
        int | None, typer.Option("--as", min=1, max=2, help="See what this player sees; default: everything.")
    ] = None,
    turn: Annotated[int | None, typer.Option(min=1, help="The turn of a picture; default: the end.")] = None,
    speed: Annotated[int, typer.Option(min=1, max=60, help="Turns a second.")] = 4,
    check: Annotated[bool, typer.Option("--check", help="Only re-run it and say whether it is true.")] = False,
) -> None:
    """Watch a replay, or make a page, a film or a picture of it. The .html holds everything and opens by double click.

    \b
    Examples:
      planetwars watch runs/demo/replay.json
      planetwars watch runs/demo/replay.json --window --as 1
      planetwars watch runs/demo/replay.json --out game.html
      planetwars watch runs/demo/replay.json --out game.mp4 --speed 8
      planetwars watch runs/demo/replay.json --out turn-30.svg --turn 30
      planetwars watch runs/demo/replay.json --check
    """
    with user_errors():
        replay = Replay.load(file, verify=check)
        if check:
            typer.echo(f"{file} is true: re-run, every turn is as it was recorded.")
            return
        _warn(replay)
        if out is not None:
            _write(replay, out, viewer, turn, speed)
            typer.echo(f"{' against '.join(replay.players)} is in {out}.")
        elif window:
            _show(replay, viewer, speed)
        else:
            _tell(replay, viewer, speed)


def _warn(replay: Replay) -> None:
    """A replay that is not true is shown all the same, as far as it goes, but not silently."""
    try:
        replay.verify()
    except ReplayError as fault:
        typer.echo(f"Attention: {clean_text(fault)}.", err=True)


def _write(replay: Replay, out: Path, viewer: int | None, turn: int | None, speed: int) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    match out.suffix:
        case ".html":
            from planetwars_env.render.pages import replay_page

            write_atomically(out, replay_page(replay).encode())
        case ".txt":
            from planetwars_env.render.transcript import replay_text

            write_atomically(out, replay_text(replay).encode())
        case ".svg" | ".png":
            _picture(replay, out, viewer, turn)
        case ".mp4" | ".gif":
            _film(replay, out, viewer, speed)
        case _:
            raise ValueError(f"a replay is written as {_KINDS}, not as {out.name!r}")


def _picture(replay: Replay, out: Path, viewer: int | None, turn: int | None) -> None:
    if out.suffix == ".png":
        require("render", "PIL")
    from planetwars_env.render.drawing import draw

    draw(replay, viewer, turn).save(out)


def _film(replay: Replay, out: Path, viewer: int | None, speed: int) -> None:
    require("render", "PIL", *(["imageio_ffmpeg"] if out.suffix == ".mp4" else []))
    from planetwars_env.render.video import save_gif, save_mp4

    (save_mp4 if out.suffix == ".mp4" else save_gif)(replay, out, viewer, speed)


def _show(replay: Replay, viewer: int | None, speed: int) -> None:
    require("render", "PIL", "pygame")
    from planetwars_env.render.video import replay_scenes
    from planetwars_env.render.window import Window

    window = Window(" against ".join(replay.players), speed)
    for scene in replay_scenes(replay, viewer):
        window.show(scene)
        if window.closed:
            return
    window.stay()


def _tell(replay: Replay, viewer: int | None, speed: int) -> None:
    """In a terminal the board changes in place; into a file or a pipe goes the story."""
    from planetwars_env.render.text import game_text
    from planetwars_env.render.transcript import replay_text, turn_line

    console = Console()
    if not console.is_terminal:
        typer.echo(replay_text(replay), nl=False)
        return
    with Live(console=console, auto_refresh=False) as live:
        for game in replay.games():
            moves = "" if game.over or (viewer and viewer != game.player) else turn_line(game, replay)
            live.update(Text(f"{game_text(game, viewer)}\n\n{moves}"), refresh=True)
            time.sleep(1 / speed)
