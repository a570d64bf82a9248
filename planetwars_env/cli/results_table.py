"""Results of an evaluation, for a terminal and as a file."""

import json
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from planetwars_env.arena.evaluation import evaluate
from planetwars_env.arena.results import BEATEN_ABOVE, Result, Tally
from planetwars_env.bots.catalogue import Player
from planetwars_env.cli.progress import progress_bar
from planetwars_env.engine.rules import Rules
from planetwars_env.files import write_atomically


def evaluate_with_progress(
    console: Console, player: object, opponents: list[Player], graphs: str, games: int, rules: Rules, seed: int
) -> list[Result]:
    """`evaluate` with a progress bar."""
    with progress_bar(
        console, "playing {task.description}", "{task.completed} of {task.total} games", transient=True
    ) as bar:
        task = bar.add_task("", total=games * len(opponents))
        return evaluate(
            player,
            opponents,
            graphs,
            games,
            rules,
            seed,
            lambda name: bar.update(task, advance=1, description=f"against {name}"),
        )


def results_table(title: str, results: list[Result]) -> Table:
    """One row an opponent, 80 characters wide."""
    table = Table(title=escape(f"{title}: won / drawn / lost"), box=None, padding=(0, 2, 0, 0))
    table.add_column("opponent", overflow="fold", min_width=8)
    for heading in ("games", "as player 1", "as player 2", "win rate", "95 %", "turns", f"> {BEATEN_ABOVE:.0%}"):
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        total = result.total
        low, high = total.interval
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
    """Print the table, and below it the games that circle (docs/evaluation.md)."""
    console.print(results_table(f"{player} on {graphs}", results))
    for result in results:
        if result.repetitions:
            said = f"In {result.repetitions} of {result.total.games} games against {result.opponent} a position"
            console.print(f"{said} with {player} to move stood three times.", highlight=False, markup=False)


def save_results(path: Path, results: list[Result], sample: bool = False) -> None:
    """The results as JSON: a list with one entry an opponent; ``sample``: marked as those of an agent that was sampled."""
    mark = {"sample": True} if sample else {}
    text = json.dumps([{**result.to_dict(), **mark} for result in results], indent=2) + "\n"
    write_atomically(path, text.encode())


def counts(side: Tally) -> str:
    """Won, drawn and lost."""
    return f"{side.wins}/{side.draws}/{side.losses}"
