"""Add agents to agents/, with model card, results and recorded answers, and measure them again.

    python -m scripts.release.zoo add runs/graph-planetwars
    python -m scripts.release.zoo add runs/mine --as graph-planetwars --replace
    python -m scripts.release.zoo measure

An agent plays 200 different games per opponent on the pool "test", 1,000 against ai3 and planner on "fair", and 1,000 against
ai3 on "large", by each of its rule sets.
"""

import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from planetwars_env.arena.evaluation import evaluate
from planetwars_env.arena.games import open_player
from planetwars_env.benchmark import machine as this_machine
from planetwars_env.bots.catalogue import resolve_player, resolve_players
from planetwars_env.cli.options import Import
from planetwars_env.cli.shell import games_bar, import_named, plain_console, user_errors
from planetwars_env.cli.zoo import chosen_agents, print_agent
from planetwars_env.files import read_json, write_atomically
from planetwars_env.graphs.catalogue import load_pool
from planetwars_env.learn.agent import CONFIG, WEIGHTS, Agent, AgentError, load_agent
from planetwars_env.learn.config import TrainConfig
from planetwars_env.learn.run import CURVE, HISTORY
from planetwars_env.learn.zoo import RESULTS, load_results, samples
from planetwars_env.shipped import PACKAGE_VERSION, data_root
from scripts.release.zoo_card import card, with_results, with_table
from scripts.release.zoo_recording import OBSERVATIONS, record
from scripts.research.opening_growth import growths, means

CARD = "README.md"
CARD_OPPONENTS = ("random", "ai1", "ai2", "ai3", "planner")
FAIR_OPPONENTS = ("ai3", "planner")
"""On "fair", whose graphs favour neither side; on "test" some sides lose against every player."""
LARGER_OPPONENTS = ("ai3",)
"""On "large", whose graphs no agent of the zoo is trained on."""
CARD_GAMES = 200
YARDSTICK = 5
"""Times as many games are played on "fair" and "large" as on "test", whose winnable sides are nearly all won."""

OnGame = Callable[[str], None]
"""Progress callback after every game, with the opponent's name."""

app = typer.Typer(help=__doc__, no_args_is_help=True)


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
    ] = CARD_GAMES,
    machine: Annotated[str, typer.Option(help="Machine of the training; default: this one.")] = "",
    zoo: Annotated[Path | None, typer.Option(help="Folder of the zoo; default: agents/.")] = None,
    import_: Import = None,
) -> None:
    """Measure the agent of a run on graphs it never saw, and add it to agents/; the card may be edited by hand."""
    with user_errors():
        import_named(import_)
        name, root, facts = name or run.resolve().name, zoo or data_root("agents"), this_machine()
        check_new(root, name, replace)
        resolve_players(opponents or list(CARD_OPPONENTS))
        agent = load_agent(run)
        plan = plan_of(agent.config, opponents or CARD_OPPONENTS, games)
        trained_on = machine or f"{facts['processor']}, {facts['cores']} cores"
        with games_bar(plain_console(), games_of(plan, agent)) as count:
            add_agent(run, root, name, trained_on, plan, replace, lambda _: count(1))
        print_agent(plain_console(), name, root / name)
        print(f"{root / name} holds the agent. Read its {CARD} and complete it.")


@app.command("measure")
def measure_agents(
    name: Annotated[str | None, typer.Argument(metavar="[AGENT]", help="An agent of the zoo; default: all.")] = None,
    growth_only: Annotated[
        bool, typer.Option("--growth", help="Only their growth beside an idle opponent: a minute each.")
    ] = False,
    import_: Import = None,
) -> None:
    """Measure the agents again by today's plan of games, and rewrite results, cards and the table."""
    root = data_root("agents")
    with user_errors("Results and cards are written agent by agent; files that were written are complete."):
        import_named(import_)
        for one in chosen_agents(name):
            if growth_only:
                results = read_json(root / one / RESULTS)  # not load_results, which asks for the growth
                rewrite(root / one, results | {"growth": growth_of(load_agent(root / one))})
                continue
            with games_bar(plain_console(), games_of(plan_again(root / one), load_agent(root / one))) as count:
                measure_again(root / one, lambda _, count=count: count(1))
            print_agent(plain_console(), one, root / one)
        rewrite_table(root)
        print(f"The table is in {root / CARD}.")


def plan_of(config: TrainConfig, opponents: Sequence[str] = CARD_OPPONENTS, games: int = CARD_GAMES) -> dict[str, Any]:
    """Return the plan of a measurement, {pool: (opponents, games)}; on "test" at most one game per graph and side."""
    plan = {
        "test": (tuple(opponents), min(games, 2 * len(load_pool("test")))),
        "fair": (FAIR_OPPONENTS, YARDSTICK * games),
    }
    if config.network.any_graph:
        plan["large"] = (LARGER_OPPONENTS, YARDSTICK * games)
    return plan


def plan_again(folder: Path) -> dict[str, Any]:
    """Return the plan of a new measurement of an agent, against the same opponents on "test" as before."""
    first, *_ = load_results(folder)["results"].values()
    before = first["test"]
    return plan_of(load_agent(folder).config, [one["opponent"] for one in before], before[0]["games"])


