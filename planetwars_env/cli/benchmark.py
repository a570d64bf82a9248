"""Command `planetwars benchmark`: speed of environments, rules and learning on this machine."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, TimeElapsedColumn
from typer import Option

from planetwars_env.cli.shell import require_for_training, user_errors
from planetwars_env.files import write_atomically
from planetwars_env.names import chosen_name


def benchmark(
    quick: Annotated[bool, Option("--quick", help="Fewer sizes and shorter runs: one minute.")] = False,
    only: Annotated[list[str] | None, Option(help="Measure only this table; may be repeated.")] = None,
    out: Annotated[Path | None, Option(help="Folder for results.json (every reading) and results.md.")] = None,
    runs: Annotated[int | None, Option(min=1, help="Measurements per figure.")] = None,
    threads: Annotated[int | None, Option(min=1, help="The only number of threads; of processes in training.")] = None,
    config: Annotated[str | None, Option(help="Configuration that the table learning trains.")] = None,
    minutes: Annotated[float | None, Option(min=0.01, help="CPU time of a training run, at most.")] = None,
) -> None:
    """Measure the speed of environments, rules and learning: median and spread of several runs.

    \b
    Tables: batch, rules, memory; and, only by name since it trains for up to an hour, learning.
    Examples:
      planetwars benchmark --quick                          # a first look
      planetwars benchmark --only batch --only rules        # two tables
      planetwars benchmark --out runs/benchmark --runs 9    # all, with files
      planetwars benchmark --only learning --out runs/learning   # seconds to strength, three seeds
    """
    from planetwars_env.benchmark import QUICK, TABLES, Sizes, machine, markdown, measure

    with user_errors():
        chosen = [chosen_name(name, TABLES, "there is no table") for name in only or ("batch", "rules", "memory")]
    names = [name for name in TABLES if name in chosen]
    if "learning" in names:
        require_for_training()
    given = {"runs": runs, "threads": threads and (threads,), "config": config, "minutes": minutes}
    sizes = replace(QUICK if quick else Sizes(), **{name: value for name, value in given.items() if value})
    results = {"machine": machine(), "tables": {}}
    with user_errors(), Progress(*Progress.get_default_columns(), TimeElapsedColumn(), transient=True) as progress:
        for name in names:
            table = TABLES[name](sizes)
            runs_of_table = progress.track(range(min(sizes.runs, table.runs)), description=name)
            results["tables"][name] = measure(table, runs_of_table)
    typer.echo(text := markdown(results))
    if out is not None:
        with user_errors():
            out.mkdir(parents=True, exist_ok=True)
            write_atomically(out / "results.json", (json.dumps(results, indent=1) + "\n").encode())
            write_atomically(out / "results.md", text.encode())
