"""Kill tests of long commands: ``make kills``, or --help."""

import json
import os
import platform
import shutil
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from planetwars_env.cli.shell import progress_bar, user_errors
from planetwars_env.engine.sources import PACKAGE, fingerprint_of_files
from scripts.verification.kill_tests.commands import COMMANDS
from scripts.verification.kill_tests.restarts import WITHIN, Chain, Whole, play_chain, play_whole
from scripts.verification.log import Log


def kills(
    number: Annotated[int, typer.Option("--kills", min=1, help="Kills, those in the log counted.")] = 200,
    only: Annotated[list[str] | None, typer.Option(help=f"One of {', '.join(COMMANDS)}; may be repeated.")] = None,
    chain: Annotated[int, typer.Option(min=1, help="Kills of one command at most, before it is let alone.")] = 5,
    minutes: Annotated[float | None, typer.Option(min=0, help="Begin no more after so many minutes.")] = None,
    seed: Annotated[int, typer.Option(help="Another seed draws other moments.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder of the log, which an interrupted run goes on with.")] = Path(
        "runs/kills"
    ),
) -> None:
    """Kill rank, grading, ladder, train, evaluate and make_graphs at random moments, and begin them again until they are done.

    \b
    Half of the signals are SIGKILL, the others SIGTERM and SIGINT (Ctrl-C). Half of them fall on any moment of the command,
    half on one just after it has written something. After each, nothing may be left behind (processes, temporary folders,
    shared memory), and every file must be whole. In the end the result must be that of a command that was left alone. Exit
    status 1 where anything differs.
    """
    with user_errors(f"What was done is in {out}; run the same command again, and it continues."):
        names = only or list(COMMANDS)
        if unknown := sorted(set(names) - set(COMMANDS)):
            raise ValueError(f"there is no {unknown[0]!r} to kill; known: {', '.join(COMMANDS)}")
        sources = fingerprint_of_files(sorted(PACKAGE.rglob("*.py")))
        log = Log(out.absolute() / "log.jsonl", {"seed": seed, "package": sources})
        chains = _kill_all(log, out.absolute(), seed, names, number, chain, minutes)
        print(table(chains))
        bad = [one for one in chains if not one.good]
        for one in bad:
            print(f"\n{one.work}, number {one.number}:\n{json.dumps(one._asdict(), indent=1)}")
        if bad:
            raise typer.Exit(1)


def _kill_all(
    log: Log, out: Path, seed: int, names: list[str], number: int, most: int, minutes: float | None
) -> list[Chain]:
    """Kill the commands in turns, so that all were killed about equally often; return the chains of the log and the new ones."""
    chains = [Chain(**row) for row in log.rows]

    def kills_of(*names: str) -> int:
        return sum(one.kills for one in chains if one.work in names)

    end = None if minutes is None else time.monotonic() + 60 * minutes
    wholes: dict[str, Whole] = {}
    with progress_bar(Console(stderr=True), "kills", "{task.completed} of {task.total}, {task.fields[state]}") as bar:
        task = bar.add_task("kills", total=number, completed=kills_of(*names), state="")
        while (left := number - kills_of(*names)) > 0 and (end is None or time.monotonic() < end):
            name = min(names, key=lambda one: kills_of(one))
            bar.update(task, state=name)
            if name not in wholes:
                wholes[name] = play_whole(name, out / f"{name}-whole")
            place = sum(one.work == name for one in chains)
            folder = out / f"{name}-{place:04}"
            chains.append(play_chain(name, place, seed, min(most, left), folder, wholes[name]))
            log.add(chains[-1]._asdict())
            if chains[-1].good:
                shutil.rmtree(folder)
            bar.update(task, completed=kills_of(*names))
    return chains


def table(chains: list[Chain]) -> str:
    """One row a command, as docs/trust.md shows it."""
    lines = ["| command | kills | resumed | same end | whole files | left behind |", "|---|---|---|---|---|---|"]
    for name, work in COMMANDS.items():
        found = [chain for chain in chains if chain.work == name]
        if found:
            resumed = str(sum(one.resumed for one in found)) if work.kept else "begins anew"
            same = f"{sum(one.same for one in found)} of {len(found)}"
            damaged, left = sum(len(one.damaged) for one in found), sum(len(one.left) for one in found)
            cells = [
                work.said,
                sum(one.kills for one in found),
                resumed,
                same,
                f"{damaged} damaged" if damaged else "all",
            ]
            lines.append(f"| {' | '.join(map(str, cells))} | {left or 'nothing'} |")
    kills = sum(one.kills for one in chains)
    machine = f"{os.cpu_count()} processors, {platform.system()} {platform.machine()}"
    return "\n".join([*lines, f"\n{kills} kills; looked for what is left at most {WITHIN:g} s after each; {machine}"])


if __name__ == "__main__":
    typer.run(kills)
