"""Tournaments in a terminal: conditions, progress bar and tables."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from planetwars_env.arena import report
from planetwars_env.arena.sandbox import Sandbox, choose_sandbox
from planetwars_env.arena.seeds import Seed
from planetwars_env.arena.standings import Standings
from planetwars_env.bots.catalogue import Player
from planetwars_env.cli.progress import progress_bar

MOST_IN_A_MATRIX = 8
"""Contestants up to which a terminal shows the win matrix and all pairs."""
_NAMES = ("", "contestant", "student", "against")
"""Headings of columns that are never cut and do not shrink."""
_SHOWN = 10
"""Rows of the tables of moves and faults that a terminal shows of many contestants."""
_NAME_WIDTH = 20
"""Longer names continue on the next line."""
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
        console.print(f"Isolation: {sandbox.value}.", style=style, highlight=False)


def print_seeds(console: Console, seed: Seed | None, disturb: bool) -> None:
    """Print whether strategies may have been made for these games."""
    if isinstance(seed, int):
        seeds = f"--seed {seed}, which is not secret: strategies may have been made for these games"
    else:
        seeds = "from a secret, which is shown after the last game"
    graphs = "disturbed, so that nobody can look them up" if disturb else "as they are in their files"
    console.print(f"Seeds: {seeds}. Graphs: {graphs}.", highlight=False)


Show = Callable[[Standings, tuple[int, int]], None]
"""Takes standings while games are played, and how many of how many games are finished."""


@contextmanager
def tournament_bar(console: Console, show: Show | None = None) -> Iterator["TournamentBar"]:
    """Draw a `TournamentBar` until the block ends; ``show`` is called every few seconds."""
    with progress_bar(console, "playing", "{task.completed} of {task.total} games") as bar:
        yield TournamentBar(console, bar, show)


class TournamentBar:
    """Progress callback of a tournament (`TournamentCallback`) as a bar in a terminal."""

    def __init__(self, console: Console, bar: Progress, show: Show | None = None) -> None:
        self._console, self._bar, self._show = console, bar, show
        self._task = bar.add_task("", total=None)
        self._done = self._total = 0
        self._next_show = 0.0

    def on_absent(self, label: str) -> None:
        """Print that a strategy does not compete."""
        self._console.print(
            f"{label} does not compete (its class says compete = False).", highlight=False, markup=False
        )

    def on_broken(self, label: str, reason: str) -> None:
        """Print that a submission is left out."""
        self._console.print(
            f"Warning: {label} did not load and is left out: {reason}", style="yellow", highlight=False, markup=False
        )

    def on_start(self, done: int, total: int) -> None:
        """Set the bar to ``done`` of ``total`` games."""
        if done:
            self._console.print(f"{done} of {total} games were played before.", highlight=False)
        self._done, self._total = done, total
        self._bar.update(self._task, total=total, completed=done)

    def on_games(self, games: int) -> None:
        """Advance the bar by ``games``."""
        self._done += games
        self._bar.advance(self._task, games)

    def on_saved(self, standings: Callable[[], Standings]) -> None:
        """Show the standings, unless they were shown just now; with many contestants less often, since it takes longer."""
        if self._show is None or (begun := time.monotonic()) < self._next_show:
            return
        self._show(standings(), (self._done, self._total))
        ended = time.monotonic()
        self._next_show = ended + max(_SHOW_EVERY, _SHOW_LONGER * (ended - begun))


def print_tables(console: Console, standings: Standings, out: Path) -> None:
    """Print the ranking, the win matrix, the pairs by player, and the faults if there are any, 80 characters wide.

    With many contestants a line names the file in ``out`` with the matrix, the pairs, and the rest of the faults.
    """
    for line in report.without_legal_moves(standings):
        console.print(line, style="bold", highlight=False, markup=False)
    few = len(standings.labels) <= MOST_IN_A_MATRIX
    found = [_ranking(standings)]
    if few:
        found += [report.matrix(standings), report.pairs(standings)]
    found += [report.moves(standings)] if any(counts.dropped for counts in standings.moves.values()) else []
    found += [report.faults(standings)] if standings.faults else []
    for title, headings, rows in found:
        shown = rows if few or title == found[0][0] else rows[:_SHOWN]
        more = f", {len(shown)} of {len(rows)}" if len(shown) < len(rows) else ""
        table = Table(title=f"{title}{more}")
        names = sum(heading in _NAMES[1:] for heading in headings)
        for i, heading in enumerate(headings):
            longest = max(cell_len(cell) for cell in (heading, *(row[i] for row in shown)))
            width = min(longest, _NAME_WIDTH if names < 2 or few else 15) if heading in _NAMES else None
            table.add_column(
                heading, justify="left" if i < 2 or heading in _NAMES else "right", width=width, overflow="fold"
            )
        for row in shown:
            table.add_row(*(escape(cell) for cell in row))
        console.print(table, highlight=False)
    if not few:
        console.print(
            f"The win matrix, all pairs and all faults are in {out / 'ranking.md'}, as a page with --html.",
            highlight=False,
        )


def _ranking(standings: Standings) -> report.ReportTable:
    """Return the ranking with one short line per contestant; all columns are in the files."""
    students = ["student"] if standings.authors else []
    rows = []
    for rank, place in enumerate(standings.ranking, 1):
        author = report.author_cells(standings, place.label)[:1]
        rating = f"{place.rating:+.0f} ±{(place.high - place.low) / 2:.0f}"
        counts = f"{place.tally.wins}/{place.tally.draws}/{place.tally.losses}"
        cells = [rating, counts, f"{place.tally.win_rate:.0%}", str(place.faults)]
        rows.append([str(rank), place.label, *author, *cells])
    title, *_ = report.ranking(standings)
    return title, ["", "contestant", *students, "rating ±95 %", "w/d/l", "won", "faults"], rows
