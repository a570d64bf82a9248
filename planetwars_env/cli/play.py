"""Command `planetwars play`: play against a strategy or another person, or watch two strategies."""

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planetwars_env.bots.source_files import names_source
from planetwars_env.cli.errors import require, require_for_players, user_errors
from planetwars_env.cli.options import MaxTurns, Rules, Speed, Unsafe

if TYPE_CHECKING:
    from planetwars_env.play.setup import GameSetup


def play(
    against: Annotated[
        str,
        typer.Option(
            help="The opponent: a bot, an agent, a .py file, a folder, a .zip, module:Class, or 'you' for a second person."
        ),
    ] = "ai1",
    player: Annotated[str, typer.Option(help="The player; a strategy to watch a game of two strategies.")] = "you",
    graph: Annotated[str, typer.Option(help="A graph, a .dot file, or a pool to draw a graph from.")] = "rings",
    rules: Rules = "PLANETWARS",
    side: Annotated[int, typer.Option("--as", min=1, max=2, help="Your side; player 1 begins.")] = 1,
    speed: Speed = 4,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of the strategies; default: a new one every time.")
    ] = None,
    max_turns: MaxTurns = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the server; 0: any free port.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    unsafe: Unsafe = False,
    replay: Annotated[Path | None, typer.Option(help="Play on from a turn of this replay, on its graph.")] = None,
    turn: Annotated[int | None, typer.Option(min=1, help="The turn of the replay; default: its last one.")] = None,
    terminal: Annotated[bool, typer.Option("--terminal", help="Play in this terminal.")] = False,
) -> None:
    """Play a game on a page in the browser, which only this machine can open. The page can change every setting.

    \b
    Examples:
      planetwars play --against ai2 --graph rings
      planetwars play --against my_strategy.py --graph test/17 --as 2
      planetwars play --player ai3 --against runs/demo --speed 8
      planetwars play --replay game.json --turn 30 --against planner
    """
    with user_errors():
        require_for_players([player, against])
        from planetwars_env.play.live_game import LiveGame
        from planetwars_env.play.setup import make_game_setup, play_on_replay
        from planetwars_env.replay import Replay

        players = (player, against) if side == 1 else (against, player)
        if replay is not None:
            setup = play_on_replay(players, Replay.load(replay), turn, seed, unsafe)
        else:
            setup = make_game_setup(players, graph, rules, seed, max_turns, unsafe)
        _print_isolation(players, unsafe)
        if terminal:
            from planetwars_env.play.terminal import play_in_terminal

            play_in_terminal(LiveGame(setup), input, typer.echo)
            return
        require("play", "starlette", "uvicorn", "websockets")
        _serve(setup, graph, speed, port, browser)


def _print_isolation(players: tuple[str, str], unsafe: bool) -> None:
    """Print the sandbox of strategies from files, if there are any; NoSandboxError if this machine has none."""
    from planetwars_env.arena.sandbox import choose_sandbox

    if any(map(names_source, players)):
        typer.echo(f"Isolation: {choose_sandbox(unsafe).value}.")


def _serve(setup: "GameSetup", graph: str, speed: int, port: int, browser: bool) -> None:
    """Run the server until Ctrl-C."""
    from planetwars_env.play.server import Opening, link_of, listen, make_server, new_token

    opening = Opening(setup, graph, speed)
    with listen(port) as found:
        port, token = found.getsockname()[1], new_token()
        address = link_of(port, token)
        typer.echo(f"Play at {address} (Ctrl-C ends the server)")
        if browser:
            webbrowser.open(address)
        try:
            make_server(opening, port, token).run(sockets=[found])
        except KeyboardInterrupt:
            typer.echo("")
