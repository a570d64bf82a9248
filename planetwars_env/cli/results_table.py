"""Results of games in a terminal and in files."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from planetwars_env.arena.isolation import Fault
from planetwars_env.arena.results import BEATEN_ABOVE, Result, Tally
from planetwars_env.files import write_atomically
from planetwars_env.move_counts import MoveCounts

HEADINGS = ("games", "as player 1", "as player 2", "win rate", "95 %", "turns", f"> {BEATEN_ABOVE:.0%}")


def plain_table(title: str, names: Sequence[str], numbers: Sequence[str], footer: Sequence[str] = ()) -> Table:
    """Return an empty table without borders: columns of ``names`` on the left, columns of ``numbers`` on the right."""
    table = Table(title=escape(title), box=None, padding=(0, 2, 0, 0), show_footer=bool(footer))
    footer = [*footer, *[""] * (len(names) + len(numbers))]
    for heading in names:
        table.add_column(heading, overflow="fold", min_width=8, footer=footer.pop(0))
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True, footer=footer.pop(0))
    return table


def results_table(title: str, results: list[Result]) -> Table:
    """Return a table with one row per opponent, 80 characters wide."""
    table = plain_table(f"{title}: won / drawn / lost", ["opponent"], HEADINGS)
    for result in results:
        total, (low, high) = result.total, result.total.interval
        table.add_row(
            escape(result.opponent),
            str(total.games),
            counts(result.as_player_1),
            counts(result.as_player_2),
            f"{total.win_rate:.1%}",
            f"{100 * low:.0f}-{100 * high:.0f} %",
            f"{total.mean_turns:.0f}",
            "yes" if result.beaten else "no",
        )
    return table


def print_results(console: Console, player: str, graphs: str, results: list[Result]) -> None:
    """Print the table, and below it the number of games with repeated positions (docs/evaluation.md)."""
    console.print(results_table(f"{player} on {graphs}", results))
    for result in results:
        if result.repetitions:
            games = f"In {result.repetitions} of {result.total.games} games against {result.opponent}"
            console.print(
                f"{games}, one position with {player} to move occurred three times.", highlight=False, markup=False
            )
        if said := result.describe_circling(player):
            console.print(said, highlight=False, markup=False)


def print_moves(console: Console, moves: Mapping[str, MoveCounts], first: bool = False) -> None:
    """Print the moves that strategies sent; ``first``: above the table, those of which none is legal, else the others."""
    for name, counts in moves.items():
        if counts.sent and first == (counts.dropped == counts.sent):
            console.print(f"{counts.describe(name)}.", style="bold" if first else None, highlight=False, markup=False)


def print_faults(console: Console, faults: Sequence[Fault]) -> None:
    """Print the faults of strategies: each kind with its number and the last line of the first one's text."""
    first = {fault.kind: fault for fault in reversed(faults)}
    times = Counter(fault.kind for fault in faults)
    for kind, fault in first.items():
        console.print(f"fault, {times[kind]} times: {kind}: {fault.summary[:200]}", highlight=False, markup=False)


def save_results(path: Path, results: list[Result], sample: bool = False) -> None:
    """Write the results as JSON, a list with one entry per opponent; ``sample`` marks those of a sampled agent."""
    mark = {"sample": True} if sample else {}
    save_json(path, [{**result.to_dict(), **mark} for result in results])


def save_json(path: Path, value: Any) -> None:
    """Write a value as indented JSON."""
    write_atomically(path, (json.dumps(value, indent=2) + "\n").encode())


def counts(tally: Tally) -> str:
    """Return the wins, draws and losses: 60/3/37."""
    return f"{tally.wins}/{tally.draws}/{tally.losses}"
