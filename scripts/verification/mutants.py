"""Mutation testing: small changes to the code, and the number of them that some test notices: --help."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Annotated

import typer
from rich.console import Console

from planetwars_env.cli.shell import progress_bar, user_errors
from scripts.verification.mutation.mutations import draw, mutated
from scripts.verification.mutation.outcomes import Candidate, Outcomes, summary
from scripts.verification.mutation.stages import stages_of
from scripts.verification.mutation.trial import ROOT, Trials, Verdict


def mutants(
    sample: Annotated[int, typer.Option(min=1, help="Mutants to draw.")] = 300,
    seed: Annotated[int, typer.Option(help="Another seed draws others.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Tried side by side.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder of the outcomes, which an interrupted run goes on with.")] = ROOT
    / "runs/mutants",
    only: Annotated[str, typer.Option(help="Only files whose path begins so.")] = "planetwars_env/",
    again: Annotated[bool, typer.Option(help="Try those anew that survived, after tests were added.")] = False,
    minutes: Annotated[float | None, typer.Option(min=0, help="Begin no more after so many minutes.")] = None,
    least: Annotated[float, typer.Option(min=0, max=100, help="Exit status 1 where fewer are noticed, per cent.")] = 0,
) -> None:
    """Try a sample of mutants of engine/, codec/ and view.py, each with the tests of its own module, uncompiled.

    \b
    Every trial is made in a copy of the checkout. A mutant is noticed when a test fails, when the tests cannot begin,
    when they crash or take more than four times their CPU time and ten seconds. Survivors are shown as diffs.
    """
    with user_errors(f"What was tried is in {out}; run the same command again, and it continues."):
        chosen = [Candidate(*one) for one in _draw(sample, seed, only)]
        outcomes = Outcomes(out)
        _try_all([one for one in chosen if _is_open(outcomes, one, again)], len(chosen), outcomes, jobs, minutes)
        entries = [outcomes.known[one.key] for one in chosen if one.key in outcomes.known]
    survivors = [entry for entry in entries if entry["outcome"] == "survived"]
    for entry in survivors:
        print(f"\nsurvived: {entry['operator']}, {entry['path']}:{entry['line']}\n{entry['diff']}")
    print(f"\n{summary(entries)}\nTried: {len(entries)} of {len(chosen)}, seed {seed}.")
    if 100 * (len(entries) - len(survivors)) < least * len(entries):
        raise typer.Exit(1)


def _draw(sample: int, seed: int, only: str) -> Iterator[tuple]:
    """Mutants in a seeded order with the text before and after, until there are enough that are another program."""
    sources: dict[str, str] = {}
    found = 0
    for mutant in draw(ROOT, seed, only):
        source = sources.setdefault(mutant.path, (ROOT / mutant.path).read_text(encoding="utf-8"))
        text = mutated(source, mutant)
        if text is not None:
            yield mutant, source, text
            found += 1
        if found == sample:
            return


def _is_open(outcomes: Outcomes, one: Candidate, again: bool) -> bool:
    entry = outcomes.known.get(one.key)
    return entry is None or (again and entry["outcome"] == "survived")


def _try_all(waiting: list[Candidate], total: int, outcomes: Outcomes, jobs: int, minutes: float | None) -> None:
    """Try what is waiting, those last whose tests compile: they take minutes."""
    if not waiting:
        return
    end = None if minutes is None else time.monotonic() + 60 * minutes
    waiting = sorted(waiting, key=lambda one: any(stage.compiled for stage in stages_of(one.mutant.path)))
    idle: SimpleQueue[Trials] = SimpleQueue()
    made = [Trials() for _ in range(min(jobs, len(waiting)))]
    try:
        for trials in made:
            idle.put(trials)
        with progress_bar(
            Console(stderr=True), "mutants", "{task.completed} of {task.total}, {task.fields[state]}"
        ) as bar:
            task = bar.add_task("mutants", total=total, completed=total - len(waiting), state="")
            survived = 0
            for one, verdict in _verdicts(waiting, idle, len(made), end):
                outcomes.add(one, verdict)
                survived += verdict.outcome == "survived"
                bar.update(task, advance=1, state=f"survived now: {survived}")
    finally:
        for trials in made:
            trials.close()


def _verdicts(
    waiting: list[Candidate], idle: SimpleQueue[Trials], jobs: int, end: float | None
) -> Iterator[tuple[Candidate, Verdict]]:
    def try_out(one: Candidate) -> Verdict | None:
        if end is not None and time.monotonic() > end:
            return None
        trials = idle.get()
        try:
            return trials.try_out(one.mutant.path, one.text, stages_of(one.mutant.path))
        finally:
            idle.put(trials)

    pool = ThreadPoolExecutor(jobs)
    try:
        for one, verdict in zip(waiting, pool.map(try_out, waiting), strict=True):
            if verdict is not None:
                yield one, verdict
    finally:
        pool.shutdown(cancel_futures=True)


if __name__ == "__main__":
    typer.run(mutants)
