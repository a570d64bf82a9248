"""Plots of the figures of `planetwars benchmark`, as one drawing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from planetwars_env.files import replacement_file

Tables = dict[str, dict[str, Any]]
"""As in results.json: {name: {title, unit, axes, figures: [{labels, median, spread, values ...}]}}."""

# Okabe and Ito's colours, which colour-blind readers tell apart.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def draw_benchmark(tables: Tables, path: Path) -> None:
    """Draw the measured tables into a PNG file; write nothing where none of them has a plot."""
    panels = [(panel, tables) for needs, panel in _PANELS if any(name in tables for name in needs)]
    if not panels:
        return
    figure = Figure(figsize=(6.4 * len(panels), 4.6), layout="constrained")
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for axis, (panel, data) in zip(axes, panels, strict=True):
        panel(axis, data)
    with replacement_file(path, path.suffix) as draft:
        figure.savefig(draft, dpi=120)


def _batches(axis: Axes, tables: Tables) -> None:
    """Plot steps per second by games: a colour per opponent, dashed for two threads, bars from lowest to highest."""
    figures = tables["batch"]["figures"]
    opponents = list(dict.fromkeys(row["labels"][0] for row in figures))
    threads = sorted({row["labels"][2] for row in figures})
    for colour, opponent in zip(_COLOURS, opponents, strict=False):
        for style, count in zip(("-", "--", ":"), threads, strict=False):
            rows = [row for row in figures if (row["labels"][0], row["labels"][2]) == (opponent, count)]
            label = f"{opponent}, {count} thread{'s' if count > 1 else ''}"
            _line(axis, rows, [row["labels"][1] for row in rows], 1e-6, colour=colour, linestyle=style, label=label)
    axis.set(xscale="log", xlabel="games", ylabel="million environment steps per second", title="The compiled step")
    axis.legend(fontsize="small")


def _comparisons(axis: Axes, tables: Tables) -> None:
    """Plot everything that is compared with other environments, as bars."""
    rows = [
        (f"{name}: {', '.join(map(str, row['labels']))}", row["median"])
        for name in _COMPARED
        if name in tables
        for row in tables[name]["figures"]
    ]
    names, values = zip(*reversed(rows), strict=True)
    bars = axis.barh(names, values, color=_COLOURS[0])
    axis.bar_label(bars, labels=[f"{value:,.0f}" for value in values], padding=3, fontsize="small")
    axis.set(xscale="log", xlabel="steps per second", title="Compared with other environments")
    axis.set_xlim(min(values) / 2, max(values) * 8)
    axis.tick_params(axis="y", labelsize="small")


def _graph_sizes(axis: Axes, tables: Tables) -> None:
    """Plot time per step by planets, both logarithmic, with a line of linear growth."""
    rows = [row for row in tables["graph-size"]["figures"] if row["labels"][2] == "a step"]
    planets = [row["labels"][0] for row in rows]
    _line(axis, rows, planets, 1e-3, colour=_COLOURS[0], linestyle="-", label="measured")
    last = rows[-1]["median"] / 1000
    axis.plot(planets, [last * count / planets[-1] for count in planets], ":", color="grey", label="linear")
    axis.set(xscale="log", yscale="log", xlabel="planets", ylabel="µs per step", title="Cost of larger graphs")
    axis.legend(fontsize="small")


def _learning_curves(axis: Axes, tables: Tables) -> None:
    """Plot the win rate by CPU seconds of training: a colour per goal, a line per seed."""
    for colour, row in zip(_COLOURS, tables["learning"]["figures"], strict=False):
        for seed, curve in enumerate(row["curves"]):
            seconds, rates = [point["cpu_seconds"] for point in curve], [100 * point["win_rate"] for point in curve]
            label = row["labels"][0] if seed == 0 else None
            axis.plot(seconds, rates, color=colour, marker=".", linewidth=1, label=label)
    axis.set(xlabel="CPU seconds of training", ylabel="games won in per cent", title="From nothing, a line per seed")
    axis.legend(fontsize="small")


def _line(
    axis: Axes, rows: list[dict[str, Any]], places: list[int], unit: float, colour: str, linestyle: str, label: str
) -> None:
    medians = [row["median"] * unit for row in rows]
    below = [median - min(row["values"]) * unit for median, row in zip(medians, rows, strict=True)]
    above = [max(row["values"]) * unit - median for median, row in zip(medians, rows, strict=True)]
    axis.errorbar(
        places, medians, yerr=[below, above], color=colour, linestyle=linestyle, marker="o", label=label, capsize=2
    )


_COMPARED = ("single", "vector", "sb3", "sb3-rollouts")
_PANELS: tuple[tuple[tuple[str, ...], Callable[[Axes, Tables], None]], ...] = (
    (("batch",), _batches),
    (_COMPARED, _comparisons),
    (("graph-size",), _graph_sizes),
    (("learning",), _learning_curves),
)
