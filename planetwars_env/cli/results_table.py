"""Results of games in a terminal and in files."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import rich.table
from rich.console import Console

from planetwars_env.arena.isolation import Fault
from planetwars_env.arena.results import Result, Tally
from planetwars_env.arena.tables import Table
from planetwars_env.files import write_atomically
from planetwars_env.move_counts import MoveCounts

HEADINGS = ("opponent", "games", "player 1", "player 2", "win rate", "95 % here", "unseen", "turns")


def print_table(console: Console, table: Table) -> None:
    """Print a table without borders. Long texts go on in the next line, so that no text and no number is cut."""
    columns = rich.table.Table(title=table.title, box=None, padding=(0, 2, 0, 0), show_footer=bool(table.footer))
    for place, heading in enumerate(table.headings):
        footer = table.footer[place] if table.footer else ""
        if place in table.texts:
            columns.add_column(heading, overflow="fold", min_width=8, footer=footer)
        else:
            columns.add_column(heading, justify="right", no_wrap=True, footer=footer)
    for row in table.rows:
        columns.add_row(*row)
    console.print(columns)


def results_table(title: str, results: list[Result]) -> Table:
    """Return a table with one row per opponent, 80 characters wide; `print_results` says which interval is which."""

    def interval(bounds: tuple[float, float] | None) -> str:
        return f"{100 * bounds[0]:.0f}-{100 * bounds[1]:.0f} %" if bounds else ""

    rows = []
    for one in results:
        total, sides = one.total, map(counts, (one.as_player_1, one.as_player_2))
        rates = f"{total.win_rate:.1%}", interval(one.interval), interval(one.unseen)
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
        if result.distinct is not None and result.distinct < result.total.games:
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


def counts(tally: Tally) -> str:
    """Return the wins, draws and losses in the least space: 60/3/37."""
    return str(tally).replace(" ", "")
