"""Code arena: round by round, commands edit their strategies, given the games of the round before, and all play each other.

    python scripts/examples/rounds.py "python improve.py" "ada=./coder --task {task}" --rounds 5 --minutes 10

docs/code-arena.md says what an agent is given. The commands run with your rights; only the strategies are isolated. Nothing is
written into an agent's folder after its first round, and no link is followed where this page writes.
"""

import ctypes
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

import planetwars_env as pw

TASK = """\
# Your strategy for PlanetWars, round {number} of {rounds}

Improve the strategy in `strategy/strategy.py`. It plays against the strategies of the other agents and against built-in
bots. All files in `strategy/` belong to it, and nothing else does.

- The last round is in {report}: `standings.txt`, `faults.md`, and your games in `replays/` (lost ones first;
  `planetwars watch FILE.json --out FILE.txt` writes one as text).
- `planetwars evaluate strategy --opponents random ai1 ai2 ai3 --games 20` measures it here.
- It plays in a process of its own, with one second of CPU time per turn, and cannot reach files or the network.
- Your time is {minutes:g} minutes. What stands in `strategy/` then is played.
"""
REPLAYS, LOG = 6, 100_000
"""Games of a report, and bytes of what a command prints that are kept."""
PLANETWARS = [sys.executable, "-m", "planetwars_env"]
SUBREAPER = 36  # prctl(2): processes that lose their parent become children of this one


class Agent(NamedTuple):
    """A command that edits a strategy, and the name under which it stands in the tables."""

    name: str
    words: tuple[str, ...]


