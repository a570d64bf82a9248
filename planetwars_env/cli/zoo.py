"""Command `planetwars zoo`: list and verify shipped agents. scripts/release/zoo.py adds and measures them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from planetwars_env.arena.tables import Table
from planetwars_env.cli.options import Import
from planetwars_env.cli.shell import import_named, plain_console, progress_bar, require, user_errors

if TYPE_CHECKING:
    from planetwars_env.learn.zoo import OnGame

app = typer.Typer(help="List and verify shipped agents.", no_args_is_help=True)


@app.command("list")
def list_agents() -> None:
    """List the agents of the zoo with their win rates; the README.md in an agent's folder is its card.

    \b
    Examples:
      planetwars zoo list
      planetwars zoo list | less
      planetwars zoo list > results.txt
    """
    require("agents", "torch", "safetensors")
    from planetwars_env.shipped import agent_folder, agent_names

    with user_errors():
        for name in agent_names():
            print_agent(plain_console(), name, agent_folder(name))


@app.command("verify")
def verify(
    name: Annotated[str | None, typer.Argument(metavar="[AGENT]", help="An agent of the zoo; default: all.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the new games; 0 repeats the recorded ones.")] = 1,
    import_: Import = None,
) -> None:
    """Compare the recorded win rates with those of new games by a two-sample z-test; write nothing.

    The exit status is 1 if a win rate differs at a significance level of 1 % for all comparisons together.

    \b
    Examples:
      planetwars zoo verify
      planetwars zoo verify graph-planetwars --seed 5
      planetwars zoo verify graph-planetwars --seed 0     # the recorded games: every count must be equal
    """
    require("agents", "torch", "safetensors")
    from planetwars_env.cli.results_table import print_table
    from planetwars_env.learn.zoo import load_results, plan_of_results, verify_results
    from planetwars_env.shipped import data_root

    console, root, differ = plain_console(), data_root("agents"), False
    with user_errors():
        import_named(import_)
        for one in chosen_agents(name):
            plans = [plan_of_results(pools) for pools in load_results(root / one)["results"].values()]
            with measuring_bar(console, one, plans) as watch:
                comparisons = verify_results(root / one, seed, watch)
            rows = [
                [*names, f"{recorded:.1%}", f"{measured:.1%}", f"{z:+.2f}", "same" if same else "DIFFERS"]
                for *names, recorded, measured, z, same in comparisons
            ]
            print_table(console, Table(one, ["rules", "graphs", "opponent", "recorded", "new games", "z", ""], rows))
            differ |= not all(same for *_, same in comparisons)
    if differ:
        raise typer.Exit(1)


def chosen_agents(name: str | None) -> list[str]:
    """Return the agents of the zoo, or the one of this name; ValueError if there is none."""
    from planetwars_env.names import chosen_name
    from planetwars_env.shipped import agent_names

    return agent_names() if name is None else [chosen_name(name, agent_names(), "there is no agent")]


@contextmanager
def measuring_bar(console: Console, name: str, plans: list[dict[str, Any]]) -> Iterator[OnGame]:
    """Draw a progress bar over the games of the plans, one for each rule set."""
    total = sum(len(opponents) * games for plan in plans for opponents, games in plan.values())
    with progress_bar(console, "{task.description}", "{task.completed} of {task.total} games", transient=True) as bar:
        task = bar.add_task(f"measuring {name}", total=total)
        yield lambda pool, opponent: bar.update(task, advance=1, description=f"{name} against {opponent} on {pool}")


def print_agent(console: Console, name: str, folder: Path) -> None:
    """Print an agent's results from its file."""
    from planetwars_env.cli.results_table import RATE, print_table, rate_cells
    from planetwars_env.learn.zoo import entries_of, load_results

    entries = entries_of(load_results(folder)["results"])
    rows = [[rules, pool, one["opponent"], str(one["games"]), *rate_cells(one)] for rules, pool, one in entries]
    print_table(console, Table(name, ["rules", "graphs", "opponent", "games", *RATE], rows))
