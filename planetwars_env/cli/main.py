"""Command line `planetwars`."""

import io
import signal
import sys
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from planetwars_env.cli import (
    benchmark,
    dataset,
    demo,
    docs,
    evaluate,
    exploit,
    grade,
    graphs,
    ladder,
    mcp,
    new,
    play,
    rank,
    score,
    train,
    watch,
    zoo,
)


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
        typer.echo(f"planetwars-env {version('planetwars-env')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        context.fail("Missing command.")


app.command("demo")(demo.demo)
app.command("train")(train.train)
app.command("evaluate")(evaluate.evaluate)
app.command("exploit")(exploit.exploit)
app.command("grade")(grade.grade)
app.command("rank")(rank.rank)
app.command("ladder")(ladder.ladder)
app.command("new")(new.new)
app.command("play")(play.play)
app.command("mcp")(mcp.mcp)
app.command("watch")(watch.watch)
app.command("benchmark")(benchmark.benchmark)
app.command("dataset")(dataset.dataset)
app.command("score")(score.score)
app.command("docs")(docs.docs)
app.add_typer(graphs.app, name="graphs", cls=WholeSentences)
app.add_typer(zoo.app, name="zoo", cls=WholeSentences)


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
