"""``planetwars benchmark``: how fast it is, on this machine, in one command."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, TimeElapsedColumn

from planetwars_env.cli.bench.goals import judged
from planetwars_env.cli.bench.machine import free_cores, machine
from planetwars_env.cli.bench.measure import Table, measure, runs_of
from planetwars_env.cli.bench.plan import FULL, QUICK, Plan
from planetwars_env.cli.bench.report import FREE_CORES, Results, as_data, markdown
from planetwars_env.files import write_atomically

TABLES = (
    "batch",
    "observation",
    "idle",
    "parts",
    "single",
    "vectors",
    "planets",
    "games",
    "memory",
    "start",
    "sb3",
    "ppo",
    "learn",
)
"""The tables, each a module of cli/bench. Those that start threads of torch come last: vectors forks."""
_NEEDS_SB3 = ("sb3", "ppo", "learn")


def benchmark(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer sizes, shorter: a minute or two.")] = False,
    only: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this table; may be repeated.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for results.json, results.md and results.png.")] = None,
    runs: Annotated[int | None, typer.Option(min=1, help="How often each figure is measured.")] = None,
) -> None:
    """Measure how fast environments, rules and collection are, with median and spread of several runs.

    \b
    Tables: batch, observation, idle, parts, single, vectors, planets, games, memory, start, sb3, ppo, learn.
    Examples:
      planetwars benchmark --quick                          # a first look
      planetwars benchmark --only batch --only idle         # two tables
      planetwars benchmark --out runs/benchmark --runs 9    # all, with files and a drawing
    """
    plan = QUICK if quick else FULL
    results = run(replace(plan, runs=runs or plan.runs), _chosen(only))
    text = markdown(results, judged(results))
    typer.echo(text)
    if out is not None:
        write(results, text, out)


def run(plan: Plan, names: Sequence[str]) -> Results:
    """The results of these tables, in plain data (cli/bench/report.py)."""
    threads = max(plan.threads)
    results: Results = {"machine": {**machine(), FREE_CORES: free_cores(threads)}, "tables": {}}
    with Progress(*Progress.get_default_columns(), TimeElapsedColumn(), transient=True) as progress:
        bar = progress.add_task("preparing", total=None)
        for name in names:
            table: Table = import_module(f"planetwars_env.cli.bench.{name}").table(plan)
            total = runs_of(table, plan.runs) * len(table.probes)
            progress.update(bar, description=name, total=total, completed=0)
            figures = measure(table, plan.runs, plan.seconds, lambda: progress.advance(bar))
            results["tables"][name] = as_data(table, figures)
    results["machine"][FREE_CORES] = min(results["machine"][FREE_CORES], free_cores(threads))
    return results


def write(results: Results, text: str, out: Path) -> None:
    """results.json, results.md and, where matplotlib is installed, results.png."""
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / "results.json", (json.dumps(results, indent=1) + "\n").encode())
    write_atomically(out / "results.md", text.encode())
    if find_spec("matplotlib") is None:
        typer.echo("No drawing without matplotlib: pip install 'planetwars-env[render]'", err=True)
        return
    plots = import_module("planetwars_env.render.benchmark_plots")
    plots.draw_benchmark(results["tables"], out / "results.png")


def _chosen(only: list[str] | None) -> list[str]:
    for name in only or []:
        if name not in TABLES:
            raise typer.BadParameter(f"there is no table {name!r}; known: {', '.join(TABLES)}")
    missing = [name for name in only or TABLES if name in _NEEDS_SB3 and find_spec("sb3_contrib") is None]
    if missing:
        typer.echo(f"Left out: {', '.join(missing)}. They need pip install 'planetwars-env[train]'", err=True)
    return [name for name in TABLES if name in (only or TABLES) and name not in missing]
