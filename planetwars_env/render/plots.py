"""Learning curves and win matrices as PNG files; no display is needed."""

import io
import os
from collections.abc import Sequence
from pathlib import Path

from planetwars_env.files import write_atomically
from planetwars_env.shipped import pip_line

try:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter, MaxNLocator
except ModuleNotFoundError as fault:
    raise ImportError(f"{fault.name} is not installed, and plots are drawn with it: {pip_line('render')}") from fault

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
    axes.set(ylabel="games won", title=title, xlabel="environment steps", ylim=(-0.02, 1.02))
    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.grid(alpha=0.3)
    axes.legend(loc="best")
    write_atomically(path, _png(figure))


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    FigureCanvasAgg(figure).print_png(buffer)
    return buffer.getvalue()


_MOST_WITH_NUMBERS = 20
"""Contestants up to which the cells hold their win rate."""


class MatrixPlot:
    """Picture of a win matrix. Notebooks show it; `save` writes it.

    ``rates``: the fraction of games that the row wins against the column; None leaves a cell empty.
    """

    def __init__(self, labels: Sequence[str], rates: Sequence[Sequence[float | None]]) -> None:
        self.labels = tuple(labels)
        self.rates = tuple(tuple(row) for row in rates)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a .png. ValueError for another kind of file."""
        if Path(path).suffix != ".png":
            raise ValueError(f"a win matrix is saved as .png, not as {Path(path).name!r}")
        write_atomically(Path(path), self.png())

    def png(self) -> bytes:
        """Return the picture as a PNG file."""
        few = len(self.labels) <= _MOST_WITH_NUMBERS
        size = 2.2 + (0.75 if few else 0.25) * len(self.labels)
        figure = Figure(figsize=(size + 0.8, size), layout="constrained")
        axes = figure.add_subplot()
        numbers = [[float("nan") if rate is None else rate for rate in row] for row in self.rates]
        # From orange over white to blue, which the colour-blind can tell apart.
        picture = axes.imshow(numbers, cmap="PuOr", vmin=0, vmax=1)
        for i, row in enumerate(self.rates):
            for j, rate in enumerate(row):
                if few and rate is not None:
                    colour = "white" if abs(rate - 0.5) > 0.35 else "black"
                    axes.text(j, i, f"{rate:.0%}", ha="center", va="center", color=colour)
        axes.set_xticks(
            range(len(self.labels)), self.labels, rotation=45 if few else 90, ha="right" if few else "center"
        )
        axes.set_yticks(range(len(self.labels)), self.labels)
        axes.set_title("Games that the row wins against the column")
        figure.colorbar(picture, ax=axes, format=lambda value, _: f"{value:.0%}", label="games won by the row")
        return _png(figure)

    _repr_png_ = png

    def __repr__(self) -> str:
        return f"MatrixPlot({', '.join(self.labels)})"
