"""Code arena: in every round commands edit their strategies, given what happened in the round before; a ladder plays them."""

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from planetwars_env.arena.ladder import Ladder
from planetwars_env.arena.replays import load_replay
from planetwars_env.arena.report import as_markdown, markdown
from planetwars_env.arena.standings import Standings
from planetwars_env.bots.program import program_label
from planetwars_env.bots.writing import write_strategy
from planetwars_env.files import write_atomically
from planetwars_env.render.transcript import replay_text
from planetwars_env.replay import ReplayError
from planetwars_env.text import clean_text, slug

AGENT_FOLDERS, LADDER_FOLDER = "agents", "submissions"
_REPLAYS = 6
"""Games of an agent's report: lost ones first."""
_LOG = 100_000
"""Characters of what a command prints that are kept."""
_TASK = """\
# Your strategy for PlanetWars, round {number} of {rounds}

Improve the strategy in `strategy/strategy.py`. It plays against the strategies of the other agents and against built-in
bots. All files in `strategy/` belong to it, and nothing else does.

- `report/` holds the last round: `standings.md`, `faults.md`, and your games in `replays/` (lost ones first).
- `planetwars evaluate strategy --opponents random ai1 ai2 ai3 --games 20` measures it here.
- It plays in a process of its own, with one second of CPU time per turn, and cannot reach files or the network.
- Your time is {minutes:g} minutes. What stands in `strategy/` then is played.
{said}"""


class CodingAgent(NamedTuple):
    """A command that edits a strategy, and the name under which it stands in the tables."""

    name: str
    words: tuple[str, ...]


def coding_agents(commands: Sequence[str]) -> list[CodingAgent]:
    """Return the agents of commands such as "python edit.py" or "ada=python edit.py". ValueError for an empty one.

    Files of the current folder that a command names are found from the agent's folder too, where it runs.
    """
    found: list[CodingAgent] = []
    for command in commands:
        head, mark, rest = command.partition("=")
        named = bool(mark) and head.isidentifier()
        parts = shlex.split(rest if named else command)
        words = tuple(str(Path(word).absolute()) if Path(word).is_file() else word for word in parts)
        if not words:
            raise ValueError(f"{command!r} is no command: write one such as 'python edit.py', or 'ada=python edit.py'")
        scripts = [word for word in words[1:] if Path(word).is_file()]
        base = name = head if named else program_label(scripts or words)
        while name.casefold() in {one.name.casefold() for one in found}:
            name = f"{base} {sum(one.name.startswith(base) for one in found) + 1}"
        found.append(CodingAgent(name, words))
    return found


