"""Command `planetwars zoo`: list, add, measure and verify shipped agents."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from planetwars_env.cli.errors import import_named, require, user_errors
from planetwars_env.cli.options import Import

if TYPE_CHECKING:
    from planetwars_env.learn.zoo import OnGame

app = typer.Typer(help="List, add, measure and verify shipped agents.", no_args_is_help=True)


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
    from planetwars_env.bots.loading import agent_folder, agent_names

    with user_errors():
        names = agent_names()
        if not names:
            typer.echo("No agent is shipped. `planetwars demo` trains one.")
        for name in names:
            _show(Console(), name, agent_folder(name) or Path(name))


@app.command("add")
def add(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a finished run.", show_default=False)],
    name: Annotated[str, typer.Option("--as", help="Name of the agent; default: that of the folder.")] = "",
    replace: Annotated[bool, typer.Option("--replace", help="Replace the agent of this name.")] = False,
    opponents: Annotated[
        list[str] | None,
        typer.Option(help="Opponent on the test pool; may be repeated. Default: random ai1 ai2 ai3 planner."),
    ] = None,
    games: Annotated[
        int, typer.Option(min=1, help="Games per opponent on test; on fair and large five times as many.")
    ] = 200,
    machine: Annotated[str, typer.Option(help="Machine of the training; default: this one.")] = "",
    zoo: Annotated[Path | None, typer.Option(help="Folder of the zoo; default: the shipped one.")] = None,
    import_: Import = None,
) -> None:
    """Measure the agent of a run on graphs it never saw, and add it to agents/ with its card, results and recorded answers.

    \b
    It plays 200 different games per opponent on the pool "test", 1,000 against ai3 and planner on "fair", and 1,000 against
    ai3 on "large". It writes after the last game. The card may be edited by hand, except the results.
    Examples:
      planetwars zoo add runs/graph-planetwars
      planetwars zoo add runs/mine --as graph-planetwars --replace
      planetwars zoo add runs/mine --games 400 --opponents ai3
    """
    require("agents", "torch", "safetensors")
    with user_errors():
        import_named(import_)
        _add(run, name or run.resolve().name, replace, opponents, games, machine, zoo)


def _add(
    run: Path, name: str, replace: bool, opponents: list[str] | None, games: int, machine: str, zoo: Path | None
) -> None:
    from planetwars_env.benchmark.machine import machine as this_machine
    from planetwars_env.bots.catalogue import resolve_players
    from planetwars_env.learn.agent import load_agent
    from planetwars_env.learn.zoo import CARD_OPPONENTS, add_agent, check_new, plan_of
    from planetwars_env.shipped import data_root

    console, root, facts = Console(), zoo or data_root("agents"), this_machine()
    check_new(root, name, replace)
    resolve_players(opponents or list(CARD_OPPONENTS))
    config = load_agent(run).config
    plan = plan_of(config, opponents or CARD_OPPONENTS, games)
    trained_on = machine or f"{facts['processor']}, {facts['cores']} cores"
    with _watching(console, name, [plan] * len(config.task.rules)) as watch:
        add_agent(run, root, name, trained_on, plan, replace, watch)
    _show(console, name, root / name)
    console.print(f"{root / name} holds the agent. Read its README.md and complete it.", highlight=False)


@app.command("measure")
def measure(
    name: Annotated[str | None, typer.Argument(metavar="[AGENT]", help="An agent of the zoo; default: all.")] = None,
    import_: Import = None,
) -> None:
    """Measure the agents again by today's plan of games, and rewrite results, cards and the table.

    \b
    Examples:
      planetwars zoo measure
      planetwars zoo measure graph-planetwars
      planetwars zoo measure graph-all
    """
    require("agents", "torch", "safetensors")
    from planetwars_env.learn.agent import CONFIG
    from planetwars_env.learn.config import load_config
    from planetwars_env.learn.zoo import measure_again, plan_again, rewrite_table
    from planetwars_env.shipped import data_root

    console, root = Console(), data_root("agents")
    with user_errors("Results and cards are written agent by agent; files that were written are complete."):
        import_named(import_)
        for one in _chosen(name):
            rules = load_config(root / one / CONFIG).task.rules
            with _watching(console, one, [plan_again(root / one)] * len(rules)) as watch:
                measure_again(root / one, watch)
            _show(console, one, root / one)
        rewrite_table(root)
        console.print(f"The table is in {root / 'README.md'}.", highlight=False)


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
    from planetwars_env.cli.results_table import plain_table
    from planetwars_env.learn.zoo import load_results, plan_of_results, verify_results
    from planetwars_env.shipped import data_root

    console, root, differ = Console(), data_root("agents"), False
    with user_errors():
        import_named(import_)
        for one in _chosen(name):
            plans = [plan_of_results(pools) for pools in load_results(root / one)["results"].values()]
            with _watching(console, one, plans) as watch:
                found = verify_results(root / one, seed, watch)
            table = plain_table(one, ["rules", "graphs", "opponent"], ["recorded", "new games", "z", ""])
            for *names, recorded, measured, z, same in found:
                table.add_row(*names, f"{recorded:.1%}", f"{measured:.1%}", f"{z:+.2f}", "same" if same else "DIFFERS")
                differ |= not same
            console.print(table)
    if differ:
        raise typer.Exit(1)


def _chosen(name: str | None) -> list[str]:
    """Return the agents of the zoo, or the one of this name; ValueError if there is none."""
    from planetwars_env.bots.loading import agent_names
    from planetwars_env.names import known_name, suggestion

    names = agent_names()
    if name is None:
        return names
    if (known := known_name(name, names)) is None:
        raise ValueError(
            f"there is no agent {name!r}: choose from {', '.join(names) or 'none yet'}{suggestion(name, names)}"
        )
    return [known]


@contextmanager
def _watching(console: Console, name: str, plans: list[dict[str, Any]]) -> Iterator[OnGame]:
    """Draw a progress bar over the games of the plans, one for each rule set."""
    from planetwars_env.cli.progress import progress_bar

    total = sum(len(opponents) * games for plan in plans for opponents, games in plan.values())
    with progress_bar(console, "{task.description}", "{task.completed} of {task.total} games", transient=True) as bar:
        task = bar.add_task(f"measuring {name}", total=total)
        yield lambda pool, opponent: bar.update(task, advance=1, description=f"{name} against {opponent} on {pool}")


def _show(console: Console, name: str, folder: Path) -> None:
    """Print an agent's results from its file."""
    from planetwars_env.cli.results_table import plain_table
    from planetwars_env.learn.zoo import load_results
    from planetwars_env.learn.zoo_card import entries_of

    numbers = ("games", "won / drawn / lost", "win rate", "95 %")
    table = plain_table(name, ["rules", "graphs", "opponent"], numbers)
    for rules, pool, one in entries_of(load_results(folder)["results"]):
        counts = f"{one['wins']} / {one['draws']} / {one['losses']}"
        interval = f"{100 * one['ci_low']:.0f}-{100 * one['ci_high']:.0f} %"
        table.add_row(rules, pool, one["opponent"], str(one["games"]), counts, f"{one['win_rate']:.1%}", interval)
    console.print(table)