def slug(name: str) -> str:
    """Return the name as a part of file names."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def agents_of(commands: list[str]) -> list[Agent]:
    """Return the agents of commands such as "python edit.py" or "ada=python edit.py". ValueError for an empty one.

    Files of the current folder that a command names are found from the agent's folder too, where it runs.
    """
    found: list[Agent] = []
    for command in commands:
        head, mark, rest = command.partition("=")
        named = bool(mark) and head.isidentifier()
        parts = shlex.split(rest if named else command)
        words = tuple(str(Path(word).absolute()) if Path(word).is_file() else word for word in parts)
        if not words:
            raise ValueError(
                f"{command!r} is not a command: write one such as 'python edit.py', or 'ada=python edit.py'"
            )
        scripts = [word for word in words[1:] if Path(word).is_file()]
        base = name = head if named else Path((scripts or words)[0]).stem
        while slug(name) in {slug(one.name) for one in found}:
            name = f"{base} {sum(one.name.startswith(base) for one in found) + 1}"
        found.append(Agent(name, words))
    return found


def fresh(folder: Path) -> Path:
    """Return an empty folder at this place, where anything may have been before."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def digest(folder: Path) -> str:
    """Return a digest of the files in a folder; of links it takes where they lead, and does not follow them."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        content = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes() if path.is_file() else b""
        found.update(f"{path.relative_to(folder)!r} {len(content)} ".encode(errors="replace") + content)
    return found.hexdigest()


def edit(agent: Agent, folder: Path, given: Path, minutes: float, number: int) -> str:
    """Run the command in the agent's folder; return in words how it ended. ``given``: what it reads, and the log."""
    before, others = digest(folder / "strategy"), children()
    words = [word.replace("{task}", str(given / "task.md")).replace("{report}", str(given)) for word in agent.words]
    values = {"ROUND": number, "AGENT": agent.name, "TASK": given / "task.md", "REPORT": given}
    environment = {**os.environ, **{f"PLANETWARS_{name}": str(value) for name, value in values.items()}}
    log = os.open(given / "log.txt", os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    try:
        process = subprocess.Popen(
            words, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, start_new_session=True
        )
    except OSError as fault:
        raise ValueError(f"{shlex.join(words)} cannot be started: {fault.strerror or fault}") from fault
    try:
        status = process.wait(60 * minutes)
        ended = f"ended with status {status}" if status else ""
    except subprocess.TimeoutExpired:
        ended = f"was stopped after {minutes:g} minutes"
    finally:
        end_all(process, others)
        os.truncate(log, min(LOG, os.fstat(log).st_size))
        os.close(log)
    edited = "edited its strategy" if digest(folder / "strategy") != before else "left its strategy as it was"
    return f"{edited} and {ended}" if ended else edited


def children() -> set[int]:
    """Return the processes below this one, on Linux; those that lost their parent are among them (`SUBREAPER`)."""
    return {int(pid) for one in Path("/proc/self/task").glob("*/children") for pid in one.read_text().split()}


def end_all(process: "subprocess.Popen[bytes]", others: set[int]) -> None:
    """End a command and, on Linux, everything that it has started, in sessions of their own too."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    while new := children() - others:
        for pid in new:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def version_of(strategy: Path, place: Path) -> tuple[str, str]:
    """Copy a strategy to ``place`` and load it in isolation; return the name that it gives itself, and the problem if any."""
    fresh(place).rmdir()
    if not strategy.is_dir() or strategy.is_symlink():
        return "", "there is no folder strategy/"
    try:
        shutil.copytree(strategy, place, symlinks=True)
        labels = pw.tournament([place, "random"], "duel", games=2, max_turns=2, jobs=1).standings.labels
        (name,) = {*labels} - {"random"}
    except (ValueError, OSError, shutil.Error) as fault:
        return "", str(fault)
    return name, ""


def label_of(name: str, place: Path, labels: list[str]) -> str:
    """Return the label of a version in a table; a name that several bear is followed by the place."""
    return next(one for one in labels if one == name or (one.startswith(name[:50]) and place.name in one))


def write_report(folder: Path, played: pw.Tournament, label: str, problem: str) -> None:
    """Write what an agent may read in the next round into the empty ``folder``; ``label``: of its version that played."""
    said = f'Your strategy is called "{label}" here.\n\n' if label else ""
    said += f"The last version does not play: {problem}\n\n" if problem else ""
    (folder / "standings.txt").write_text(f"{said}{played}\n")
    faults = [fault for _, _, fault in played.standings.faults if fault.strategy == label]
    texts = [f"## {fault.kind}, turn {fault.turn}\n\n{fault.text}" for fault in faults[:20]]
    (folder / "faults.md").write_text("# Your faults\n\n" + ("\n\n".join(texts) or "None.")[:50_000] + "\n")
    (folder / "replays").mkdir()
    for number, replay in enumerate(games_of(played, label), 1):
        replay.save(folder / "replays" / f"{number}.json")


def games_of(played: pw.Tournament, label: str) -> list[pw.Replay]:
    """Return some games of a version, lost ones first."""
    graphs = sorted({graph for graph, one in played.standings.graphs if one == label})
    sides = [pair for other in played.standings.labels for pair in ((label, other), (other, label))]
    pairs = ((graph, pair) for graph in graphs for pair in sides)
    found: list[tuple[int, pw.Replay]] = []
    for graph, (first, second) in islice(pairs, 60):
        with suppress(ValueError):  # these two did not play there
            replay = played.replay(first, second, graph)
            loser = (second, first)[replay.winner - 1] if replay.winner else ""
            found.append((0 if loser == label else 1 if not loser else 2, replay))
    return [replay for _, replay in sorted(found, key=lambda one: one[0])][:REPLAYS]


def table(finished: list[dict[str, Any]]) -> str:
    """Return the standings by round as Markdown."""

    def cell(row: dict[str, Any]) -> str:
        rating = "{rating:.0f} ({low:.0f} to {high:.0f}), {won:.0%}".format(**row) if row["label"] else ""
        problem = row["problem"].strip().splitlines()[-1:] or [""]
        said = f"does not play: {problem[0][:100]}" if row["problem"] else ""
        return re.sub(r"[|<>`\\]", " ", "; ".join(part for part in (rating, said) if part))

    heads = ["agent", *(f"round {number}" for number in range(1, len(finished) + 1))]
    rows = [heads, ["---"] * len(heads), *([name, *(cell(one[name]) for one in finished)] for name in finished[0])]
    about = "Rating, 95 % interval, fraction of games won; the ratings of a round have mean 0.\n\n"
    return f"# Standings by round\n\n{about}" + "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def main(
    commands: Annotated[list[str], typer.Argument(metavar="COMMAND...", help="NAME=COMMAND gives one a name.")],
    rounds: Annotated[int, typer.Option(min=1, help="Rounds to play in all.")] = 3,
    minutes: Annotated[float, typer.Option(min=0.001, help="Minutes of a command in a round.")] = 30,
    bots: Annotated[str, typer.Option(help="Bots and agents that play too, with commas.")] = "random,ai1,ai2",
    games: Annotated[int, typer.Option(min=2, help="Games of every pair in a round, an even number.")] = 20,
    graphs: Annotated[str, typer.Option(help="A pool, a graph, a .dot file or a folder of them.")] = "test",
    max_turns: Annotated[int | None, typer.Option(min=1, help="Turns of a game at most.")] = None,
    jobs: Annotated[int, typer.Option(help="Processes; -1: one per core.")] = -1,
    out: Annotated[
        Path, typer.Option(help="Folder of everything; run the same command again, and it continues.")
    ] = Path("runs/rounds"),
) -> None:
    """Let coding agents improve strategies, round by round.

    \b
    python scripts/examples/rounds.py "python improve.py" "ada=./coder --task {task}" --rounds 5
    """
    options = {"graphs": graphs, "games": games, "max_turns": max_turns, "jobs": jobs}
    try:
        play(agents_of(commands), rounds, minutes, [name.strip() for name in bots.split(",")], options, out.absolute())
    except (ValueError, OSError, subprocess.CalledProcessError) as fault:
        sys.exit(f"Error: {fault}")
    except KeyboardInterrupt:
        sys.exit(f"Interrupted. Finished rounds are in {out}: run the same command again, and it continues.")


def play(agents: list[Agent], rounds: int, minutes: float, bots: list[str], options: dict[str, Any], out: Path) -> None:
    """Play the rounds that are missing. A round that was interrupted begins again."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    if len(bots) < 2:
        raise ValueError("--bots: name two at least, so that a round can be played where no version loads")
    out.mkdir(parents=True, exist_ok=True)
    kept = out / "rounds.json"
    finished: list[dict[str, Any]] = json.loads(kept.read_text()) if kept.exists() else []
    if finished and {*finished[0]} != {one.name for one in agents}:
        raise ValueError(f"the rounds in {out} are of {', '.join(finished[0])}: choose another --out")
    for number in range(len(finished) + 1, rounds + 1):
        # By agent: the place of the copy that plays, its name, the problem.
        versions: dict[str, tuple[str, str, str]] = {}
        for one in agents:
            folder, given = out / "agents" / slug(one.name), out / "reports" / slug(one.name) / f"{number}"
            if not finished:
                fresh(given)
                command = [*PLANETWARS, "new", one.name, "--folder", "--into", fresh(folder)]
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                next(folder.iterdir()).rename(folder / "strategy")
            for name in ("task.md", "log.txt"):
                (given / name).unlink(missing_ok=True)
            where = given if finished else "no folder yet"
            (given / "task.md").write_text(TASK.format(number=number, rounds=rounds, minutes=minutes, report=where))
            typer.echo(f"round {number}: {one.name} {edit(one, folder, given, minutes, number)}")
            place = out / "versions" / f"{slug(one.name)}-{number}"
            name, problem = version_of(folder / "strategy", place)
            before = finished[-1][one.name] if finished else {"place": "", "name": ""}
            versions[one.name] = (str(place), name, "") if name else (before["place"], before["name"], problem)
        playing = [place for place, _, _ in versions.values() if place]
        played = pw.tournament([*bots, *playing], out=out / "games" / f"{number}", **options)
        places = {place.label: place for place in played.standings.ranking}
        rows = {}
        for one in agents:
            place, name, problem = versions[one.name]
            label = label_of(name, Path(place), list(places)) if place else ""
            write_report(fresh(out / "reports" / slug(one.name) / f"{number + 1}"), played, label, problem)
            rows[one.name] = {"place": place, "name": name, "label": label, "problem": problem}
            if label:
                rated = places[label]
                rows[one.name] |= {name: getattr(rated, name) for name in ("rating", "low", "high")}
                rows[one.name]["won"] = rated.tally.win_rate
        finished.append(rows)
        for path, text in ((kept, json.dumps(finished, indent=1)), (out / "rounds.md", table(finished))):
            draft = path.with_suffix(".tmp")
            draft.unlink(missing_ok=True)
            draft.write_text(text)
            draft.replace(path)
    typer.echo(f"\n{table(finished)}\nGames of each round are in {out / 'games'}; {out / 'agents'} has the strategies.")


if __name__ == "__main__":
    typer.run(main)
