"""Curves as PNG files, without a display."""

import io
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator

from planetwars_env.files import write_atomically

# Okabe and Ito's colours, which the colour-blind can tell apart; training is grey, behind the rest.
_COLOURS = ("#999999", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def save_curves(path: Path, title: str, curves: dict[str, list[tuple[int, float]]]) -> None:
    """Win rates (0 to 1) over environment steps, one line a name, as a PNG."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    for i, (name, points) in enumerate(curves.items()):
        steps, rates = [point[0] for point in points], [point[1] for point in points]
        axes.plot(steps, rates, label=name, color=_COLOURS[i % len(_COLOURS)], marker="o" if i else None, markersize=4)
    axes.set(ylabel="games won", title=title)
    _rate_over_steps(axes)
    axes.legend(loc="best")
    _write(path, figure)


def save_bands(path: Path, title: str, curves: dict[str, dict[str, list[list[tuple[int, float]]]]]) -> None:
    """A PNG with one plot an opponent: for each arm the mean of its seeds' win rates over steps, and the band they span."""
    figure = Figure(figsize=(4 * len(curves) + 1, 3.6), layout="constrained")
    for axes, (opponent, arms) in zip(figure.subplots(1, len(curves), squeeze=False)[0], curves.items(), strict=True):
        for colour, (arm, seeds) in zip(_COLOURS[1:], arms.items(), strict=False):
            steps = [point[0] for point in seeds[0]]
            rates = [[seed[i][1] for seed in seeds] for i in range(min(len(seed) for seed in seeds))]
            steps = steps[: len(rates)]
            axes.plot(
                steps, [sum(each) / len(each) for each in rates], label=arm, color=colour, marker="o", markersize=4
            )
            axes.fill_between(
                steps, [min(each) for each in rates], [max(each) for each in rates], color=colour, alpha=0.2
            )
        axes.set(title=f"against {opponent}")
        _rate_over_steps(axes)
    figure.axes[0].set_ylabel("games won")
    figure.axes[0].legend(loc="best")
    figure.suptitle(title)
    _write(path, figure)


def _rate_over_steps(axes: Axes) -> None:
    axes.set(xlabel="environment steps", ylim=(-0.02, 1.02))
    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.grid(alpha=0.3)


def _write(path: Path, figure: Figure) -> None:
    buffer = io.BytesIO()
    FigureCanvasAgg(figure).print_png(buffer)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, buffer.getvalue())
