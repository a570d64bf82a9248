"""The zoo: a finished run becomes a folder of data that says what its agent is, what it wins and how it was trained.

agents/<name>/ holds config.yaml and weights.safetensors (the agent), results.json, README.md (its card), observations.npz
(what it was once shown and answered, to be replayed) and the learning curve. No file of it executes code when it is loaded.
"""

import json
import math
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Any

from planetwars_env.arena.evaluation import evaluate
from planetwars_env.arena.results import z_of
from planetwars_env.engine.rules import PRESETS, Rules
from planetwars_env.envs.registration import rules_of
from planetwars_env.files import read_json, write_atomically
from planetwars_env.graphs.catalogue import load_pool
from planetwars_env.learn.agent import CONFIG, WEIGHTS, Agent, AgentError, load_agent
from planetwars_env.learn.config import TrainConfig
from planetwars_env.learn.history import HISTORY
from planetwars_env.learn.recording import OBSERVATIONS, record
from planetwars_env.learn.zoo_card import card, with_results, with_table
from planetwars_env.replay import package_version

CARD, RESULTS, CURVE = "README.md", "results.json", "learning_curve.png"
OPPONENTS = ("random", "ai1", "ai2", "ai3", "planner")
FAIR_OPPONENTS = ("ai3", "planner")
"""Of the boards of "fair", where neither side is better off; on "test" a side can be lost whoever plays it."""
LARGER_OPPONENTS = ("ai3",)
"""Of the boards of "large", which nothing of the zoo is trained on."""
GAMES = 200
SIGNIFICANCE = 0.01
"""Chance that `verify_results` calls an agent different that is the same."""

Watch = Callable[[str, str], None]
"""Called after every game with the pool's and the opponent's name."""


def rules_of_agent(config: TrainConfig) -> Rules:
    """Those that the agent was trained for."""
    return PRESETS[rules_of(config.task.environment)]


def plan_of(config: TrainConfig, opponents: Sequence[str] = OPPONENTS, games: int = GAMES) -> dict[str, Any]:
    """What is measured: {pool: (opponents, games)}; never more games than a pool has boards and sides, so that all differ."""
    pools = {"test": tuple(opponents), "fair": FAIR_OPPONENTS}
    if config.network.kind == "graph":
        pools["large"] = LARGER_OPPONENTS
    return {pool: (opponents, min(games, 2 * len(load_pool(pool)))) for pool, opponents in pools.items()}


def plan_of_results(results: dict[str, Any]) -> dict[str, Any]:
    """The plan that led to a results file."""
    return {
        pool: (tuple(one["opponent"] for one in entries), entries[0]["games"])
        for pool, entries in results["results"].items()
    }


def measure(agent: Agent, plan: dict[str, Any], seed: int = 0, watch: Watch | None = None) -> dict[str, Any]:
    """The games of a plan: {pool: an entry of results JSON for every opponent}."""
    rules, found = rules_of_agent(agent.config), {}
    for pool, (opponents, games) in plan.items():
        on_game = (lambda name, pool=pool: watch(pool, name)) if watch else None
        found[pool] = [one.to_dict() for one in evaluate(agent, opponents, pool, games, rules, seed, on_game)]
    return found


def check_new(root: Path, name: str, replace: bool) -> None:
    """ValueError for a name that no folder of the zoo can have; FileExistsError for one that is taken."""
    if not name.replace("-", "").isalnum() or name != name.lower():
        raise ValueError(f"an agent's name is of small letters, digits and hyphens, not {name!r}")
    if (root / name).exists() and not replace:
        raise FileExistsError(f"{root / name} is there already: --replace puts this agent in its place")


def training_of(run: Path, machine: str) -> dict[str, Any]:
    """How long the agent of a run was trained, and on what. AgentError where the run's history is missing or damaged."""
    path = run / HISTORY
    try:
        last = read_json(path)["training"][-1]
        return {**{key: last[key] for key in ("steps", "games")}, "minutes": round(last["seconds"] / 60, 1),
                "machine": machine}  # fmt: skip
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as fault:
        raise AgentError(f"{run} is no run that could be described: {path} cannot be read ({fault})") from fault


def add_agent(
    run: Path,
    root: Path,
    name: str,
    machine: str,
    plan: dict[str, Any],
    replace: bool = False,
    watch: Watch | None = None,
) -> dict[str, Any]:
    """Put the agent of the folder ``run`` into the zoo ``root``, measured; its results file.

    The folder appears whole or not at all. ValueError, FileExistsError and AgentError as of `check_new`, `load_agent` and
    `training_of`.
    """
    check_new(root, name, replace)
    training = training_of(run, machine)
    load_agent(run)  # tells what is wrong with it by its own name
    draft = root / f".{name}.{os.getpid()}.tmp"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    try:
        for file in (CONFIG, WEIGHTS, CURVE):
            if (run / file).is_file():
                shutil.copyfile(run / file, draft / file)
        agent = load_agent(draft)  # the run may go on meanwhile
        record(agent, rules_of_agent(agent.config)).save(draft / OBSERVATIONS)
        results = _results(agent, training, measure(agent, plan, watch=watch))
        write_results(draft, results)
        write_atomically(draft / CARD, card(name, agent, results).encode())
        _put(draft, root / name)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    rewrite_table(root)
    return results


