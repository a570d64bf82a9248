"""Results of games in a terminal and in files."""

import hashlib
import json
import shlex
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import rich.table
from rich.console import Console

from planetwars_env.arena import report
from planetwars_env.arena.contestants import fingerprint_player
from planetwars_env.arena.isolation import Fault
from planetwars_env.arena.plan import Seed
from planetwars_env.arena.results import Result, percent
from planetwars_env.arena.sandbox import Sandbox, choose_sandbox
from planetwars_env.arena.standings import Standings
from planetwars_env.arena.tables import Table
from planetwars_env.bots.catalogue import Player
from planetwars_env.cli.shell import progress_bar
from planetwars_env.engine.rules import Rules
from planetwars_env.files import write_atomically
from planetwars_env.graphs.catalogue import POOLS, load_pool
from planetwars_env.graphs.graph import Graph
from planetwars_env.move_counts import MoveCounts
from planetwars_env.shipped import PACKAGE_VERSION, data_root

RATE = ("win rate", "95 %", "won / drawn / lost")
"""Headings of `rate_cells`."""
HEADINGS = ("opponent", "games", "player 1", "player 2", "win rate", "95 % here", "unseen", "turns")


def print_table(console: Console, table: Table) -> None:
    """Print a table without borders. Long texts go on in the next line, so that no text and no number is cut."""
    columns = rich.table.Table(title=table.title, box=None, padding=(0, 2, 0, 0))
    for place, heading in enumerate(table.headings):
        if place in table.texts:
            columns.add_column(heading, overflow="fold", min_width=8)
        else:
            columns.add_column(heading, justify="right", no_wrap=True)
    for row in table.rows:
        columns.add_row(*row)
    console.print(columns)


