"""Evaluation in which strategies from files play in processes of their own, as it is seen in a terminal."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from planetwars_env.arena.contestants import contestants_of
from planetwars_env.arena.grading import played_in_memory, result_against, scheduled_rows
from planetwars_env.arena.isolation import ResourceLimits
from planetwars_env.arena.round_robin import TournamentPlan
from planetwars_env.cli.grade_view import check_loads, faults_of
from planetwars_env.cli.progress import progress_bar
from planetwars_env.cli.replay_pages import save_pages, tournament_replays
from planetwars_env.cli.results_table import print_results, save_results
from planetwars_env.cli.tournament_view import print_isolation
from planetwars_env.envs.arguments import resolve_rules, turn_limit
from planetwars_env.graphs.catalogue import resolve_graphs


def evaluate_isolated(
    player: Any,
    opponents: Sequence[str],
    graphs: str,
    games: int,
    rules: str,
    seed: int,
    out: Path | None,
    replays: Path | None,
    unsafe: bool,
) -> None:
    """Play ``games`` games against each opponent as in tournaments; print the table, write it and pages of games.

    ValueError at once for a strategy that cannot be loaded.
    """
    console, chosen = Console(), resolve_rules(rules)
    contestants = contestants_of([player, *opponents])
    label, *others = [one.name for one in contestants]
    limits = ResourceLimits(unsafe=unsafe)
    plan = TournamentPlan(
        contestants, resolve_graphs(graphs), chosen, games, turn_limit(chosen), limits, seed, only=label
    )
    print_isolation(console, contestants, unsafe)
    check_loads(plan)
    with progress_bar(console, "playing", "{task.completed} of {task.total} games", transient=True) as bar:
        task = bar.add_task("", total=games * len(others))
        with played_in_memory(plan, on_games=lambda games: bar.advance(task, games)) as (plan, store):
            rows, faults = scheduled_rows(plan, store), [fault for _, _, fault in store.faults()]
            results = [result_against(label, other, rows, store) for other in others]
            if replays is not None:
                save_pages(replays, tournament_replays(store, 1))
    print_results(console, label, graphs, results)
    for line in faults_of(faults):
        console.print(line, highlight=False)
    if out is not None:
        save_results(out, results)
        console.print(f"Results are in {out}.", highlight=False, markup=False)
    if replays is not None:
        console.print(f"Games to watch are in {replays}.", highlight=False, markup=False)
