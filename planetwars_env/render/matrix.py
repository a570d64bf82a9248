"""A win matrix as a picture, without a display."""

import io
from collections.abc import Sequence

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


def matrix_png(labels: Sequence[str], rates: Sequence[Sequence[float | None]], title: str) -> bytes:
    """The share of games (0 to 1) that the row wins against the column as a PNG; None leaves a field empty."""
    size = 2.2 + 0.75 * len(labels)
    figure = Figure(figsize=(size + 0.8, size), layout="constrained")
    axes = figure.add_subplot()
    numbers = [[float("nan") if rate is None else rate for rate in row] for row in rates]
    # From orange over white to blue, which the colour-blind can tell apart.
    picture = axes.imshow(numbers, cmap="PuOr", vmin=0, vmax=1)
    for i, row in enumerate(rates):
        for j, rate in enumerate(row):
            if rate is not None:
                colour = "white" if abs(rate - 0.5) > 0.35 else "black"
                axes.text(j, i, f"{rate:.0%}", ha="center", va="center", color=colour)
    axes.set_xticks(range(len(labels)), labels, rotation=45, ha="right")
    axes.set_yticks(range(len(labels)), labels)
    axes.set_title(title)
    figure.colorbar(picture, ax=axes, format=lambda value, _: f"{value:.0%}", label="games won by the row")
    buffer = io.BytesIO()
    FigureCanvasAgg(figure).print_png(buffer)
    return buffer.getvalue()