def measure_again(folder: Path, watch: Watch | None = None) -> dict[str, Any]:
    """Play all games of an agent's results file anew; the file and the results on its card are rewritten."""
    agent, before = load_agent(folder), load_results(folder)
    results = _results(agent, before["training"], measure(agent, plan_of_results(before), watch=watch))
    write_results(folder, results)
    text = (folder / CARD).read_text(encoding="utf-8")
    write_atomically(folder / CARD, with_results(text, results).encode())
    return results


def verify_results(
    folder: Path, seed: int, watch: Watch | None = None
) -> list[tuple[str, str, float, float, float, bool]]:
    """Play as many new games as the results file has, seeded with ``seed``, and compare the win rates by a two-sample z-test.

    A row for each pool and opponent: pool, opponent, recorded win rate, new win rate, z, and whether they agree at a
    significance of 1 % for all rows together (Bonferroni). With the seed of the file, 0, the games are the recorded ones.
    """
    agent, before = load_agent(folder), load_results(folder)
    found = measure(agent, plan_of_results(before), seed, watch)
    pairs = [
        (pool, old, new)
        for pool, entries in before["results"].items()
        for old, new in zip(entries, found[pool], strict=True)
    ]
    critical = NormalDist().inv_cdf(1 - SIGNIFICANCE / (2 * len(pairs)))
    rows = []
    for pool, old, new in pairs:
        z = z_of(new["wins"], new["games"], old["wins"], old["games"])
        rows.append((pool, old["opponent"], old["win_rate"], new["win_rate"], z, abs(z) <= critical))
    return rows


def load_results(folder: Path) -> dict[str, Any]:
    """results.json of an agent of the zoo. AgentError where it is missing or is something else."""
    path = folder / RESULTS
    try:
        results = read_json(path)
        _check_results(results)
        return {key: results[key] for key in ("rules", "package", "training", "results")}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as fault:
        raise AgentError(f"{folder} is no folder of the zoo: {path} cannot be read ({fault})") from fault


def _check_results(results: dict[str, Any]) -> None:
    """LookupError, TypeError, AttributeError or ValueError for what cannot be put into tables and cards."""
    training = results["training"]
    if not all(isinstance(text, str) for text in (results["rules"], results["package"], training["machine"])):
        raise ValueError("rules, package and machine are names")
    if not all(math.isfinite(training[key]) for key in ("steps", "games", "minutes")):
        raise ValueError("steps, games and minutes are numbers")
    for entries in results["results"].values():
        if not entries or not all(isinstance(one["opponent"], str) for one in entries):
            raise ValueError("there are pools without results")
        if any(one["opponent"].endswith(".py") or ":" in one["opponent"] for one in entries):
            raise ValueError("opponents are bots and agents: to measure again must not run a program")
        for one in entries:
            parts = one, one["as_player_1"], one["as_player_2"]
            if not all(type(part[key]) is int for part in parts for key in ("games", "wins", "draws", "losses")):
                raise ValueError("games are counted in whole numbers")
            if not all(0 <= one[key] <= 1 for key in ("win_rate", "ci_low", "ci_high")):
                raise ValueError("shares are from 0 to 1")


def rewrite_table(root: Path) -> None:
    """The table in the README.md of the zoo, out of all results files."""
    found = {path.parent.name: load_results(path.parent) for path in sorted(root.glob(f"[!.]*/{RESULTS}"))}
    path = root / CARD
    text = path.read_text(encoding="utf-8") if path.is_file() else "# Agents\n"
    write_atomically(path, with_table(text, found).encode())


def _results(agent: Agent, training: dict[str, Any], results: dict[str, Any]) -> dict[str, Any]:
    rules = rules_of_agent(agent.config).name
    return {"rules": rules, "package": package_version(), "training": training, "results": results}


def write_results(folder: Path, results: dict[str, Any]) -> None:
    """Write results.json."""
    write_atomically(folder / RESULTS, (json.dumps(results, indent=1) + "\n").encode())


def _put(draft: Path, place: Path) -> None:
    """Rename the draft; what was in its place goes only when the new one stands there."""
    if not place.exists():
        draft.rename(place)
        return
    old = draft.with_suffix(".old")
    place.rename(old)
    try:
        draft.rename(place)
    except OSError:
        old.rename(place)
        raise
    shutil.rmtree(old)
