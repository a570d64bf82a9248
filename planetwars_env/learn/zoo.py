"""Recorded results of the shipped agents, which scripts/release/zoo.py writes: reading, and comparison with new games."""

import math
from collections.abc import Callable
from pathlib import Path
from statistics import NormalDist
from typing import Any

from planetwars_env.arena.evaluation import evaluate
from planetwars_env.arena.results import z_of
from planetwars_env.bots.catalogue import kind_of
from planetwars_env.engine.rules import PRESETS
from planetwars_env.files import read_json
from planetwars_env.graphs.catalogue import load_pool
from planetwars_env.learn.agent import AgentError, load_agent

RESULTS = "results.json"
SIGNIFICANCE = 0.01
"""Probability that `verify_results` reports a difference for an unchanged agent."""


def entries_of(results: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Return the entries of {rules: {pool: entries}}, each with its rules and pool."""
    of_pools = ((rules, pool, entries) for rules, pools in results.items() for pool, entries in pools.items())
    return [(rules, pool, entry) for rules, pool, entries in of_pools for entry in entries]


def samples(pool: str, games: int) -> bool:
    """Return whether an agent samples its actions: games differ though there are more than graphs and sides."""
    return games > 2 * len(load_pool(pool))


def verify_results(
    folder: Path, seed: int, on_game: Callable[[str], None] | None = None
) -> list[tuple[str, str, str, float, float, float, bool]]:
    """Play as many new games as the results file has, seeded with ``seed``, and compare the win rates by a two-sample z-test.

    A row for each rule set, pool and opponent: their names, recorded win rate, new win rate, z, and whether they agree at a
    significance of 1 % for all rows together (Bonferroni). With the seed of the file, 0, the games are the recorded ones.
    """
    agent, entries, rows = load_agent(folder), entries_of(load_results(folder)["results"]), []
    critical = NormalDist().inv_cdf(1 - SIGNIFICANCE / (2 * len(entries)))
    for rules, pool, recorded in entries:
        games, sample = recorded["games"], samples(pool, recorded["games"])
        (result,) = evaluate(agent, recorded["opponent"], pool, games, rules, seed, on_game, sample)
        z = z_of(result.total.wins, games, recorded["wins"], games)
        rates = recorded["win_rate"], round(result.total.win_rate, 4)
        rows.append((rules, pool, recorded["opponent"], *rates, z, abs(z) <= critical))
    return rows


def load_results(folder: Path) -> dict[str, Any]:
    """Read results.json of an agent; AgentError for a missing file, and for what tables and cards cannot show."""
    path = folder / RESULTS
    try:
        results = read_json(path)
        training = results["training"]
        if not all(isinstance(text, str) for text in (results["package"], training["machine"])):
            raise ValueError("package and machine must be text")
        if not all(math.isfinite(training[key]) for key in ("steps", "games", "minutes")):
            raise ValueError("steps, games and minutes must be numbers")
        if not results["results"] or not all(results["results"].values()):
            raise ValueError("there must be results, by every rule set")
        if unknown := set(results["results"]) - set(PRESETS):
            raise ValueError(f"unknown rules {', '.join(map(repr, sorted(unknown)))}: known are {', '.join(PRESETS)}")
        if not all(entries for pools in results["results"].values() for entries in pools.values()):
            raise ValueError("every pool must have results")
        for _, _, entry in entries_of(results["results"]):
            if (kind := kind_of(entry["opponent"])) and kind.foreign:
                raise ValueError("opponents must be bots and agents, since measuring again must not run a program")
            parts = entry, entry["as_player_1"], entry["as_player_2"]
            if not all(type(part[key]) is int for part in parts for key in ("games", "wins", "draws", "losses")):
                raise ValueError("counts of games must be whole numbers")
            if not all(0 <= entry[key] <= 1 for key in ("win_rate", "ci_low", "ci_high")):
                raise ValueError("win rates must be from 0 to 1")
        if not all(math.isfinite(number) for rows in results["growth"].values() for row in rows for number in row):
            raise ValueError("growth must be rows of numbers")
        return {key: results[key] for key in ("package", "training", "growth", "results")}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as fault:
        raise AgentError(f"{folder} is not a folder of the zoo: {path} cannot be read ({fault})") from fault
