"""Command `planetwars zoo`: list and verify shipped agents. scripts/release/zoo.py adds and measures them."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from planetwars_env.arena.tables import Table
from planetwars_env.cli.shell import games_bar, plain_console, require, user_errors
from planetwars_env.names import chosen_name
from planetwars_env.shipped import agent_folder, agent_names

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
    with user_errors():
        for name in agent_names():
            print_agent(plain_console(), name, agent_folder(name))


@app.command("verify")
def verify(
    name: Annotated[str | None, typer.Argument(metavar="[AGENT]", help="An agent of the zoo; default: all.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the new games; 0 repeats the recorded ones.")] = 1,
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
    from planetwars_env.learn.zoo import entries_of, load_results, verify_results

    console, differ = plain_console(), False
    with user_errors():
        for one in chosen_agents(name):
            folder = agent_folder(one)
            recorded = entries_of(load_results(folder)["results"])
            with games_bar(console, sum(entry["games"] for *_, entry in recorded)) as count:
                comparisons = verify_results(folder, seed, lambda _, count=count: count(1))
            rows = [
                [*names, f"{before:.1%}", f"{now:.1%}", f"{z:+.2f}", "same" if same else "DIFFERS"]
                for *names, before, now, z, same in comparisons
            ]
            print_table(console, Table(one, ["rules", "graphs", "opponent", "recorded", "new games", "z", ""], rows))
            differ |= not all(same for *_, same in comparisons)
    if differ:
        raise typer.Exit(1)


def chosen_agents(name: str | None) -> list[str]:
    """Return the agents of the zoo, or the one of this name; ValueError if there is none."""
    return agent_names() if name is None else [chosen_name(name, agent_names(), "there is no agent")]


def print_agent(console: Console, name: str, folder: Path) -> None:
    """Print an agent's results from its file."""
    from planetwars_env.cli.results_table import RATE, print_table, rate_cells
    from planetwars_env.learn.zoo import entries_of, load_results

    entries = entries_of(load_results(folder)["results"])
    rows = [[rules, pool, one["opponent"], str(one["games"]), *rate_cells(one)] for rules, pool, one in entries]
    print_table(console, Table(name, ["rules", "graphs", "opponent", "games", *RATE], rows))
