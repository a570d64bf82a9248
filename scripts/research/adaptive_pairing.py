"""Comparison of adaptive pairing with a full round robin: python -m scripts.research.adaptive_pairing --help.

Simulated: contestants of known strength. Real: strategies of many strengths (a bot that moves on a fraction of its turns) play
a full round robin, of which adaptive pairing sees only the games that it would have played.
"""

import random
import time
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from planetwars_env.arena.game_store import IN_MEMORY, GameStore
from planetwars_env.arena.pairing import adaptive_rounds
from planetwars_env.arena.plan import TournamentPlan, prepare_plan
from planetwars_env.arena.ratings import POINTS_PER_LOG_ODDS, Ratings, bradley_terry, informative_pairs
from planetwars_env.arena.round_robin import run_tournament
from planetwars_env.arena.standings import Standings, compute_standings
from planetwars_env.bots.bot_codes import COMPILED_BOTS, EXTERNAL
from planetwars_env.bots.catalogue import Player
from planetwars_env.bots.strategy import CompiledBot
from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.graphs.catalogue import load_pool
from planetwars_env.graphs.graph import Graph
from planetwars_env.view import Move, View

Array = NDArray[np.float64]
FRACTIONS = (0.05, 0.1, 0.2, 0.5)


def main(
    contestants: Annotated[int, typer.Option(min=4, help="In the simulation.")] = 60,
    games: Annotated[int, typer.Option(help="Games per pair of the simulated round robin.")] = 10,
    samples: Annotated[int, typer.Option(help="Simulated tournaments.")] = 20,
    real: Annotated[int, typer.Option(help="Contestants of the real round robin; 0 for none.")] = 24,
    real_games: Annotated[int, typer.Option(help="Games per pair of the real round robin.")] = 20,
) -> None:
    """Print tables of rank correlations (Spearman), half widths of intervals and numbers of games."""
    for spread in (100, 200, 400) if samples else ():
        simulate(contestants, games, samples, spread)
    if real:
        measure(real, real_games)


def simulate(n: int, games: int, samples: int, spread: float) -> None:
    """Print one table: strengths are normal with a standard deviation of ``spread`` points."""
    print(f"\n{n} contestants, standard deviation {spread} points, round robin of {games} games per pair")
    print("| games | pairing | correlation with the truth | with the round robin | half width | truth inside |")
    print("|---|---|---|---|---|---|")
    total = n * (n - 1) // 2 * games
    rows: dict[tuple[int, str], list[Array]] = {}
    for sample in range(samples):
        generator = np.random.default_rng(sample)
        truth = generator.normal(0, spread / POINTS_PER_LOG_ODDS, n)
        truth -= truth.mean()
        full = bradley_terry(_played(truth, np.full((n, n), games), generator))
        rows.setdefault((total, "all"), []).append(_figures(full, full, truth))
        for part in FRACTIONS:
            count = int(total * part) // 2 * 2
            for name, pairing in (("adaptive", _adaptive), ("random", _random)):
                found = pairing(truth, count, games, generator)
                rows.setdefault((count, name), []).append(_figures(found, full, truth))
    for (count, name), figures in sorted(rows.items()):
        told, same, half, inside = np.mean(figures, axis=0)
        print(f"| {count:,} | {name} | {told:.3f} | {same:.3f} | {half:.0f} | {inside:.0%} |")


def _figures(found: Ratings, full: Ratings, truth: Array) -> Array:
    inside = np.abs(found.log_odds - truth) * POINTS_PER_LOG_ODDS < found.half_widths
    return np.array(
        [
            correlation(found.log_odds, truth),
            correlation(found.log_odds, full.log_odds),
            found.half_widths.mean(),
            inside.mean(),
        ]
    )


def correlation(one: Array, other: Array) -> float:
    """Return Spearman's rank correlation."""
    return float(np.corrcoef(one.argsort().argsort(), other.argsort().argsort())[0, 1])


