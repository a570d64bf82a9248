"""Benchmark results as plain data, for JSON and plots, and as Markdown."""

from collections.abc import Sequence
from statistics import median
from typing import Any

from planetwars_env.benchmark.measure import Figure, Labels, Table

Results = dict[str, Any]
"""{"machine": {...}, "tables": {name: {title, unit, axes, figures: [{labels, median, spread, values, ...}]}}}"""

FREE_CORES = "cores free"
"""Key of the machine's description: how many of the used cores were free."""


def as_data(table: Table, figures: Sequence[Figure]) -> dict[str, Any]:
    """Return a table in the form of results.json."""
    rows = [
        {
            "labels": list(figure.labels),
            "median": figure.value,
            "spread": figure.spread,
            "ratio": figure.ratio,
            "values": figure.values,
            "cpu": figure.cpu,
            "ratios": figure.ratios,
            "cpu_ratios": figure.cpu_ratios,
        }
        for figure in figures
    ]
    return {"title": table.title, "unit": table.unit, "axes": list(table.axes), "figures": rows}


def find(results: Results, table: str, labels: Labels) -> dict[str, Any] | None:
    """Return the figure with these labels, None if it was not measured."""
    rows = results["tables"].get(table, {"figures": []})["figures"]
    return next((row for row in rows if row["labels"] == list(labels)), None)


def markdown(results: Results, targets: Sequence[str] = ()) -> str:
    """Return all tables as Markdown, with the machine above and the ``targets`` below them."""
    about = ", ".join(f"{key} {value}" for key, value in results["machine"].items())
    parts = [f"Machine: {about}."]
    parts += [table_text(name, table) for name, table in results["tables"].items()]
    return "\n\n".join([*parts, *(["\n".join(targets)] if targets else [])]) + "\n"


def table_text(name: str, table: dict[str, Any]) -> str:
    """Return one table: median, half the range in per cent, rate per CPU second and ratio, where the table has them."""
    rows = table["figures"]
    has_cpu, has_ratio = any(row["cpu"] for row in rows), any(row["ratios"] for row in rows)
    heads = [*table["axes"], table["unit"], "±", *["by CPU time"] * has_cpu, *["ratio", "by CPU time"] * has_ratio]
    lines = [f"**{name}.** {table['title']}", "", _line(heads), _line(["---"] * len(heads))]
    return "\n".join([*lines, *(_line(_cells(row, has_cpu, has_ratio)) for row in rows)])


def number(value: float) -> str:
    """Return a number with three digits: 1.23M, 45.6k, 7.89."""
    if value >= 1e6:
        return f"{value / 1e6:.3g}M"
    if value >= 1e4:
        return f"{value / 1e3:.3g}k"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _cells(row: dict[str, Any], has_cpu: bool, has_ratio: bool) -> list[str]:
    cells = [*map(str, row["labels"]), number(row["median"]), f"{100 * row['spread']:.0f} %"]
    if has_cpu:
        cells.append(number(median(row["cpu"])) if row["cpu"] else "")
    if has_ratio:
        cells += [f"{median(row[key]):.2f}" if row[key] else "" for key in ("ratios", "cpu_ratios")]
    return cells


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
