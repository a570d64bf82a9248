"""Long random play under audit: ``make soak``, or ``python -m scripts.verification.soak``."""

import json
import signal
import time
from collections.abc import Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from planetwars_env.cli.shell import progress_bar, user_errors
from scripts.verification.soak_log import Log
from scripts.verification.stretch import Outcome, play_stretch


def soak(
    turns: Annotated[int, typer.Option(min=1, help="Turns to play, those in the log counted.")] = 100_000_000,
    minutes: Annotated[float | None, typer.Option(min=0, help="Stop after so many minutes.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
    out: Annotated[Path, typer.Option(help="Folder of the log, which an interrupted soak goes on with.")] = Path(
        "runs/soak"
    ),
    first: Annotated[int, typer.Option(min=0, help="Number of the first stretch: others give other games.")] = 0,
    size: Annotated[
        float, typer.Option(min=0.001, max=100, help="How long a stretch is: 1 is some 30,000 turns.")
    ] = 1.0,
    replay: Annotated[Path | None, typer.Option(help="Play the stretch of this fault again, and nothing else.")] = None,
) -> None:
    """Play random games of every kind, and hold every turn against a second reading of the rules.

    \b
    Each stretch draws boards, rule set, opponents, actions and options from its number. After every step all is compared:
    positions, people born and lost, masks, observations, ends; a row is played again alone, and a copy goes its own way.
    Faults are kept as files that --replay plays again. Exit status 1 where there was one.
    """
    with user_errors(f"What was played is in {out}; run the same command again, and it continues."):
        if replay is not None:
            _play_again(replay)
            return
        log = Log(out, size)
        _soak(log, turns, minutes, jobs, first, size)
        typer.echo(log.summary())
        for number in log.faults:
            typer.echo(
                f"fault in stretch {number}: python -m scripts.verification.soak --replay {log.fault_path(number)}",
                err=True,
            )
        if log.faults:
            raise typer.Exit(1)


def _soak(log: Log, turns: int, minutes: float | None, jobs: int, first: int, size: float) -> None:
    end = None if minutes is None else time.monotonic() + 60 * minutes
    left = (number for number in count(first) if number not in log.outcomes)
    with progress_bar(
        Console(stderr=True), "soak", "{task.completed:,.0f} of {task.total:,.0f} turns, {task.fields[state]}"
    ) as bar:
        task = bar.add_task("soak", total=turns, completed=log.turns, state="no faults")
        begun, before = time.monotonic(), log.turns
        outcomes = _play_all(left, size, jobs)
        while log.turns < turns and (end is None or time.monotonic() < end):
            log.add(next(outcomes))
            rate = (log.turns - before) / (time.monotonic() - begun)
            state = f"{rate:,.0f} a second, faults: {len(log.faults)}"
            bar.update(task, completed=min(turns, log.turns), state=state)
        outcomes.close()


def _play_all(numbers: Iterator[int], size: float, jobs: int) -> Generator[Outcome, None, None]:
    """The outcomes of stretches without end, as they come; in this process where ``jobs`` is 1."""
    if jobs == 1:
        yield from (play_stretch(number, size) for number in numbers)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), _leave_interrupts_to_the_parent) as pool:
        running: set[Future[Outcome]] = set()
        try:
            while True:
                while len(running) < 2 * jobs:
                    running.add(pool.submit(play_stretch, next(numbers), size))
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        finally:
            pool.shutdown(cancel_futures=True)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _play_again(path: Path) -> None:
    """The stretch of a fault; ValueError for a file that holds none."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        number, size = int(kept["stretch"]), float(kept["size"])
    except (ValueError, TypeError, KeyError):
        raise ValueError(f"{path} is not a fault of a soak") from None
    outcome = play_stretch(number, size)
    typer.echo(json.dumps(outcome.options, indent=1))
    if outcome.fault is None:
        typer.echo(f"Stretch {number} has no fault now ({outcome.tally['turns']:,} turns).")
        return
    typer.echo(json.dumps(outcome.fault, indent=1))
    raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(soak)
