"""Zoo of trained agents: a folder of data for each, with its model card and its measured results.

agents/<name>/ holds config.yaml and weights.safetensors (the agent), results.json, README.md (its card), observations.npz
(recorded observations and actions) and the learning curve. Loading runs no code.
"""

import json
import math
import os
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import NormalDist
from typing import Any

from planetwars_env.arena.evaluation import evaluate
from planetwars_env.arena.results import z_of
from planetwars_env.bots.source_files import names_source
from planetwars_env.engine.rules import PRESETS, Rules
from planetwars_env.files import read_json, write_atomically
from planetwars_env.graphs.catalogue import load_pool
from planetwars_env.learn.agent import CONFIG, WEIGHTS, Agent, AgentError, load_agent
from planetwars_env.learn.config import TrainConfig
from planetwars_env.learn.history import CURVE, HISTORY
from planetwars_env.learn.recording import OBSERVATIONS, record
from planetwars_env.learn.zoo_card import card, entries_of, with_results, with_table
from planetwars_env.replay import package_version

CARD, RESULTS = "README.md", "results.json"
CARD_OPPONENTS = ("random", "ai1", "ai2", "ai3", "planner")
FAIR_OPPONENTS = ("ai3", "planner")
"""On "fair", whose graphs favour neither side; on "test" some sides lose against every player."""
LARGER_OPPONENTS = ("ai3",)
"""On "large", whose graphs no agent of the zoo is trained on."""
CARD_GAMES = 200
YARDSTICK = 5
"""Times as many games are played on "fair" and "large" as on "test", whose winnable sides are nearly all won."""
SIGNIFICANCE = 0.01
"""Probability that `verify_results` reports a difference for an unchanged agent."""

OnGame = Callable[[str, str], None]
"""Progress callback after every game, with the names of pool and opponent."""


def plan_of(config: TrainConfig, opponents: Sequence[str] = CARD_OPPONENTS, games: int = CARD_GAMES) -> dict[str, Any]:
    """Return the plan of a measurement, {pool: (opponents, games)}; on "test" at most one game per graph and side."""
    plan = {"test": (tuple(opponents), min(games, _sides("test"))), "fair": (FAIR_OPPONENTS, YARDSTICK * games)}
    if config.network.any_graph:
        plan["large"] = (LARGER_OPPONENTS, YARDSTICK * games)
    return plan


def _sides(pool: str) -> int:
    return 2 * len(load_pool(pool))


def plan_again(folder: Path) -> dict[str, Any]:
    """Return the plan of a new measurement of an agent, against the same opponents on "test" as before."""
    first, *_ = load_results(folder)["results"].values()
    opponents, games = plan_of_results(first)["test"]
    return plan_of(load_agent(folder).config, opponents, games)


def plan_of_results(pools: dict[str, Any]) -> dict[str, Any]:
    """Return the plan by which the results of one rule set, {pool: entries}, were measured."""
    return {pool: (tuple(one["opponent"] for one in entries), entries[0]["games"]) for pool, entries in pools.items()}


def measure(agent: Agent, plan: dict[str, Any], seed: int = 0, on_game: OnGame | None = None) -> dict[str, Any]:
    """Play the games of a plan by each of the agent's rule sets; return {rules: {pool: [an entry of results JSON per opponent]}}.

    Where there are more games than graphs and sides, the agent samples its actions, so that the games differ.
    """
    return {rules.name: _measure(agent, plan, rules, seed, on_game) for rules in agent.config.task.rules}


def _measure(agent: Agent, plan: dict[str, Any], rules: Rules, seed: int, on_game: OnGame | None) -> dict[str, Any]:
    found = {}
    for pool, (opponents, games) in plan.items():
        report, sample = partial(on_game, pool) if on_game else None, games > _sides(pool)
        found[pool] = [one.to_dict() for one in evaluate(agent, opponents, pool, games, rules, seed, report, sample)]
    return found


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
        record(agent, agent.config.task.rules[0]).save(draft / OBSERVATIONS)
        results = _results(training, measure(agent, plan, on_game=on_game))
        write_results(draft, results)
        write_atomically(draft / CARD, card(name, agent, results).encode())
        _put(draft, root / name)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    rewrite_table(root)
    return results


