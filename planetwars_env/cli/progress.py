"""Bars for long work in a terminal, and a training run as it is seen there."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from planetwars_env.arena.results import Result


def progress_bar(console: Console, what: str, state: str, transient: bool = False) -> Progress:
    """A bar with the time left between two texts, which rich fills in; nothing is drawn where the output is no terminal."""
    return Progress(
        TextColumn(what),
        BarColumn(),
        TextColumn(state),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=console,
        transient=transient,
        disable=not console.is_terminal,
    )


@contextmanager
def training_bar(console: Console) -> Iterator["TrainingBar"]:
    """A `TrainingBar` that is drawn until the block ends."""
    with progress_bar(
        console, "training", "{task.completed:,.0f} of {task.total:,.0f} steps, {task.fields[state]}"
    ) as bar:
        yield TrainingBar(console, bar)


class TrainingBar:
    """A `Watcher` for a terminal; where the output is no terminal, one line every tenth of the way."""

    def __init__(self, console: Console, bar: Progress) -> None:
        self._console, self._bar = console, bar
        self._task: TaskID = bar.add_task("training", total=1, state="starting")
        self._total = self._told = 0

    def on_start(self, steps: int, total: int) -> None:
        """Training goes on from ``steps`` to ``total``."""
        self._total, self._told = total, steps
        self._bar.update(self._task, total=total, completed=steps)

    def on_update(self, steps: int, win_rate: float | None, steps_per_second: float) -> None:
        """Some steps more."""
        won = "no game has ended" if win_rate is None else f"{win_rate:.0%} of training games won"
        state = f"{won}, {steps_per_second:,.0f} steps/s"
        self._bar.update(self._task, completed=min(steps, self._total), state=state)
        if not self._console.is_terminal and steps - self._told >= self._total / 10:
            self._told = steps
            self._console.print(f"{steps:,} of {self._total:,} steps, {state}")

    def on_evaluation(self, steps: int, results: list[Result], sampled: list[Result]) -> None:
        """The agent was measured on the validation graphs."""
        rates = ", ".join(
            f"{result.opponent} {result.total.win_rate:.0%} ({drawn.total.win_rate:.0%})"
            for result, drawn in zip(results, sampled, strict=True)
        )
        self._console.print(f"  at {steps:,} steps, validation games won (when sampled): {rates}", highlight=False)
