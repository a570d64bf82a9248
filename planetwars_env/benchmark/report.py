"""Benchmark results as plain data, for JSON and plots, and as Markdown."""

from collections.abc import Sequence
from math import inf, isfinite
from statistics import median
from typing import Any

from planetwars_env.benchmark.measure import Figure, Labels, Table

Results = dict[str, Any]
"""{"machine": {...}, "tables": {name: {title, unit, axes, figures: [{labels, median, spread, values, ...}]}}}; None: infinity"""

FREE_CORES = "cores free"
"""Key of the machine's description: how many of the used cores were free."""


def as_data(table: Table, figures: Sequence[Figure]) -> dict[str, Any]:
    """Return a table in the form of results.json."""
    rows = [
        {
            "labels": list(figure.labels),
            "median": _finite(figure.value),
            "spread": _finite(figure.spread),
            "ratio": figure.ratio,
            "values": [_finite(value) for value in figure.values],
            "cpu": [_finite(value) for value in figure.cpu],
            "ratios": figure.ratios,
            "cpu_ratios": figure.cpu_ratios,
            **({"curves": figure.curves} if figure.curves else {}),
        }
        for figure in figures
    ]
    return {
        "title": table.title,
        "unit": table.unit,
        "axes": list(table.axes),
        "missing": table.missing,
        "figures": rows,
    }


def _finite(value: float) -> float | None:
    """Return ``value``, None for infinity and not-a-number, which JSON lacks."""
    return value if isfinite(value) else None


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
    missing, spread = table["missing"], "lowest to highest" if table["missing"] else "±"
    heads = [*table["axes"], table["unit"], spread, *["by CPU time"] * has_cpu, *["ratio", "by CPU time"] * has_ratio]
    lines = [f"**{name}.** {table['title']}", "", _line(heads), _line(["---"] * len(heads))]
    return "\n".join([*lines, *(_line(_cells(row, has_cpu, has_ratio, missing)) for row in rows)])


def number(value: float) -> str:
    """Return a number with three digits: 1.23M, 45.6k, 7.89."""
    if value >= 1e6:
        return f"{value / 1e6:.3g}M"
    if value >= 1e4:
        return f"{value / 1e3:.3g}k"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _cells(row: dict[str, Any], has_cpu: bool, has_ratio: bool, missing: str) -> list[str]:
    def shown(value: float) -> str:
        return number(value) if isfinite(value) else missing

    values, cpu = ([inf if value is None else value for value in row[key]] for key in ("values", "cpu"))
    cells = [*map(str, row["labels"]), shown(median(values))]
    cells.append(f"{shown(min(values))} to {shown(max(values))}" if missing else f"{100 * row['spread']:.0f} %")
    if has_cpu:
        cells.append(shown(median(cpu)) if cpu else "")
    if has_ratio:
        cells += [f"{median(row[key]):.2f}" if row[key] else "" for key in ("ratios", "cpu_ratios")]
    return cells


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
