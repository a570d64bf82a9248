"""Command `planetwars mcp`: a server of the Model Context Protocol, over standard input and output."""

from pathlib import Path
from typing import Annotated

from typer import Option

from planetwars_env.cli.shell import parse_players, require, user_errors


def mcp(
    opponent: Annotated[
        str, Option(help="Opponent of a game that names none; only here may it be a strategy from a file.")
    ] = "ai1",
    graph: Annotated[str, Option(help="Graph or pool of a game that names none; only here a .dot file.")] = "rings",
    replays: Annotated[Path | None, Option(help="Folder for pages of finished games that the model asks for.")] = None,
    compact: Annotated[bool, Option("--compact", help="Short messages.")] = False,
) -> None:
    """Serve a game to a language model's program, which starts this command (Model Context Protocol, stdio).

    \b
    Examples:
      planetwars mcp
      planetwars mcp --opponent ai2 --compact
      planetwars mcp --opponent ai3 --graph test --replays runs/mcp
    """
    with user_errors():
        require("mcp", "mcp")
        parse_players([opponent])
        from planetwars_env.playing.mcp_server import make_mcp_server
        from planetwars_env.playing.setup import make_game_setup

        make_game_setup(("you", opponent), graph)  # a wrong name is told before the server waits
        make_mcp_server(opponent, graph, replays, compact).run()
