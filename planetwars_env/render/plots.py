"""Curves as PNG files, without a display."""

import io
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from planetwars_env.replay import write_atomically

# Okabe and Ito's colours, which the colour-blind can tell apart; training is grey, behind the rest.
_COLOURS = ("#999999", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def save_curves(path: Path, curves: dict[str, list[tuple[int, float]]]) -> None:
    """Win rates (0 to 1) over environment steps, one line a name, as a PNG."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    for i, (name, points) in enumerate(curves.items()):
        steps, rates = [point[0] for point in points], [point[1] for point in points]
        axes.plot(steps, rates, label=name, color=_COLOURS[i % len(_COLOURS)], marker="o" if i else None, markersize=4)
    axes.set(xlabel="environment steps", ylabel="games won", ylim=(-0.02, 1.02), title="Learning PlanetWars")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.grid(alpha=0.3)
    axes.legend(loc="best")
    canvas, buffer = FigureCanvasAgg(figure), io.BytesIO()
    canvas.print_png(buffer)
    write_atomically(path, buffer.getvalue())
