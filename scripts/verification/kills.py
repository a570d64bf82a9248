"""Kill tests of long commands: ``make kills``, or --help."""

import json
import os
import platform
import shutil
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from planetwars_env.cli.shell import progress_bar, user_errors
from planetwars_env.engine.sources import PACKAGE, fingerprint_of_files
from scripts.verification.kill_tests.commands import COMMANDS
from scripts.verification.kill_tests.restarts import WITHIN, Chain, Whole, play_chain, play_whole


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
        log = Log(out.absolute(), seed)
        _kill_all(log, names, number, chain, minutes)
        print(table(log.chains))
        bad = [one for one in log.chains if not one.good]
        for one in bad:
            print(f"\n{one.work}, number {one.number}:\n{json.dumps(one._asdict(), indent=1)}")
        if bad:
            raise typer.Exit(1)


class Log:
    """The chains in ``folder``/log.jsonl. ValueError where they were made with another seed or other sources."""

    def __init__(self, folder: Path, seed: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.seed, self._path = folder, seed, folder / "log.jsonl"
        head: dict[str, Any] = {"seed": seed, "package": fingerprint_of_files(sorted(PACKAGE.rglob("*.py")))}
        lines = self._path.read_text(encoding="utf-8").split("\n")[:-1] if self._path.exists() else []
        if lines and json.loads(lines[0]) != head:
            raise ValueError(
                f"{self._path} was written by other sources or with another --seed: choose another folder with --out, or "
                "delete it"
            )
        self.chains = [Chain(**json.loads(line)) for line in lines[1:]]
        written = [head, *(one._asdict() for one in self.chains)]
        self._path.write_text("".join(f"{json.dumps(line)}\n" for line in written), encoding="utf-8")

    def add(self, chain: Chain) -> None:
        """Keep a chain."""
        self.chains.append(chain)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(chain._asdict())}\n")

    def of(self, name: str) -> list[Chain]:
        """Those of one command."""
        return [chain for chain in self.chains if chain.work == name]

    def kills(self, names: Iterable[str]) -> int:
        """Kills so far of these commands."""
        return sum(chain.kills for name in names for chain in self.of(name))


def _kill_all(log: Log, names: list[str], number: int, most: int, minutes: float | None) -> None:
    """The commands in turns, so that all have been killed about equally often whenever this is stopped."""
    end = None if minutes is None else time.monotonic() + 60 * minutes
    wholes: dict[str, Whole] = {}
    with progress_bar(Console(stderr=True), "kills", "{task.completed} of {task.total}, {task.fields[state]}") as bar:
        task = bar.add_task("kills", total=number, completed=log.kills(names), state="")
        while (left := number - log.kills(names)) > 0 and (end is None or time.monotonic() < end):
            name = min(names, key=lambda one: log.kills([one]))
            bar.update(task, state=name)
            if name not in wholes:
                wholes[name] = play_whole(name, log.folder / f"{name}-whole")
            chain = len(log.of(name))
            folder = log.folder / f"{name}-{chain:04}"
            log.add(play_chain(name, chain, log.seed, min(most, left), folder, wholes[name]))
            if log.chains[-1].good:
                shutil.rmtree(folder)
            bar.update(task, completed=log.kills(names))


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