def games_of(plan: dict[str, Any], agent: Agent) -> int:
    """Return the number of games of a plan, by all rule sets of an agent."""
    return len(agent.rules) * sum(len(opponents) * games for opponents, games in plan.values())


def check_new(root: Path, name: str, replace: bool) -> None:
    """Raise ValueError for a name that is not allowed, FileExistsError for one that is taken."""
    if not name.replace("-", "").isalnum() or name != name.lower():
        raise ValueError(f"an agent's name must consist of small letters, digits and hyphens, not {name!r}")
    if (root / name).exists() and not replace:
        raise FileExistsError(f"{root / name} exists already: --replace replaces it by this agent")


def training_of(run: Path, machine: str) -> dict[str, Any]:
    """Return steps, games, minutes and machine of a run; AgentError where its history is missing or damaged."""
    path = run / HISTORY
    try:
        last = read_json(path)["training"][-1]
        return {**{key: last[key] for key in ("steps", "games")}, "minutes": round(last["seconds"] / 60, 1),
                "machine": machine}  # fmt: skip
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as fault:
        raise AgentError(f"{run} is not the folder of a training run: {path} cannot be read ({fault})") from fault


def add_agent(
    run: Path,
    root: Path,
    name: str,
    machine: str,
    plan: dict[str, Any],
    replace: bool = False,
    on_game: OnGame | None = None,
) -> dict[str, Any]:
    """Measure the agent of the folder ``run``, put it into the zoo ``root``, and return its results file.

    The folder is written atomically. ValueError, FileExistsError and AgentError as of `check_new`, `load_agent` and
    `training_of`.
    """
    check_new(root, name, replace)
    training = training_of(run, machine)
    load_agent(run)  # raises errors that name this folder
    draft = root / f".{name}.{os.getpid()}.tmp"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    try:
        for file in (CONFIG, WEIGHTS, CURVE):
            if (run / file).is_file():
                shutil.copyfile(run / file, draft / file)
        agent = load_agent(draft)  # training into the run's folder may continue meanwhile
        record(agent, agent.rules[0]).save(draft / OBSERVATIONS)
        results = results_of(agent, training, plan, on_game)
        write_results(draft, results)
        write_atomically(draft / CARD, card(name, agent, results).encode())
        put(draft, root / name)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    rewrite_table(root)
    return results


def measure_again(folder: Path, on_game: OnGame | None = None) -> dict[str, Any]:
    """Play the games of `plan_again`; rewrite an agent's results file and the results on its card."""
    results = results_of(load_agent(folder), load_results(folder)["training"], plan_again(folder), on_game)
    rewrite(folder, results)
    return results


def rewrite(folder: Path, results: dict[str, Any]) -> None:
    """Write new results into an agent's results file and onto its card."""
    write_results(folder, results)
    text = (folder / CARD).read_text(encoding="utf-8")
    write_atomically(folder / CARD, with_results(text, results).encode())


def results_of(agent: Agent, training: dict[str, Any], plan: dict[str, Any], on_game: OnGame | None) -> dict[str, Any]:
    """Return the content of a results file: the games of a plan by each of the agent's rule sets."""
    results: dict[str, Any] = {}
    for rules in agent.rules:
        results[rules.name] = {}
        for pool, (opponents, games) in plan.items():
            found = evaluate(agent, opponents, pool, games, rules, on_game=on_game, sample=samples(pool, games))
            results[rules.name][pool] = [result.to_dict() for result in found]
    return {"package": PACKAGE_VERSION, "training": training, "growth": growth_of(agent), "results": results}


def growth_of(agent: Agent) -> dict[str, list[tuple[float, float]]]:
    """Return what `opening_growth.means` returns, on the graphs of "test" as both players, by each of the rule sets."""
    found, playing = {}, open_player(resolve_player(agent))
    for rules in agent.rules:
        people = growths(playing, load_pool("test"), lambda game, _: playing.moves(game), rules)
        found[rules.name] = [(round(number, 1), round(half, 1)) for number, half in means(people)]
    return found


def write_results(folder: Path, results: dict[str, Any]) -> None:
    """Write results.json."""
    write_atomically(folder / RESULTS, (json.dumps(results, indent=1) + "\n").encode())


def rewrite_table(root: Path) -> None:
    """Rewrite the table in the README.md of the zoo from all results files."""
    found = {path.parent.name: load_results(path.parent) for path in sorted(root.glob(f"[!.]*/{RESULTS}"))}
    path = root / CARD
    text = path.read_text(encoding="utf-8") if path.is_file() else "# Agents\n"
    write_atomically(path, with_table(text, found).encode())


def put(draft: Path, place: Path) -> None:
    """Rename the draft to ``place``; remove the previous folder only afterwards."""
    if not place.exists():
        draft.rename(place)
        return
    previous = draft.with_suffix(".old")
    place.rename(previous)
    try:
        draft.rename(place)
    except OSError:
        previous.rename(place)
        raise
    shutil.rmtree(previous)


if __name__ == "__main__":
    app()
