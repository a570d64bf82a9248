"""A run of the benchmark: the tables, one after the other, and the files that they leave."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import typer
from rich.progress import Progress, TimeElapsedColumn

from planetwars_env.benchmark.machine import free_cores, machine
from planetwars_env.benchmark.measure import Table, measure, runs_of
from planetwars_env.benchmark.plan import Plan
from planetwars_env.benchmark.report import FREE_CORES, Results, as_data
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
"""The tables, each a module of this folder. Those that start threads of torch come last: vectors forks."""
NEEDS_SB3 = ("sb3", "ppo", "learn")


def run(plan: Plan, names: Sequence[str]) -> Results:
    """The results of these tables, in plain data (benchmark/report.py)."""
    threads = max(plan.threads)
    results: Results = {"machine": {**machine(), FREE_CORES: free_cores(threads)}, "tables": {}}
    with Progress(*Progress.get_default_columns(), TimeElapsedColumn(), transient=True) as progress:
        bar = progress.add_task("preparing", total=None)
        for name in names:
            table: Table = import_module(f"planetwars_env.benchmark.{name}").table(plan)
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
    plots = import_module("planetwars_env.benchmark.plots")
    plots.draw_benchmark(results["tables"], out / "results.png")
