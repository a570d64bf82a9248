"""The course's grading, as it is seen in a terminal and written into a file."""

import json
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from planetwars_env.arena.grading import (
    GAMES_PER_OPPONENT,
    MOST_POINTS,
    POINTS_FOR_BEATING,
    GameRef,
    GradeReport,
    plan_grading,
    play_grading,
)
from planetwars_env.arena.isolation import Fault, Isolated
from planetwars_env.arena.results import BEATEN_ABOVE
from planetwars_env.arena.round_robin import TournamentPlan
from planetwars_env.cli.progress import progress_bar
from planetwars_env.cli.results_table import counts
from planetwars_env.cli.tournament_view import print_isolation, print_seeds
from planetwars_env.envs.arguments import resolve_rules
from planetwars_env.files import write_atomically
from planetwars_env.graphs.catalogue import resolve_graphs


def grade_with_progress(
    player: str, graphs: str, rules: str, seed: int | None, out: Path | None, disturb: bool = True, unsafe: bool = False
) -> None:
    """Play the runs with a progress bar; print the grading table, and write it to ``out``.

    ValueError at once for a strategy that cannot be loaded.
    """
    console = Console()
    plan = plan_grading(player, resolve_graphs(graphs), resolve_rules(rules), seed, disturb, unsafe)
    print_isolation(console, plan.contestants, unsafe)
    print_seeds(console, seed, disturb)
    check_loads(plan)
    with progress_bar(console, "playing", "{task.completed} of {task.total} runs", transient=True) as bar:
        task = bar.add_task("", total=GAMES_PER_OPPONENT * len(POINTS_FOR_BEATING))
        course = play_grading(plan, on_games=lambda games: bar.advance(task, games))
    console.print(_table(course, f"{course.player} on {graphs}, {rules}"))
    for line in [*_not_won(course), *faults_of(course.faults)]:
        console.print(line, highlight=False)
    if out is not None:
        text = json.dumps({**course.to_dict(), "graphs": graphs, "rules": rules}, indent=2) + "\n"
        write_atomically(out, text.encode())
        console.print(f"Results are in {out}.", highlight=False, markup=False)


def check_loads(plan: TournamentPlan) -> None:
    """ValueError for a strategy that cannot be loaded."""
    for player in plan.contestants:
        if player.isolated:
            with Isolated(player.spec, plan.limits) as strategy:
                if strategy.faults:
                    lines = strategy.faults[-1].text.strip().splitlines() or ["it gives no reason"]
                    raise ValueError(f"{player.spec} cannot be loaded, so that no game was played: {lines[-1]}")


def _table(course: GradeReport, title: str) -> Table:
    """One row an opponent, and what they come to, 80 characters wide."""
    table = Table(title=escape(f"{title}: won / drawn / lost"), box=None, padding=(0, 2, 0, 0), show_footer=True)
    table.add_column("opponent", footer="together")
    for heading in ("runs", "as player 1", "as player 2", "win rate", f"> {BEATEN_ABOVE:.0%}"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("points", justify="right", no_wrap=True, footer=f"{course.points} of {MOST_POINTS}")
    for one in course.grades:
        result, points = one.result, f"{one.points} of {POINTS_FOR_BEATING[one.result.opponent]}"
        sides = counts(result.as_player_1), counts(result.as_player_2)
        beaten = "yes" if result.beaten else "no"
        table.add_row(result.opponent, str(result.total.games), *sides, f"{result.total.win_rate:.1%}", beaten, points)
    return table


def _not_won(course: GradeReport) -> list[str]:
    """The graphs of the runs that were lost or drawn, by opponent and side."""
    lines = []
    for one in course.grades:
        for what, runs in (("lost to", one.lost), ("drawn with", one.drawn)):
            by_player = groupby(sorted(runs, key=lambda run: run.player), key=lambda run: run.player)
            sides = [f"as player {player} on {list_graphs_of(list(group))}" for player, group in by_player]
            if sides:
                lines.append(escape(f"{what} {one.result.opponent}: {'; '.join(sides)}"))
    return lines


def list_graphs_of(runs: Sequence[GameRef]) -> str:
    """The names, those of a pool with ranges of numbers; behind each that was played more than once, how often."""
    pools: dict[str, list[int]] = {}
    others = []
    for graph, times in Counter(run.graph for run in runs).items():
        pool, _, number = graph.rpartition("/")
        if pool and number.isdigit() and times == 1:
            pools.setdefault(pool, []).append(int(number))
        else:
            others.append(graph if times == 1 else f"{graph} ({times} times)")
    return ", ".join([*(f"{pool}/{_ranges(sorted(numbers))}" for pool, numbers in pools.items()), *others])


def _ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers as "1-3, 5": neighbours differ from their places by the same number."""
    found = []
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        found.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
    return ", ".join(found)


def faults_of(faults: Sequence[Fault]) -> list[str]:
    """What strategies did wrong, counted, with the last line of the first one's text."""
    first = {fault.kind: fault for fault in reversed(faults)}
    times = Counter(fault.kind for fault in faults)
    return [
        escape(f"fault, {times[kind]} times: {kind}: {(fault.text.strip().splitlines() or [''])[-1][:200]}")
        for kind, fault in first.items()
    ]
