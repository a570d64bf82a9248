"""``planetwars zoo``: list the trained agents that are shipped, and put a finished run among them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from planetwars_env.cli.errors import require, user_errors

if TYPE_CHECKING:
    from planetwars_env.learn.zoo import OnGame

app = typer.Typer(help="List the trained agents that are shipped; put a finished run among them.", no_args_is_help=True)


@app.command("list")
def list_agents() -> None:
    """List the agents of the zoo with their win rates; their cards are the README.md of their folders.

    \b
    Example:
      planetwars zoo list
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
    name: Annotated[str, typer.Option("--as", help="The agent's name; default: that of the folder.")] = "",
    replace: Annotated[bool, typer.Option("--replace", help="Put it in the place of the agent of this name.")] = False,
    opponents: Annotated[
        list[str] | None, typer.Option(help="On the test pool; may be repeated. Default: random ai1 ai2 ai3 planner.")
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="Against each; never more than differ.")] = 200,
    machine: Annotated[str, typer.Option(help="What it was trained on; default: this machine.")] = "",
    zoo: Annotated[Path | None, typer.Option(help="The folder of the zoo; default: the shipped one.")] = None,
) -> None:
    """Measure the agent of a run on boards it never saw and put it into agents/, with card, results and recorded answers.

    \b
    It plays 200 different games an opponent on the pool "test", 200 against ai3 and planner on "fair", and 100 against ai3
    on "large". Nothing is written before all is measured. What stands on the card outside of the results may be edited by hand.
    Examples:
      planetwars zoo add runs/graph-planetwars
      planetwars zoo add runs/mine --as graph-planetwars --replace
      planetwars evaluate graph-planetwars --opponents ai3     # from then on it is known by its name
      planetwars zoo measure                                   # play all games again and rewrite the cards
    """
    require("agents", "torch", "safetensors")
    with user_errors():
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
    plan = plan_of(load_agent(run).config, opponents or CARD_OPPONENTS, games)
    trained_on = machine or f"{facts['processor']}, {facts['cores']} cores"
    with _watching(console, name, plan) as watch:
        add_agent(run, root, name, trained_on, plan, replace, watch)
    _show(console, name, root / name)
    console.print(f"{root / name} holds the agent; look over its README.md.", highlight=False)


@app.command("measure")
def measure(
    name: Annotated[str | None, typer.Argument(metavar="[AGENT]", help="An agent of the zoo; default: all.")] = None,
) -> None:
    """Play all games of the agents' results files again, and rewrite results, cards and the table.

    \b
    Examples:
      planetwars zoo measure
      planetwars zoo measure graph-planetwars
      planetwars zoo verify                       # only compares
    """
    require("agents", "torch", "safetensors")
    from planetwars_env.learn.zoo import load_results, measure_again, plan_of_results, rewrite_table
    from planetwars_env.shipped import data_root

    console, root = Console(), data_root("agents")
    with user_errors("Results and cards are rewritten agent by agent; each file is whole."):
        for one in _chosen(name):
            with _watching(console, one, plan_of_results(load_results(root / one))) as watch:
                measure_again(root / one, watch)
            _show(console, one, root / one)
        rewrite_table(root)
        console.print(f"The table is in {root / 'README.md'}.", highlight=False)


@app.command("verify")
def verify(
    name: Annotated[str | None, typer.Argument(metavar="[AGENT]", help="An agent of the zoo; default: all.")] = None,
    seed: Annotated[int, typer.Option(help="Of the new games; 0 plays the recorded games themselves.")] = 1,
) -> None:
    """Compare the win rates on the agents' cards with those of new games, by a two-sample z-test; writes nothing.

    The exit status is 1 if a win rate differs at a significance of 1 % for all comparisons together.

    \b
    Examples:
      planetwars zoo verify
      planetwars zoo verify graph-planetwars --seed 5
      planetwars zoo verify graph-planetwars --seed 0     # the recorded games: every count must be equal
    """
    require("agents", "torch", "safetensors")
    from planetwars_env.learn.zoo import load_results, plan_of_results, verify_results
    from planetwars_env.shipped import data_root

    console, root, differ = Console(), data_root("agents"), False
    with user_errors():
        for one in _chosen(name):
            with _watching(console, one, plan_of_results(load_results(root / one))) as watch:
                found = verify_results(root / one, seed, watch)
            table = Table(title=one, box=None, padding=(0, 2, 0, 0))
            for heading in ("graphs", "opponent", "recorded", "new games", "z", ""):
                table.add_column(heading, justify="left" if heading in ("graphs", "opponent") else "right")
            for pool, opponent, recorded, measured, z, same in found:
                table.add_row(
                    pool, opponent, f"{recorded:.1%}", f"{measured:.1%}", f"{z:+.2f}", "same" if same else "DIFFERS"
                )
                differ |= not same
            console.print(table)
    if differ:
        raise typer.Exit(1)


def _chosen(name: str | None) -> list[str]:
    """The agents of the zoo, or the one of this name; ValueError where there is none."""
    from planetwars_env.bots.loading import agent_names
    from planetwars_env.names import known_name
    from planetwars_env.shipped import data_root

    names = agent_names()
    if name is None:
        return names
    if (known := known_name(name, names)) is None:
        raise ValueError(
            f"there is no agent {name!r} in {data_root('agents')}; there are: {', '.join(names) or 'none yet'}"
        )
    return [known]


@contextmanager
def _watching(console: Console, name: str, plan: dict[str, Any]) -> Iterator[OnGame]:
    """A progress bar over the games of a plan."""
    from planetwars_env.cli.progress import progress_bar

    total = sum(len(opponents) * games for opponents, games in plan.values())
    with progress_bar(console, "{task.description}", "{task.completed} of {task.total} games", transient=True) as bar:
        task = bar.add_task(f"measuring {name}", total=total)
        yield lambda pool, opponent: bar.update(task, advance=1, description=f"{name} against {opponent} on {pool}")


def _show(console: Console, name: str, folder: Path) -> None:
    """An agent's results, as they stand in its file."""
    from planetwars_env.learn.zoo import load_results

    results = load_results(folder)
    table = Table(title=f"{name} ({results['rules']})", box=None, padding=(0, 2, 0, 0))
    for heading in ("boards", "opponent", "games", "won / drawn / lost", "win rate", "95 %"):
        table.add_column(heading, justify="left" if heading in ("boards", "opponent") else "right", no_wrap=True)
    for pool, entries in results["results"].items():
        for one in entries:
            counts = f"{one['wins']} / {one['draws']} / {one['losses']}"
            interval = f"{100 * one['ci_low']:.0f}-{100 * one['ci_high']:.0f} %"
            table.add_row(pool, one["opponent"], str(one["games"]), counts, f"{one['win_rate']:.1%}", interval)
    console.print(table)
