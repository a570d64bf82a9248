"""Command `planetwars play`: play against a strategy or another person, or watch two strategies."""

import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from planetwars_env.cli.options import PLAYER, MaxTurns, Rules, Speed, Unsafe
from planetwars_env.cli.shell import parse_players, require, user_errors

if TYPE_CHECKING:
    from planetwars_env.playing.setup import Opening


def play(
    against: Annotated[
        str | None,
        Option(help=f"{PLAYER}; or 'you' for a second person. Default: ai1; with --host a second person."),
    ] = None,
    player: Annotated[str, Option(help="The player; a strategy to watch a game of two strategies.")] = "you",
    graph: Annotated[str, Option(help="A graph, a .dot file, or a pool to draw a graph from.")] = "rings",
    rules: Rules = "PLANETWARS",
    side: Annotated[int, Option("--as", min=1, max=2, help="Your side; player 1 begins.")] = 1,
    speed: Speed = 4,
    seed: Annotated[int | None, Option(min=0, help="Seed of the strategies; default: a new one every time.")] = None,
    max_turns: MaxTurns = None,
    port: Annotated[int, Option(min=0, max=65535, help="Port of the server; 0: any free port.")] = 0,
    host: Annotated[
        str | None,
        Option(
            help="Share the game: listen at this IPv4 address of this machine (0.0.0.0: at all of them), and print a link "
            "per person, which works once. Default: nobody but this machine."
        ),
    ] = None,
    boards: Annotated[Path | None, Option(file_okay=False, help="Folder in which the board editor saves.")] = None,
    browser: Annotated[bool, Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    unsafe: Unsafe = False,
    replay: Annotated[Path | None, Option(help="Play on from a turn of this replay, on its graph.")] = None,
    turn: Annotated[int | None, Option(min=1, help="The turn of the replay; default: its last one.")] = None,
    terminal: Annotated[bool, Option("--terminal", help="Play in this terminal.")] = False,
) -> None:
    """Play a game on a page in the browser, which only this machine can open. The page can change every setting.

    With --host, two people play on machines of their own, each by a link that works once and shows that player's side alone.

    \b
    Examples:
      planetwars play --against ai2 --graph rings
      planetwars play --against my_strategy.py --graph test/17 --as 2
      planetwars play --player ai3 --against runs/demo --speed 8
      planetwars play --boards my_boards
      planetwars play --host 0.0.0.0 --graph test/17
      planetwars play --replay game.json --turn 30 --against planner
    """
    with user_errors():
        against = against or ("ai1" if host is None else "you")
        named = parse_players(one for one in (player, against) if one != "you")
        from planetwars_env.playing.live_game import LiveGame
        from planetwars_env.playing.setup import make_game_setup, play_on_replay
        from planetwars_env.replay import Replay

        players = (player, against) if side == 1 else (against, player)
        if replay is not None:
            setup = play_on_replay(players, Replay.load(replay), turn, seed, unsafe)
        else:
            setup = make_game_setup(players, graph, rules, seed, max_turns, unsafe)
        if any(one.kind.foreign for one in named):
            from planetwars_env.arena.sandbox import choose_sandbox

            typer.echo(f"Isolation: {choose_sandbox(unsafe).value}.")
        if terminal:
            from planetwars_env.playing.terminal import play_in_terminal

            play_in_terminal(LiveGame(setup), input, typer.echo)
            return
        require("play", "starlette", "uvicorn", "websockets")
        from planetwars_env.playing.setup import Opening

        _serve(Opening(setup, graph, speed, boards if host is None else None), port, host, browser)


def _serve(opening: "Opening", port: int, host: str | None, browser: bool) -> None:
    """Run the server until Ctrl-C: for this machine, or for people on other machines where ``host`` is given."""
    from planetwars_env.playing.links import Link, player_links
    from planetwars_env.playing.server import HOST, listen, make_server, reachable_at

    links = [Link()] if host is None else player_links(opening.setup.persons)
    with listen(port, host or HOST) as listener:
        at_host, port = listener.getsockname()
        if host is None:
            address = links[0].address(at_host, port)
            typer.echo(f"Play at {address} (Ctrl-C ends the server)")
            if browser:
                webbrowser.open(address)
        else:
            # No browser opens: a link works once.
            place = "all addresses of this machine" if at_host == "0.0.0.0" else at_host
            typer.echo(f"The game is open to the network at {place}, port {port}. Ctrl-C ends it.")
            typer.echo(
                "Whoever opens a link first plays that player: sees its side, moves, gives up, and begins the next game on a "
                "shipped graph. Others get nothing. The network carries all of it in the clear: use one that you trust."
            )
            for link in links:
                typer.echo(f"  {opening.setup.names[link.player - 1]}: {link.address(reachable_at(at_host), port)}")
        with suppress(KeyboardInterrupt):
            make_server(opening, links).run(sockets=[listener])
