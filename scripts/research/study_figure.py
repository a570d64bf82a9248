"""Figure of a study: win rates over environment steps, by opponent, arm and seed."""

from pathlib import Path

from matplotlib.figure import Figure

from planetwars_env.render.plots import COLOURS, rate_over_steps, write_png


def save_bands(path: Path, curves: dict[str, dict[str, list[list[tuple[int, float]]]]]) -> None:
    """A PNG with one plot an opponent: for each arm the mean of its seeds' win rates over steps, and the band they span."""
    figure = Figure(figsize=(4 * len(curves) + 1, 4), layout="constrained")
    for axes, (opponent, arms) in zip(figure.subplots(1, len(curves), squeeze=False)[0], curves.items(), strict=True):
        for colour, (arm, seeds) in zip(COLOURS[1:], arms.items(), strict=False):
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
        rate_over_steps(axes)
    figure.axes[0].set_ylabel("games won")
    labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(*labels, loc="outside lower center", ncols=2)
    write_png(path, figure)
