"""A tournament as it is seen in a terminal: a bar with the time left, then the tables."""

from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

from planetwars_env.arena import report
from planetwars_env.arena.ledger import Ledger
from planetwars_env.arena.standings import Standings
from planetwars_env.arena.tournament import Plan, run_tournament


class TournamentBar:
    """Runs a tournament and shows how far it is."""

    def __init__(self, console: Console, plan: Plan, ledger: Ledger) -> None:
        self._plan, self._ledger = plan, ledger
        self._bar = Progress(
            TextColumn("playing"),
            BarColumn(),
            TextColumn("{task.completed} of {task.total} games"),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=console,
            disable=not console.is_terminal,
        )
        keys = set(plan.schedule())
        done = len(keys & ledger.keys())
        if done:
            console.print(f"{done} of {len(keys)} games are there already.", highlight=False)
        self._task: TaskID = self._bar.add_task("", total=len(keys), completed=done)

    def __enter__(self) -> "TournamentBar":
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def run(self, jobs: int) -> None:
        """Play all that is missing."""
        run_tournament(self._plan, self._ledger, jobs, lambda games: self._bar.advance(self._task, games))


def print_tables(console: Console, standings: Standings) -> None:
    """Ranking, win matrix, pairs by player, and faults where there are any; wins by board are in the files only."""
    found = [report.ranking(standings), report.matrix(standings), report.pairs(standings)]
    for title, headings, rows in [*found, *([report.faults(standings)] if standings.faults else [])]:
        table = Table(title=title)
        for i, heading in enumerate(headings):
            table.add_column(heading, justify="left" if i < 2 else "right")
        for row in rows:
            table.add_row(*(escape(cell) for cell in row))
        console.print(table, highlight=False)
