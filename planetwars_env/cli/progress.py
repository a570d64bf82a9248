"""Progress bars for long work in a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from planetwars_env.arena.results import Result


def progress_bar(console: Console, label: str, state: str, transient: bool = False) -> Progress:
    """Return a bar with the remaining time between two texts, which rich fills in; it is drawn in terminals only."""
    return Progress(
        TextColumn(label),
        BarColumn(),
        TextColumn(state),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=console,
        transient=transient,
        disable=not console.is_terminal,
    )


@contextmanager
def games_bar(console: Console, total: int) -> Iterator[Callable[[int], None]]:
    """Draw a bar over ``total`` games until the block ends; the function given counts finished games."""
    with progress_bar(console, "playing", "{task.completed} of {task.total} games", transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda games: bar.advance(task, games)


@contextmanager
def training_bar(console: Console) -> Iterator["TrainingBar"]:
    """Draw a `TrainingBar` until the block ends."""
    state = "{task.completed:,.0f} of {task.total:,.0f} steps, {task.fields[state]}"
    with progress_bar(console, "training", state) as bar:
        yield TrainingBar(console, bar)


class TrainingBar:
    """Progress callback of a training run in a terminal; elsewhere it prints one line for every tenth of the steps."""

    def __init__(self, console: Console, bar: Progress) -> None:
        self._console, self._bar = console, bar
        self._task: TaskID = bar.add_task("training", total=1, state="starting")
        self._total = self._printed = 0

    def on_start(self, steps: int, total: int) -> None:
        """Training goes on from ``steps`` to ``total``."""
        self._total, self._printed = total, steps
        self._bar.update(self._task, total=total, completed=steps)

    def on_update(self, steps: int, win_rate: float | None, steps_per_second: float) -> None:
        """``steps`` environment steps are done."""
        won = "no game has ended" if win_rate is None else f"{win_rate:.0%} of training games won"
        state = f"{won}, {steps_per_second:,.0f} steps/s"
        self._bar.update(self._task, completed=min(steps, self._total), state=state)
        if not self._console.is_terminal and steps - self._printed >= self._total / 10:
            self._printed = steps
            self._console.print(f"{steps:,} of {self._total:,} steps, {state}")

    def on_evaluation(self, steps: int, results: list[Result], sampled: list[Result]) -> None:
        """The agent was measured on the validation graphs."""
        rates = ", ".join(
            f"{result.opponent} {result.total.win_rate:.0%} ({drawn.total.win_rate:.0%})"
            for result, drawn in zip(results, sampled, strict=True)
        )
        self._console.print(f"  at {steps:,} steps, validation games won (when sampled): {rates}")
