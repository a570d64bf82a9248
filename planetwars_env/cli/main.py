"""Command line `planetwars`."""

import io
import sys

import typer

from planetwars_env.cli import (
    benchmark,
    demo,
    evaluate,
    exploit,
    grade,
    graphs,
    ladder,
    mcp,
    new,
    play,
    rank,
    rounds,
    train,
    watch,
    zoo,
)

app = typer.Typer(
    help="Train, measure and study agents for PlanetWars: two players conquer a graph of planets under fog of war.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    rich_markup_mode=None,
    add_completion=False,
)
app.command("demo")(demo.demo)
app.command("train")(train.train)
app.command("evaluate")(evaluate.evaluate)
app.command("exploit")(exploit.exploit)
app.command("grade")(grade.grade)
app.command("rank")(rank.rank)
app.command("ladder")(ladder.ladder)
app.command("rounds")(rounds.rounds)
app.command("new")(new.new)
app.command("play")(play.play)
app.command("mcp")(mcp.mcp)
app.command("watch")(watch.watch)
app.command("benchmark")(benchmark.benchmark)
app.add_typer(graphs.app, name="graphs")
app.add_typer(zoo.app, name="zoo")


def main() -> None:
    """Run the command line. File names that are not UTF-8 are printed with escape codes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app()
