"""Tournaments and gradings in a terminal: conditions, progress bar and tables."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from planetwars_env.arena import report
from planetwars_env.arena.grading import GradeReport, games_not_won
from planetwars_env.arena.plan import Seed
from planetwars_env.arena.sandbox import Sandbox, choose_sandbox
from planetwars_env.arena.scheme import GradingScheme
from planetwars_env.arena.standings import Standings
from planetwars_env.arena.submissions import Submission
from planetwars_env.arena.tables import Table
from planetwars_env.bots.catalogue import Player
from planetwars_env.cli.progress import progress_bar
from planetwars_env.cli.results_table import counts, print_faults, print_moves, print_table
from planetwars_env.text import last_line

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

    def on_left_out(self, label: str, reason: str) -> None:
        """Print that a strategy is left out."""
        self._console.print(f"Warning: {label} {reason}", style="yellow")

    def on_start(self, done: int, total: int) -> None:
        """Set the bar to ``done`` of ``total`` games."""
        if done:
            self._console.print(f"{done} of {total} games were played before.")
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
    """Print the ranking, the win matrix, the pairs, and the faults if there are any, 80 characters wide.

    With many contestants a line names the file in ``out`` with the matrix, the pairs, and the rest of the faults.
    """
    for line in report.without_legal_moves(standings):
        console.print(line, style="bold")
    labels, rows = standings.labels, []
    for rank, place in enumerate(standings.ranking, 1):
        author = standings.author(place.label)[:1]
        rating = f"{place.rating:+.0f} ±{(place.high - place.low) / 2:.0f}"
        cells = [rating, counts(place.tally), f"{place.tally.win_rate:.0%}", str(place.faults)]
        rows.append([str(rank), place.label, *author, *cells])
    headings = ["", "contestant", *standings.author_columns[:1], "rating ±95 %", "w/d/l", "won", "faults"]
    tables = [Table(report.ranking(standings).title, headings, rows)]
    few = len(labels) <= MOST_IN_A_MATRIX
    if few:
        matrix, pairs = [], []
        for rank, one in enumerate(labels, 1):
            tallies = [standings.both(one, other) for other in labels]
            matrix.append([str(rank), one, *(f"{tally.win_rate:.0%}" if tally.games else "" for tally in tallies)])
            for other, tally in zip(labels[rank:], tallies[rank:], strict=True):
                if tally.games:
                    low, high = tally.interval
                    sides = map(counts, standings.cells[one, other])
                    pairs.append([one, other, *sides, f"{tally.win_rate:.0%}", f"{100 * low:.0f}-{100 * high:.0f} %"])
        places = map(str, range(1, len(labels) + 1))
        title = "Games that the row wins against the column (its place)"
        tables.append(Table(title, ["", "contestant", *places], matrix))
        headings = ["contestant", "against", "as player 1", "as player 2", "won", "95 %"]
        tables.append(Table("Won / drawn / lost by pair", headings, pairs))
    moves, faults = report.moves(standings), report.faults(standings)
    tables += [moves] if any(counted.dropped for counted in standings.moves.values()) else []
    # Without the game: it is in the files.
    tables += [faults.without("first in")] if faults.rows else []
    for table in tables:
        if len(table.rows) > _SHOWN and not few and table is not tables[0]:
            title = f"{table.title}, {_SHOWN} of {len(table.rows)}"
            table = replace(table, title=title, rows=table.rows[:_SHOWN])
        print_table(console, table)
    if not few:
        console.print(f"The win matrix, all pairs and all faults are in {out / 'ranking.md'}, as a page with --html.")


def print_broken(console: Console, submissions: Sequence[Submission]) -> None:
    """Print the submissions of a class that cannot be loaded."""
    if broken := [[one.student, last_line(one.reason)] for one in submissions if one.player is None]:
        print_table(console, Table(f"{len(broken)} cannot be loaded and get 0 points", ["student", "reason"], broken))
    else:
        console.print("All of them can be loaded.")


def print_grade(console: Console, grade: GradeReport, scheme: GradingScheme, printed: Path) -> None:
    """Print the grade of one player, the games that it did not win, its faults, and the file of what it ``printed``."""
    print_moves(console, {grade.player: grade.moves}, first=True)
    print_table(console, grade.table(f"{grade.player} on {scheme.graphs}, {scheme.rules}: won / drawn / lost"))
    print_moves(console, {grade.player: grade.moves})
    circling = (one.result.describe_circling(grade.player) for one in grade.grades)
    for line in [*games_not_won(grade), *filter(None, circling)]:
        console.print(line)
    print_faults(console, grade.faults)
    if printed.exists():
        console.print(f"What {grade.player} printed is in {printed}.")
