"""Mutation testing: small changes to the code, and the number of them that some test notices: --help."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console

from planetwars_env.arena.results import wilson
from planetwars_env.cli.shell import progress_bar, user_errors
from scripts.verification.log import Log
from scripts.verification.mutation.mutations import Mutant, difference, draw, mutated
from scripts.verification.mutation.stages import stages_of
from scripts.verification.mutation.trial import ROOT, Trials


class Candidate(NamedTuple):
    """A mutant with the file as it is and as it would be."""

    mutant: Mutant
    source: str
    text: str

    @property
    def key(self) -> str:
        """The same for the same change to the same file, whatever became of others."""
        return hashlib.sha256(f"{self.mutant.path}\n{self.text}".encode()).hexdigest()[:24]


def mutants(
    sample: Annotated[int, typer.Option(min=1, help="Mutants to draw.")] = 300,
    seed: Annotated[int, typer.Option(help="Another seed draws others.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder of the outcomes, which an interrupted run goes on with.")] = ROOT
    / "runs/mutants",
    only: Annotated[str, typer.Option(help="Only files whose path begins so.")] = "planetwars_env/",
    again: Annotated[bool, typer.Option(help="Try those anew that survived, after tests were added.")] = False,
    least: Annotated[float, typer.Option(min=0, max=100, help="Exit status 1 where fewer are noticed, per cent.")] = 0,
) -> None:
    """Try a sample of mutants of engine/, codec/ and view.py, each with the tests of its own module, uncompiled.

    \b
    Every trial is made in a copy of the checkout. A mutant is noticed when a test fails, when the tests cannot begin,
    when they crash or take more than four times their CPU time and ten seconds. Survivors are shown as diffs.
    """
    with user_errors(f"What was tried is in {out}; run the same command again, and it continues."):
        chosen = list(_draw(sample, seed, only))
        log = Log(out / "outcomes.jsonl", {"outcomes of": "mutants"})
        tried = {entry["key"] for entry in log.rows}
        if again:
            tried -= {entry["key"] for entry in log.rows if entry["outcome"] == "survived"}
        _try_all([one for one in chosen if one.key not in tried], len(chosen), log)
        known = {entry["key"]: entry for entry in log.rows}  # the last trial of each
        entries = [known[one.key] for one in chosen if one.key in known]
    survivors = [entry for entry in entries if entry["outcome"] == "survived"]
    for entry in survivors:
        print(f"\nsurvived: {entry['operator']}, {entry['path']}:{entry['line']}\n{entry['diff']}")
    print(f"\n{summary(entries)}\nTried: {len(entries)} of {len(chosen)}, seed {seed}.")
    if 100 * (len(entries) - len(survivors)) < least * len(entries):
        raise typer.Exit(1)


def _draw(sample: int, seed: int, only: str) -> Iterator[Candidate]:
    """Mutants in a seeded order with the text before and after, until there are enough that are another program."""
    sources: dict[str, str] = {}
    found = 0
    for mutant in draw(ROOT, seed, only):
        source = sources.setdefault(mutant.path, (ROOT / mutant.path).read_text(encoding="utf-8"))
        text = mutated(source, mutant)
        if text is not None:
            yield Candidate(mutant, source, text)
            found += 1
        if found == sample:
            return


def _try_all(waiting: list[Candidate], total: int, log: Log) -> None:
    """Try what is waiting, those last whose tests compile: they take minutes."""
    if not waiting:
        return
    waiting = sorted(waiting, key=lambda one: any(stage.compiled for stage in stages_of(one.mutant.path)))
    form = "{task.completed} of {task.total}, {task.fields[state]}"
    with Trials() as trials, progress_bar(Console(stderr=True), "mutants", form) as bar:
        task = bar.add_task("mutants", total=total, completed=total - len(waiting), state="")
        survived = 0
        for one in waiting:
            verdict = trials.try_out(one.mutant.path, one.text, stages_of(one.mutant.path))
            change = {"key": one.key, "diff": difference(one.source, one.text, one.mutant.path)}
            log.add({**change, **one.mutant._asdict(), **verdict._asdict()})
            survived += verdict.outcome == "survived"
            bar.update(task, advance=1, state=f"survived now: {survived}")


def summary(entries: Iterable[dict[str, Any]]) -> str:
    """A table of the shares killed by folder with their 95 % intervals, and how they were."""
    by_part: dict[str, list[str]] = {}
    for entry in entries:
        for part in (entry["path"].split("/")[1], "all"):
            by_part.setdefault(part, []).append(entry["outcome"])
    ways = ("killed", "unusable", "timeout", "crash", "survived")
    lines = ["| part | mutants | noticed, 95 % interval | " + " | ".join(ways) + " |", "|---" * (3 + len(ways)) + "|"]
    for part in sorted(by_part, key=lambda name: (name == "all", name)):
        found = by_part[part]
        lines.append(
            f"| {part} | {len(found)} | {share(found)} | " + " | ".join(str(found.count(way)) for way in ways) + " |"
        )
    return "\n".join(lines)


def share(outcomes: list[str]) -> str:
    """The share that was noticed, as text."""
    noticed = len(outcomes) - outcomes.count("survived")
    low, high = wilson(noticed, len(outcomes))
    return f"{100 * noticed / len(outcomes):.1f} % ({100 * low:.1f} to {100 * high:.1f})"


if __name__ == "__main__":
    typer.run(mutants)