def rate_cells(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the cells of `RATE` for an entry of a results file."""
    counts = f"{entry['wins']}/{entry['draws']}/{entry['losses']}"
    return f"{entry['win_rate']:.1%}", percent((entry["ci_low"], entry["ci_high"])), counts


def results_table(title: str, results: list[Result]) -> Table:
    """Return a table with one row per opponent, 80 characters wide; `print_results` says which interval is which."""
    rows = []
    for one in results:
        total, sides = one.total, map(str, (one.as_player_1, one.as_player_2))
        rates = f"{total.win_rate:.1%}", percent(one.interval), percent(one.unseen) if one.unseen else ""
        rows.append([one.opponent, str(total.games), *sides, *rates, f"{total.mean_turns:.0f}"])
    return Table(f"{title}: won / drawn / lost", HEADINGS, rows)


def print_results(console: Console, player: str, graphs: str, results: list[Result]) -> None:
    """Print the table, what its intervals are of, and which games were repeated or circled (docs/evaluation.md)."""
    mode = f", {results[0].mode}," if results and results[0].mode else ""
    print_table(console, results_table(f"{player}{mode} on {graphs}", results))
    lines = [
        "95 % here: for more games on these graphs (Wilson). unseen: for other graphs like them, clustered by graph."
    ]
    for result in results:
        if result.distinct < result.total.games:
            lines.append(
                f"{result.opponent}: {result.distinct:,} distinct games of {result.total.games:,}; the others repeat their "
                "moves, and the intervals do not count them."
            )
    for result in results:
        if result.repetitions:
            games = f"In {result.repetitions} of {result.total.games} games against {result.opponent}"
            lines.append(f"{games}, one position with {player} to move occurred three times.")
        if sentence := result.describe_circling(player):
            lines.append(sentence)
    console.print("\n".join(lines))


def print_moves(console: Console, moves: Mapping[str, MoveCounts], first: bool = False) -> None:
    """Print the moves that strategies sent; ``first``: above the table, those of which none is legal, else the others."""
    for name, counts in moves.items():
        if counts.sent and first == (counts.dropped == counts.sent):
            console.print(f"{counts.describe(name)}.", style="bold" if first else None)


def print_faults(console: Console, faults: Sequence[Fault]) -> None:
    """Print the faults of strategies: each kind with its number and the last line of the first one's text."""
    first = {fault.kind: fault for fault in reversed(faults)}
    times = Counter(fault.kind for fault in faults)
    for kind, fault in first.items():
        console.print(f"fault, {times[kind]} times: {kind}: {fault.summary[:200]}")


def save_results(path: Path, results: list[Result], head: dict[str, Any]) -> None:
    """Write what was played (`provenance`) and "results", with one entry per opponent, as JSON."""
    save_json(path, {**head, "results": [result.to_dict() for result in results]})


def save_json(path: Path, value: Any) -> None:
    """Write a value as indented JSON."""
    write_atomically(path, (json.dumps(value, indent=2) + "\n").encode())


def provenance(
    players: Sequence[Player], graphs: str, drawn: Sequence[Graph], rules: Rules, **more: Any
) -> dict[str, Any]:
    """Return the head of a results file: ``graphs`` as they were named, ``drawn`` as they were played; ``more`` entries.

    "sha256" of the graphs is that of the pool's file, which graphs/README.md lists, and of their content for other graphs.
    """
    whole = graphs in POOLS and tuple(drawn) == tuple(load_pool(graphs))[: len(drawn)]
    text = (
        (data_root() / f"{graphs}.dot").read_bytes()
        if whole
        else json.dumps([[graph.name, graph.to_dict()] for graph in drawn]).encode()
    )
    return {
        "package": PACKAGE_VERSION,
        "command": shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        "players": [  # an object has no fingerprint
            {"name": one.name, "spec": one.spec, "digest": fingerprint_player(one) if one.spec else None}
            for one in players
        ],
        "graphs": {"name": graphs, "count": len(drawn), "sha256": hashlib.sha256(text).hexdigest()},
        "rules": asdict(rules),
        **more,
    }


MOST_IN_A_MATRIX = 8
"""Contestants up to which a terminal shows the win matrix and all pairs."""
_SHOWN = 10
"""Rows of the tables of moves and faults that a terminal shows of many contestants."""
_SHOW_EVERY = 5.0
"""Seconds between two showings of the standings while games are played."""
_SHOW_LONGER = 20
"""Times as long as a showing took is the time without one after it."""


def print_isolation(console: Console, contestants: Sequence[Player], unsafe: bool, others: bool = False) -> None:
    """Print the sandbox of strategies from files, if there are any; NoSandboxError if this machine has none.

    ``others``: strategies from files play that are not among the ``contestants``.
    """
    if others or any(one.isolated for one in contestants):
        sandbox = choose_sandbox(unsafe)
        style = "yellow" if sandbox is Sandbox.NONE else None
        console.print(f"Isolation: {sandbox.value}.", style=style)


def print_seeds(console: Console, seed: Seed | None, disturb: bool) -> None:
    """Print whether strategies may have been made for these games."""
    if isinstance(seed, int):
        seeds = f"--seed {seed}, which is not secret: strategies may have been made for these games"
    else:
        seeds = "from a secret, which is shown after the last game"
    graphs = "disturbed, so that nobody can look them up" if disturb else "as they are in their files"
    console.print(f"Seeds: {seeds}. Graphs: {graphs}.")


@contextmanager
def tournament_bar(
    console: Console, show: Callable[[Standings, tuple[int, int]], None] | None = None
) -> Iterator[Callable[..., None]]:
    """Draw a bar over the games of a tournament until the block ends; the function given is `pw.tournament`'s ``on_games``.

    ``show`` gets the standings, and how many of how many games are finished, every few seconds, with many contestants less
    often.
    """
    with progress_bar(console, "playing", "{task.completed} of {task.total} games") as bar:
        task = bar.add_task("", total=None)
        next_show = 0.0

        def on_games(games: int, total: int, standings: Callable[[], Standings] | None = None) -> None:
            nonlocal next_show
            first = bar.tasks[0].total is None
            if first and games:
                console.print(f"{games} of {total} games were played before.")
            bar.update(task, total=total, advance=games)
            if show is None or standings is None or first or (begun := time.monotonic()) < next_show:
                return
            show(standings(), (int(bar.tasks[0].completed), total))
            ended = time.monotonic()
            next_show = ended + max(_SHOW_EVERY, _SHOW_LONGER * (ended - begun))

        yield on_games


def print_tables(console: Console, standings: Standings, out: Path) -> None:
    """Print the ranking, the win matrix, the pairs, and the faults if there are any, 80 characters wide.

    With many contestants a line names the file in ``out`` with the matrix, the pairs, and the rest of the faults.
    """
    print_moves(console, standings.moves, first=True)
    left_out = "strategy", "submission", "95 %", "forfeits", "distinct of played"
    tables = [report.ranking(standings).without(*left_out)]
    few = len(standings.labels) <= MOST_IN_A_MATRIX
    if few:
        pairs = report.pairs(standings).without("95 % as 1", "95 % as 2", "distinct games")
        tables += [report.matrix(standings), pairs]
    if any(counted.dropped for counted in standings.moves.values()):
        tables.append(report.moves(standings))
    if standings.faults:  # without the game: it is in the files
        tables.append(report.faults(standings).without("first in"))
    for table in tables:
        if len(table.rows) > _SHOWN and not few and table is not tables[0]:
            title = f"{table.title}, {_SHOWN} of {len(table.rows)}"
            table = replace(table, title=title, rows=table.rows[:_SHOWN])
        print_table(console, table)
    if not few:
        console.print(f"The win matrix, all pairs and all faults are in {out / 'ranking.md'}, as a page with --html.")
