"""Command line `planetwars`."""

import io
import signal
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from planetwars_env.shipped import PACKAGE_VERSION

_COMMANDS = ("demo", "train", "evaluate", "exploit", "grade", "rank", "ladder", "new", "play", "mcp", "watch",
             "benchmark", "dataset", "score", "docs")  # fmt: skip
"""Commands in the order of the help: each is a function in the module of its name."""


class WholeSentences(TyperGroup):
    """Group of commands whose help wraps the first sentence of each command instead of cutting it."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands with their first sentences."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(1000)) for name, command in commands if command])


app = typer.Typer(
    cls=WholeSentences,
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    rich_markup_mode=None,
    add_completion=False,
)


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    print_version: Annotated[
        bool, typer.Option("--version", is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Train, measure and study agents for PlanetWars: two players conquer a graph of planets under fog of war."""
    if print_version:
        typer.echo(f"planetwars-env {PACKAGE_VERSION}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        context.fail("Missing command.")


for _name in _COMMANDS:
    app.command(_name)(getattr(import_module(f"planetwars_env.cli.{_name}"), _name))
for _name in ("graphs", "zoo"):
    app.add_typer(import_module(f"planetwars_env.cli.{_name}").app, name=_name, cls=WholeSentences)


def main() -> None:
    """Run the command line; SIGTERM interrupts it as Ctrl-C does. File names that are not UTF-8 are printed with escape codes."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except KeyboardInterrupt:  # before Click listens, while the commands are put together
        sys.exit(130)
