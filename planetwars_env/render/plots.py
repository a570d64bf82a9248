"""Learning curves as PNG files; no display is needed."""

import io
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator

from planetwars_env.files import write_atomically

# Okabe and Ito's palette for colour-blind readers; training is grey, behind the rest.
COLOURS = ("#999999", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


Curves = dict[str, list[tuple[int, float]]]
"""Win rates (0 to 1) over environment steps, by name."""
Intervals = dict[str, list[tuple[float, float]]]
"""Intervals (low, high) of the points of a curve, by its name."""


def save_curves(path: Path, title: str, curves: Curves, sampled: Curves, intervals: Intervals) -> None:
    """Write a PNG with one line per name, its end in the legend, over its ``intervals``; that in ``sampled`` is dashed."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    for i, (name, points) in enumerate(curves.items()):
        steps, rates = [point[0] for point in points], [point[1] for point in points]
        colour = COLOURS[i % len(COLOURS)]
        end = f", {rates[-1]:.0%} at the end" if name in intervals else ""
        axes.plot(steps, rates, label=f"{name}{end}", color=colour, marker="o" if end else None, markersize=4)
        if end:
            low, high = zip(*intervals[name], strict=True)
            axes.fill_between(steps, low, high, color=colour, alpha=0.15, linewidth=0)
            below, above = rates[-1] - low[-1], high[-1] - rates[-1]
            axes.errorbar(
                steps[-1:], rates[-1:], yerr=[[below], [above]], fmt="o", color=colour, markersize=8, capsize=4
            )
        if name in sampled:
            drawn = [point[1] for point in sampled[name]]
            axes.plot(steps, drawn, label=f"{name}, sampled", color=colour, linestyle="--", linewidth=1)
    axes.set(ylabel="games won", title=title)
    rate_over_steps(axes)
    axes.legend(loc="best")
    write_png(path, figure)


def rate_over_steps(axes: Axes) -> None:
    """Format axes for win rates over environment steps."""
    axes.set(xlabel="environment steps", ylim=(-0.02, 1.02))
    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.grid(alpha=0.3)


def write_png(path: Path, figure: Figure) -> None:
    """Write the figure atomically, and create its folder if it is missing."""
    buffer = io.BytesIO()
    FigureCanvasAgg(figure).print_png(buffer)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, buffer.getvalue())