def _played(truth: Array, games: NDArray[np.int64], generator: np.random.Generator) -> Array:
    """Return the points of so many games of every pair."""
    won = np.triu(generator.binomial(games, 1 / (1 + np.exp(np.subtract.outer(truth, truth).T))), 1).astype(np.float64)
    return won + np.triu(games - won, 1).T


def _adaptive(truth: Array, count: int, games: int, generator: np.random.Generator) -> Ratings:
    n = len(truth)
    scores, remaining = np.zeros((n, n)), (games // 2) * (1 - np.eye(n, dtype=np.int64))
    while count > 0:
        found = informative_pairs(bradley_terry(scores), remaining, min(n, count) // 2)
        added = np.zeros((n, n), np.int64)
        for i, j in found:
            added[i, j] += 2
            remaining[[i, j], [j, i]] -= 1
        scores += _played(truth, added, generator)
        count -= 2 * len(found)
    return bradley_terry(scores)


def _random(truth: Array, count: int, games: int, generator: np.random.Generator) -> Ratings:
    first, second = np.triu_indices(len(truth), 1)
    chosen = generator.permutation(np.repeat(np.arange(len(first)), games // 2))[: count // 2]
    added = np.zeros((len(truth), len(truth)), np.int64)
    np.add.at(added, (first[chosen], second[chosen]), 2)
    return bradley_terry(_played(truth, added, generator))


class _Sometimes(CompiledBot):
    """A bot that moves on a fraction of its turns."""

    def __init__(self, bot: str, fraction: float) -> None:
        super().__init__(bot, COMPILED_BOTS[bot])
        self._fraction = fraction

    def reset(self, graph: Graph, player: int, rules: Rules, seed: int) -> None:
        super().reset(graph, player, rules, seed)
        self._chance = random.Random(seed)

    def take_turn(self, view: View) -> list[Move]:
        return super().take_turn(view) if self._chance.random() < self._fraction else []


def measure(n: int, games: int) -> None:
    """Print one table of real games."""
    kinds = [
        (bot, round(0.04 * 25 ** (i / max(1, n // 3 - 1)), 3)) for bot in ("ai1", "ai2", "ai3") for i in range(n // 3)
    ]
    contestants = [Player(f"{bot} {part:.0%}", EXTERNAL, partial(_Sometimes, bot, part)) for bot, part in kinds]
    plan = TournamentPlan(contestants, load_pool("test")[: games // 2], PLANETWARS, games, 200, seed=0)
    labels = [one.name for one in contestants]
    start = time.perf_counter()
    with GameStore(IN_MEMORY) as store:
        run_tournament(plan, store, jobs=1)
        full = compute_standings(store, labels)
        print(f"\n{len(labels)} real contestants, {games} games per pair, {time.perf_counter() - start:.0f} s")
        print("| games | pairing | correlation with the round robin | half width | largest change of place |")
        print("|---|---|---|---|---|")
        keys = list(plan.schedule())
        for part in FRACTIONS:
            budget = int(len(keys) * part) // 2 * 2
            adaptive = prepare_plan(replace(plan, budget=budget), store)
            chosen = {key for round_ in adaptive_rounds(adaptive, store) for key in round_}
            _print_real("adaptive", compute_standings(store, labels, chosen), full)
            pairs = list(zip(keys[::2], keys[1::2], strict=True))
            drawn = islice(random.Random(0).sample(pairs, len(pairs)), budget // 2)
            _print_real("random", compute_standings(store, labels, {key for both in drawn for key in both}), full)
        _print_real("all", full, full)


def _print_real(name: str, found: Standings, full: Standings) -> None:
    places = np.array([full.labels.index(label) for label in found.labels], np.float64)
    order = np.arange(len(places), dtype=np.float64)
    half = np.mean([(place.high - place.low) / 2 for place in found.ranking])
    print(
        f"| {found.played:,} | {name} | {correlation(places, order):.3f} | {half:.0f} | {np.abs(places - order).max():.0f} |"
    )


if __name__ == "__main__":
    typer.run(main)
