"""Command `planetwars watch`: show replays in the terminal or in a window, or save them as pages, videos or pictures."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.live import Live
from rich.text import Text
from typer import Argument, Option

from planetwars_env.cli.options import Speed
from planetwars_env.cli.shell import plain_console, require, user_errors
from planetwars_env.files import write_atomically
from planetwars_env.replay import Replay, ReplayError
from planetwars_env.text import clean_text

_KINDS = ".html, .mp4, .gif, .svg, .png or .txt"


def watch(
    files: Annotated[
        list[Path], Argument(help="A replay (.json or .json.gz), two of them side by side, or a folder of replays.")
    ],
    out: Annotated[Path | None, Option(help=f"Save it as {_KINDS}.")] = None,
    window: Annotated[bool, Option("--window", help="Show it in a window.")] = False,
    viewer: Annotated[
        int | None, Option("--as", min=1, max=2, help="Show what this player sees; default: all.")
    ] = None,
    turn: Annotated[int | None, Option(min=1, help="Turn of a picture; default: the end.")] = None,
    speed: Speed = 4,
    agent: Annotated[str | None, Option(help="Add to a page what this agent would do, turn by turn, and why.")] = None,
    check: Annotated[bool, Option("--check", help="Only re-run it, and say whether it is as recorded.")] = False,
) -> None:
    """Watch a replay, or save it as a page (.html opens by double click), a video or a picture. A folder becomes a list.

    \b
    Examples:
      planetwars watch runs/demo/replay.json
      planetwars watch runs/demo/replay.json --out game.html
      planetwars watch runs/demo/replay.json --out turn-30.svg --turn 30
      planetwars watch one.json other.json --out both.html
      planetwars watch runs/replays
    """
    with user_errors():
        if len(files) > 1 or files[0].is_dir():
            _write_several(files, out)
            return
        replay = Replay.load(files[0], verify=check)
        if check:
            typer.echo(f"{files[0]} is valid: every turn of the re-run game is as recorded.")
            return
        _warn(replay)
        if out is not None:
            _write(replay, out, viewer, turn, speed, agent)
            typer.echo(f"{' against '.join(replay.players)} is in {out}.")
        elif window:
            _show(replay, viewer, speed)
        else:
            _print(replay, viewer, speed)


def _write_several(files: list[Path], out: Path | None) -> None:
    """Write the list of a folder's games, or the page with two games on one clock."""
    if out is not None and out.suffix != ".html":
        raise ValueError(f"several replays are shown on a page: --out must end in .html, not {out.name!r}")
    if len(files) == 1:
        from planetwars_env.cli.replay_pages import save_folder_pages

        out = out or files[0] / "games.html"
        out.parent.mkdir(parents=True, exist_ok=True)
        count = save_folder_pages(files[0], out)
        typer.echo(f"{count} {'game is' if count == 1 else 'games are'} listed in {out}.")
        return
    if len(files) > 2 or out is None:
        raise ValueError("two replays are shown side by side on a page: give two files and --out NAME.html")
    from planetwars_env.render.pages import pair_page

    pair = [Replay.load(file) for file in files]
    for replay in pair:
        _warn(replay)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(out, pair_page(*pair).encode())
    typer.echo(f"{' and '.join(' against '.join(one.players) for one in pair)} are in {out}.")


def _warn(replay: Replay) -> None:
    """Warn of a replay that differs from its re-run game; it is shown as far as it goes."""
    try:
        replay.verify()
    except ReplayError as error:
        typer.echo(f"Warning: {clean_text(error)}.", err=True)


def _write(replay: Replay, out: Path, viewer: int | None, turn: int | None, speed: int, agent: str | None) -> None:
    if agent and out.suffix != ".html":
        raise ValueError(f"--agent adds to a page: --out must end in .html, not {out.name!r}")
    out.parent.mkdir(parents=True, exist_ok=True)
    match out.suffix:
        case ".html":
            from planetwars_env.render.pages import replay_page

            reading: Any = None
            if agent:
                require("agents", "torch", "safetensors")
                from planetwars_env.learn.agent import load_agent, read_game

                reading = read_game(load_agent(agent), replay)
            write_atomically(out, replay_page(replay, reading).encode())
        case ".txt":
            from planetwars_env.render.text import replay_text

            write_atomically(out, replay_text(replay).encode())
        case ".svg" | ".png":
            if out.suffix == ".png":
                require("render", "PIL")
            from planetwars_env.render.drawing import draw

            draw(replay, viewer, turn).save(out)
        case ".mp4" | ".gif":
            require("render", "PIL", *(["imageio_ffmpeg"] if out.suffix == ".mp4" else []))
            from planetwars_env.render.raster import save_gif, save_mp4

            (save_mp4 if out.suffix == ".mp4" else save_gif)(replay, out, viewer, speed)
        case _:
            raise ValueError(f"--out must end in {_KINDS}, not {out.name!r}")


def _show(replay: Replay, viewer: int | None, speed: int) -> None:
    require("render", "PIL", "pygame")
    from planetwars_env.render.drawing import replay_drawings
    from planetwars_env.render.renderer import Window

    window = Window(" against ".join(replay.players), speed)
    for drawing in replay_drawings(replay, viewer):
        window.show(drawing)
        if window.closed:
            return
    window.stay()


def _print(replay: Replay, viewer: int | None, speed: int) -> None:
    """Show the game in place in a terminal; print the transcript into a file or a pipe."""
    from planetwars_env.render.text import game_text, replay_text, turn_line

    console = plain_console()
    if not console.is_terminal:
        typer.echo(replay_text(replay), nl=False)
        return
    with Live(console=console, auto_refresh=False) as live:
        for game in replay.games():
            moves = "" if game.over or (viewer and viewer != game.player) else turn_line(game, replay)
            live.update(Text(f"{game_text(game, viewer)}\n\n{moves}"), refresh=True)
            time.sleep(1 / speed)
