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
from planetwars_env.arena.results import Result, Tally
from planetwars_env.files import write_atomically
from planetwars_env.move_counts import MoveCounts

HEADINGS = ("games", "player 1", "player 2", "win rate", "95 % here", "unseen", "turns")


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
    """Return a table with one row per opponent, 80 characters wide; `print_results` says which interval is which."""
    table = plain_table(f"{title}: won / drawn / lost", ["opponent"], HEADINGS)
    for result in results:
        total = result.total
        table.add_row(
            escape(result.opponent),
            str(total.games),
            counts(result.as_player_1),
            counts(result.as_player_2),
            f"{total.win_rate:.1%}",
            _interval(result.interval),
            _interval(result.unseen) if result.unseen else "",
            f"{total.mean_turns:.0f}",
        )
    return table


def print_results(console: Console, player: str, graphs: str, results: list[Result]) -> None:
    """Print the table, what its intervals are of, and which games were repeated or circled (docs/evaluation.md)."""
    mode = f", {results[0].mode}," if results and results[0].mode else ""
    console.print(results_table(f"{player}{mode} on {graphs}", results))
    lines = [
        "95 % here: for more games on these graphs (Wilson). unseen: for other graphs like them, clustered by graph."
    ]
    for result in results:
        if result.distinct is not None and result.distinct < result.total.games:
            lines.append(
                f"{result.opponent}: {result.distinct:,} distinct games of {result.total.games:,}; the others repeat their "
                "moves, and the intervals do not count them."
            )
    for line in lines:
        console.print(line, highlight=False, markup=False)
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


def save_results(path: Path, results: list[Result], head: dict[str, Any]) -> None:
    """Write what was played (`provenance`) and "results", with one entry per opponent, as JSON."""
    save_json(path, {**head, "results": [result.to_dict() for result in results]})


def save_json(path: Path, value: Any) -> None:
    """Write a value as indented JSON."""
    write_atomically(path, (json.dumps(value, indent=2) + "\n").encode())


def _interval(bounds: tuple[float, float]) -> str:
    low, high = bounds
    return f"{100 * low:.0f}-{100 * high:.0f} %"


def counts(tally: Tally) -> str:
    """Return the wins, draws and losses: 60/3/37."""
    return f"{tally.wins}/{tally.draws}/{tally.losses}"
