"""Win matrix as a picture; no display is needed."""

import io
import os
from collections.abc import Sequence
from pathlib import Path

from planetwars_env.files import write_atomically

try:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
except ModuleNotFoundError as fault:
    raise ImportError(
        f'{fault.name} is not installed, and a win matrix is drawn with it: pip install "planetwars-env[render]"'
    ) from fault


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
        buffer = io.BytesIO()
        FigureCanvasAgg(figure).print_png(buffer)
        return buffer.getvalue()

    def _repr_png_(self) -> bytes:
        return self.png()

    def __repr__(self) -> str:
        return f"MatrixPlot({', '.join(self.labels)})"