class Rounds:
    """Rounds of agents on a ladder, whose folder is ``out / LADDER_FOLDER``. ``minutes``: of a command.

    Every finished round is in the ladder's store, so that rounds that were killed go on with the one that was under way.
    """

    def __init__(self, ladder: Ladder, agents: Sequence[CodingAgent], rounds: int, minutes: float) -> None:
        self._ladder, self._agents, self._rounds, self._minutes = ladder, agents, rounds, minutes
        self._out = ladder.out
        self.finished: list[dict[str, Any]] = ladder.store.metadata("rounds", [])
        if self.finished and {*self.finished[0]} != {one.name for one in agents}:
            raise ValueError(f"the rounds in {self._out} are of {', '.join(self.finished[0])}: choose another --out")

    def play(self, jobs: int, tell: Callable[[str], None]) -> None:
        """Play the rounds that are missing; ``tell`` hears a line on everything that happens."""
        for number in range(len(self.finished) + 1, self._rounds + 1):
            ended = {one.name: self._edit(one, number) for one in self._agents}
            for one in self._agents:
                self._submit(one)
                tell(f"round {number}: {one.name} {ended[one.name]}")
            for line in self._ladder.look():
                tell(f"round {number}: {line}")
            while self._ladder.play_round(jobs):
                pass
            standings = self._ladder.standings()
            self._ladder.keep_history(standings)
            rows = {one.name: self._row(one, standings, ended[one.name]) for one in self._agents}
            for one in self._agents:
                self._report(one, standings)
            self.finished.append(rows)
            self._ladder.store.save_metadata("rounds", self.finished)
            write_atomically(self._out / "rounds.md", self.table().encode())
            tell(f"round {number}: {standings.played} games; standings by round are in {self._out / 'rounds.md'}")

    def table(self) -> str:
        """Return the standings by round as Markdown."""
        headings = ["agent", *(f"round {number}" for number in range(1, len(self.finished) + 1))]
        rows = [[one.name, *(_cell(rows[one.name]) for rows in self.finished)] for one in self._agents]
        said = "Rating, 95 % interval, share of games won; the ratings of a round have mean 0.\n\n"
        return f"# Standings by round\n\n{said}{markdown(headings, rows)}"

    def _edit(self, agent: CodingAgent, number: int) -> str:
        """Run the command in the agent's folder; return in words how it ended."""
        folder = self._folder(agent)
        if not (folder / "strategy").is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            write_strategy(agent.name, folder, as_folder=True).rename(folder / "strategy")
        problem = self._problem(agent)
        label = self._label(agent)
        said = f'\nIn the tables of the last round your strategy is called "{label}".\n' if label else ""
        said += f"\nThe last version does not play: {problem}\n" if problem else ""
        task = _TASK.format(number=number, rounds=self._rounds, minutes=self._minutes, said=said)
        write_atomically(folder / "task.md", task.encode())
        told = {"PLANETWARS_ROUND": str(number), "PLANETWARS_AGENT": agent.name}
        with (folder / f"log-{number}.txt").open("w+b") as log:
            try:
                process = subprocess.Popen(
                    agent.words, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                    env={**os.environ, **told}, start_new_session=True,
                )  # fmt: skip
            except OSError as fault:
                raise ValueError(f"{shlex.join(agent.words)} cannot be started: {fault.strerror or fault}") from fault
            try:
                status = process.wait(60 * self._minutes)
                ended = "edited its strategy" if status == 0 else f"ended with status {status}"
            except subprocess.TimeoutExpired:
                ended = f"was stopped after {self._minutes:g} minutes"
            finally:
                _end_group(process)
            if log.seek(0, os.SEEK_END) > _LOG:
                log.truncate(_LOG)
        return ended

    def _submit(self, agent: CodingAgent) -> None:
        """Copy the strategy to where the ladder looks."""
        place = self._ladder.folder / slug(agent.name)
        shutil.rmtree(place, ignore_errors=True)
        if (self._folder(agent) / "strategy").is_dir():
            shutil.copytree(self._folder(agent) / "strategy", place, symlinks=True)

    def _report(self, agent: CodingAgent, standings: Standings) -> None:
        """Write what the agent may read in the next round."""
        folder, label = self._folder(agent) / "report", self._label(agent)
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "replays").mkdir(parents=True)
        write_atomically(folder / "standings.md", as_markdown(standings).encode())
        faults = [
            f"## {fault.kind}, turn {fault.turn}\n\n{fault.text}"
            for _, _, fault in standings.faults
            if fault.strategy == label
        ]
        text = "\n\n".join(faults[:20]) or "None."
        write_atomically(
            folder / "faults.md", f"# Faults of {label or agent.name}\n\n{clean_text(text, 50_000)}\n".encode()
        )
        rows = [row for row in self._ladder.store.rows() if label in row[:2] and {*row[:2]} <= {*standings.labels}]
        rows.sort(key=lambda row: (row.winner == 0) + 2 * (row.won_by == label))
        for number, row in enumerate(rows[:_REPLAYS], 1):
            try:
                replay = load_replay(self._ladder.store, row.key)
                replay.save(folder / "replays" / f"{number}.json")
            except ReplayError:
                continue  # too long for a file
            write_atomically(folder / "replays" / f"{number}.txt", replay_text(replay).encode())

    def _row(self, agent: CodingAgent, standings: Standings, ended: str) -> dict[str, Any]:
        label = self._label(agent)
        found = {"version": label, "ended": ended, "problem": self._problem(agent)}
        for place in standings.ranking:
            if place.label == label:
                found |= {"rating": place.rating, "low": place.low, "high": place.high, "won": place.tally.win_rate}
        return found

    def _folder(self, agent: CodingAgent) -> Path:
        return self._out / AGENT_FOLDERS / slug(agent.name)

    def _label(self, agent: CodingAgent) -> str:
        """Return the label of the version that plays, "" if none does."""
        entry = self._ladder.submissions.get(slug(agent.name))
        return entry.labels[-1] if entry and entry.spec else ""

    def _problem(self, agent: CodingAgent) -> str:
        entry = self._ladder.submissions.get(slug(agent.name))
        return entry.problem if entry else ""


def _cell(row: dict[str, Any]) -> str:
    if "rating" not in row:
        return f"does not play: {row['problem'] or row['ended']}"
    return f"{row['rating']:.0f} ({row['low']:.0f} to {row['high']:.0f}), {row['won']:.0%}"


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    """End a command and what it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
