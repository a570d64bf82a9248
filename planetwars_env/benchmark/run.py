"""Benchmark run: measures the chosen tables, one after the other, and writes the files of results."""

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
from planetwars_env.benchmark.report import FREE_CORES, Results, as_data
from planetwars_env.benchmark.settings import BenchmarkSettings
from planetwars_env.files import write_atomically

TABLES = {
    "batch": "engine.batch_table",
    "layers": "environments.layers_table",
    "rules": "engine.rules_table",
    "phases": "engine.phases_table",
    "single": "environments.single_table",
    "vector": "environments.vector_table",
    "graph-size": "scaling.graph_size_table",
    "batch-size": "scaling.batch_size_table",
    "memory": "resources.memory_table",
    "start": "resources.start_table",
    "sb3": "sb3.step_table",
    "sb3-rollouts": "sb3.rollouts_table",
    "training": "training.table",
    "training-parts": "training_parts.table",
    "learning": "learning.table",
}
"""Modules and functions of the tables. Those that start threads of torch come last, since vector forks processes."""
NEEDS_SB3 = ("sb3", "sb3-rollouts", "training", "training-parts", "learning")
BY_NAME_ONLY = ("learning",)
"""Tables that take so long that they are measured only where they are named."""


def make_table(name: str, settings: BenchmarkSettings) -> Table:
    """Return the table of this name, ready to be measured."""
    module, function = TABLES[name].split(".")
    return getattr(import_module(f"planetwars_env.benchmark.{module}"), function)(settings)


def run(settings: BenchmarkSettings, names: Sequence[str]) -> Results:
    """Measure these tables; return plain data (report.py)."""
    threads = max(settings.threads)
    results: Results = {"machine": {**machine(), FREE_CORES: free_cores(threads)}, "tables": {}}
    with Progress(*Progress.get_default_columns(), TimeElapsedColumn(), transient=True) as progress:
        bar = progress.add_task("preparing", total=None)
        for name in names:
            table = make_table(name, settings)
            total = runs_of(table, settings.runs) * len(table.probes)
            progress.update(bar, description=name, total=total, completed=0)
            figures = measure(table, settings.runs, settings.seconds, lambda: progress.advance(bar))
            results["tables"][name] = as_data(table, figures)
    results["machine"][FREE_CORES] = min(results["machine"][FREE_CORES], free_cores(threads))
    return results


def write(results: Results, text: str, out: Path) -> None:
    """Write results.json, results.md and, where matplotlib is installed, results.png."""
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / "results.json", (json.dumps(results, indent=1) + "\n").encode())
    write_atomically(out / "results.md", text.encode())
    if find_spec("matplotlib") is None:
        typer.echo("No drawing without matplotlib: pip install 'planetwars-env[render]'", err=True)
        return
    plots = import_module("planetwars_env.benchmark.plots")
    plots.draw_benchmark(results["tables"], out / "results.png")