def measure_again(folder: Path, on_game: OnGame | None = None) -> dict[str, Any]:
    """Play the games of `plan_again`; rewrite an agent's results file and the results on its card."""
    agent, before = load_agent(folder), load_results(folder)
    results = _results(before["training"], measure(agent, plan_again(folder), on_game=on_game))
    write_results(folder, results)
    text = (folder / CARD).read_text(encoding="utf-8")
    write_atomically(folder / CARD, with_results(text, results).encode())
    return results


def verify_results(
    folder: Path, seed: int, on_game: OnGame | None = None
) -> list[tuple[str, str, str, float, float, float, bool]]:
    """Play as many new games as the results file has, seeded with ``seed``, and compare the win rates by a two-sample z-test.

    A row for each rule set, pool and opponent: their names, recorded win rate, new win rate, z, and whether they agree at a
    significance of 1 % for all rows together (Bonferroni). With the seed of the file, 0, the games are the recorded ones.
    """
    agent, before = load_agent(folder), load_results(folder)["results"]
    found = {name: _measure(agent, plan_of_results(before[name]), PRESETS[name], seed, on_game) for name in before}
    pairs = list(zip(entries_of(before), entries_of(found), strict=True))
    critical = NormalDist().inv_cdf(1 - SIGNIFICANCE / (2 * len(pairs)))
    rows = []
    for (rules, pool, recorded), (_, _, new) in pairs:
        z = z_of(new["wins"], new["games"], recorded["wins"], recorded["games"])
        rows.append((rules, pool, recorded["opponent"], recorded["win_rate"], new["win_rate"], z, abs(z) <= critical))
    return rows


def load_results(folder: Path) -> dict[str, Any]:
    """Read results.json of an agent; AgentError for a missing or invalid file."""
    path = folder / RESULTS
    try:
        results = read_json(path)
        _check_results(results)
        return {key: results[key] for key in ("package", "training", "results")}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as fault:
        raise AgentError(f"{folder} is not a folder of the zoo: {path} cannot be read ({fault})") from fault


def _check_results(results: dict[str, Any]) -> None:
    """Raise LookupError, TypeError, AttributeError or ValueError for results that tables and cards cannot show."""
    training = results["training"]
    if not all(isinstance(text, str) for text in (results["package"], training["machine"])):
        raise ValueError("package and machine must be text")
    if not all(math.isfinite(training[key]) for key in ("steps", "games", "minutes")):
        raise ValueError("steps, games and minutes must be numbers")
    if not results["results"] or not all(results["results"].values()):
        raise ValueError("there must be results, by every rule set")
    if unknown := set(results["results"]) - set(PRESETS):
        raise ValueError(f"unknown rules {', '.join(map(repr, sorted(unknown)))}: known are {', '.join(PRESETS)}")
    for entries in (entries for pools in results["results"].values() for entries in pools.values()):
        if not entries or not all(isinstance(one["opponent"], str) for one in entries):
            raise ValueError("every pool must have results")
        if any(names_source(one["opponent"]) for one in entries):
            raise ValueError("opponents must be bots and agents, since measuring again must not run a program")
        for one in entries:
            parts = one, one["as_player_1"], one["as_player_2"]
            if not all(type(part[key]) is int for part in parts for key in ("games", "wins", "draws", "losses")):
                raise ValueError("counts of games must be whole numbers")
            if not all(0 <= one[key] <= 1 for key in ("win_rate", "ci_low", "ci_high")):
                raise ValueError("win rates must be from 0 to 1")


def rewrite_table(root: Path) -> None:
    """Rewrite the table in the README.md of the zoo from all results files."""
    found = {path.parent.name: load_results(path.parent) for path in sorted(root.glob(f"[!.]*/{RESULTS}"))}
    path = root / CARD
    text = path.read_text(encoding="utf-8") if path.is_file() else "# Agents\n"
    write_atomically(path, with_table(text, found).encode())


def _results(training: dict[str, Any], results: dict[str, Any]) -> dict[str, Any]:
    return {"package": package_version(), "training": training, "results": results}


def write_results(folder: Path, results: dict[str, Any]) -> None:
    """Write results.json."""
    write_atomically(folder / RESULTS, (json.dumps(results, indent=1) + "\n").encode())


def _put(draft: Path, place: Path) -> None:
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
