"""Command `planetwars benchmark`: speed of environments, rules and training on this machine."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from planetwars_env.benchmark.report import markdown
from planetwars_env.benchmark.run import BY_NAME_ONLY, NEEDS_SB3, TABLES, run, write
from planetwars_env.benchmark.settings import FULL, QUICK
from planetwars_env.benchmark.targets import target_report
from planetwars_env.names import suggestion


def benchmark(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer sizes and shorter runs: one or two minutes.")] = False,
    only: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Measure only this table; may be repeated.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for results.json, results.md and results.png.")] = None,
    runs: Annotated[int | None, typer.Option(min=1, help="Measurements per figure.")] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Measure with this number of threads or, in training, processes only.")
    ] = None,
    config: Annotated[str | None, typer.Option(help="Configuration to train for the table learning.")] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0.01, help="CPU time of each training run for the table learning, at most.")
    ] = None,
) -> None:
    """Measure the speed of environments, rules and rollouts: median and spread of several runs.

    \b
    Tables: batch, layers, rules, phases, single, vector, graph-size, batch-size, memory, start, sb3, sb3-rollouts, training,
    training-parts; and, only by name since it trains for up to an hour, learning.
    Examples:
      planetwars benchmark --quick                          # a first look
      planetwars benchmark --only batch --only rules        # two tables
      planetwars benchmark --out runs/benchmark --runs 9    # all, with files and a drawing
      planetwars benchmark --only learning --out runs/learning   # seconds to strength, three seeds
    """
    settings = QUICK if quick else FULL
    settings = replace(
        settings,
        runs=runs or settings.runs,
        threads=(threads,) if threads else settings.threads,
        learning_config=config or settings.learning_config,
        learning_minutes=minutes or settings.learning_minutes,
    )
    results = run(settings, chosen_tables(only))
    text = markdown(results, target_report(results))
    typer.echo(text)
    if out is not None:
        write(results, text, out)


def chosen_tables(only: list[str] | None) -> list[str]:
    """Return the tables to measure, in their order; without ``only`` all but those that take an hour."""
    for name in only or []:
        if name not in TABLES:
            raise typer.BadParameter(
                f"there is no table {name!r}: choose from {', '.join(TABLES)}{suggestion(name, TABLES)}"
            )
    chosen = only or [name for name in TABLES if name not in BY_NAME_ONLY]
    missing = [name for name in chosen if name in NEEDS_SB3 and find_spec("sb3_contrib") is None]
    if missing:
        typer.echo(f"Left out: {', '.join(missing)}. They need: pip install 'planetwars-env[train]'", err=True)
    return [name for name in TABLES if name in chosen and name not in missing]
