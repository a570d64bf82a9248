"""``planetwars play``: against a strategy, against each other, or two strategies to watch; in the browser or the terminal."""

import webbrowser
from typing import TYPE_CHECKING, Annotated

import typer

from planetwars_env.cli.errors import UNSAFE, require, require_for_players, user_errors

if TYPE_CHECKING:
    from planetwars_env.play.setup import GameSetup


def play(
    against: Annotated[
        str,
        typer.Option(help="A bot, an agent's folder, a .py file, module:Class, or 'you': two people at one machine."),
    ] = "ai1",
    player: Annotated[str, typer.Option(help="Who plays against it; a strategy's name to watch two of them.")] = "you",
    graph: Annotated[str, typer.Option(help="A board, a pool (one of its boards is drawn), or a .dot file.")] = "rings",
    rules: Annotated[str, typer.Option(help="PLANETWARS, PLANETWARS_HALF_STEP or SPACE_EXPLORERS.")] = "PLANETWARS",
    side: Annotated[int, typer.Option("--as", min=1, max=2, help="Be this player; player 1 begins.")] = 1,
    speed: Annotated[int, typer.Option(min=1, max=60, help="Turns a second that strategies take.")] = 4,
    seed: Annotated[int | None, typer.Option(min=0, help="Of the strategies; default: another one every time.")] = None,
    max_turns: Annotated[int | None, typer.Option(min=1, help="The last turn; default: the environments' own.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
    unsafe: Annotated[bool, typer.Option("--unsafe", help=UNSAFE)] = False,
    terminal: Annotated[bool, typer.Option("--terminal", help="Play here, without a browser.")] = False,
) -> None:
    """Play yourself, on a page that only this machine can open. All that is chosen here can be changed on the page.

    \b
    Examples:
      planetwars play
      planetwars play --against ai2 --graph rings
      planetwars play --against my_strategy.py --graph test/17 --as 2
      planetwars play --against you --rules SPACE_EXPLORERS
      planetwars play --player ai3 --against runs/demo --speed 8
      planetwars play --against random --terminal
    """
    with user_errors():
        require_for_players([player, against])
        from planetwars_env.play.live_game import LiveGame
        from planetwars_env.play.setup import make_game_setup

        players = (player, against) if side == 1 else (against, player)
        setup = make_game_setup(players, graph, rules, seed, max_turns, unsafe)
        _tell_isolation(players, unsafe)
        if terminal:
            from planetwars_env.play.terminal import play_in_terminal

            play_in_terminal(LiveGame(setup), input, typer.echo)
            return
        require("play", "starlette", "uvicorn", "websockets")
        _serve(setup, graph, speed, port, browser)


def _tell_isolation(players: tuple[str, str], unsafe: bool) -> None:
    """Say what a strategy from a file is kept from, where there is one; NoSandboxError where nothing keeps it."""
    from planetwars_env.arena.sandbox import choose_sandbox

    if any(player.endswith(".py") or ":" in player for player in players):
        typer.echo(f"Isolation: {choose_sandbox(unsafe).value}.")


def _serve(setup: "GameSetup", graph: str, speed: int, port: int, browser: bool) -> None:
    """Until Ctrl+C."""
    from planetwars_env.play.server import Opening, link_of, listen, make_server, new_token

    opening = Opening(setup, graph, speed)
    with listen(port) as found:
        port, token = found.getsockname()[1], new_token()
        address = link_of(port, token)
        typer.echo(f"Play at {address} (Ctrl+C ends the server)")
        if browser:
            webbrowser.open(address)
        try:
            make_server(opening, port, token).run(sockets=[found])
        except KeyboardInterrupt:
            typer.echo("")
