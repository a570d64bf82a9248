"""Long random play under audit: ``make soak``, or ``python -m scripts.verification.soak``."""

import json
import platform
import time
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import numba
import numpy as np
import typer
from rich.console import Console

from planetwars_env.arena.tasks import finished_tasks
from planetwars_env.cli.shell import progress_bar, user_errors
from planetwars_env.engine.kernel_cache import cache_folder
from planetwars_env.engine.sources import fingerprint_of_files
from planetwars_env.files import write_atomically
from planetwars_env.shipped import PACKAGE_VERSION
from scripts.verification.log import Log
from scripts.verification.stretch import Outcome, play_stretch


def soak(
    turns: Annotated[int, typer.Option(min=1, help="Turns to play, those in the log counted.")] = 100_000_000,
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
        head = _head(size)
        log = Log(out / "log.jsonl", head)
        for outcome in _play_more(log, turns, jobs, first, size):
            log.add({**asdict(outcome), "fault": bool(outcome.fault)})
            if outcome.fault:
                path = _fault_path(out, outcome.number)
                report = {**head, "stretch": outcome.number, "options": outcome.options, **outcome.fault}
                report["to reproduce"] = f"python -m scripts.verification.soak --replay {path}"
                write_atomically(path, (json.dumps(report, indent=1) + "\n").encode())
        typer.echo(summary(log.rows))
        faults = sorted(row["number"] for row in log.rows if row["fault"])
        for number in faults:
            typer.echo(
                f"fault in stretch {number}: python -m scripts.verification.soak --replay {_fault_path(out, number)}",
                err=True,
            )
        if faults:
            raise typer.Exit(1)


def summary(rows: list[dict[str, Any]]) -> str:
    """All stretches of a log in a few lines."""
    tally, seconds = Counter[str](), sum(row["seconds"] for row in rows)
    played: dict[str, Counter[str]] = {key: Counter() for key in ("rules", "actions", "boards", "autoreset")}
    for row in rows:
        tally.update(row["tally"])
        for key, counter in played.items():
            kind = row["options"][key]  # of boards without their number, of actions without that of the orders
            counter[kind.split(" ", 1)[1] if key == "boards" else kind.split(",")[0]] += row["tally"]["turns"]
    lines = [
        f"{tally['turns']:,} turns of {tally['games']:,} games in {len(rows):,} stretches, {seconds:,.0f} seconds of one "
        f"process; faults: {_faults(rows)}",
        f"won by player 1 {tally['won_by_1']:,}, by player 2 {tally['won_by_2']:,}, drawn {tally['drawn']:,}, "
        f"cut off {tally['cut_off']:,}; shuttles launched: {tally['launches']:,}",
        f"hidden parts of positions rewritten: {tally['rewritten']:,}; games played again alone, and batches copied: "
        f"{len(rows):,}",
    ]
    for key, counter in played.items():
        shares = ", ".join(f"{name} {turns:,}" for name, turns in counter.most_common())
        lines.append(f"turns by {key}: {shares}")
    return "\n".join(lines)


def _turns(rows: list[dict[str, Any]]) -> int:
    return sum(row["tally"]["turns"] for row in rows)


def _faults(rows: list[dict[str, Any]]) -> int:
    return sum(row["fault"] for row in rows)


def _head(size: float) -> dict[str, Any]:
    return {
        "package": PACKAGE_VERSION,
        "kernels": Path(cache_folder() or "unknown").name,
        "audit": fingerprint_of_files(sorted(Path(__file__).parent.glob("*.py"))),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "python": platform.python_version(),
        "size": size,
    }


def _fault_path(folder: Path, number: int) -> Path:
    return folder / f"fault-{number}.json"


def _play_more(log: Log, turns: int, jobs: int, first: int, size: float) -> Iterable[Outcome]:
    """Yield stretches that the log lacks, until it has enough turns."""
    known = {row["number"] for row in log.rows}
    left = (number for number in count(first) if number not in known)
    with progress_bar(
        Console(stderr=True), "soak", "{task.completed:,.0f} of {task.total:,.0f} turns, {task.fields[state]}"
    ) as bar:
        begun, before = time.monotonic(), _turns(log.rows)
        task = bar.add_task("soak", total=turns, completed=before, state="no faults")
        outcomes = finished_tasks(_stretch_of, size, left, jobs)
        while (now := _turns(log.rows)) < turns:
            rate = (now - before) / (time.monotonic() - begun)
            bar.update(task, completed=now, state=f"{rate:,.0f} a second, faults: {_faults(log.rows)}")
            yield next(outcomes)
        with warnings.catch_warnings(action="ignore"):  # that stretches were begun for nothing
            outcomes.close()


def _stretch_of(size: float, number: int) -> Outcome:
    return play_stretch(number, size)


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
