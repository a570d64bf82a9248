"""Coefficients of the probability to win on replay pages, and tables of how well it is calibrated."""

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Annotated, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

from planetwars_env.arena.games import play_match
from planetwars_env.bots.catalogue import resolve_player
from planetwars_env.cli.shell import user_errors
from planetwars_env.engine.rules import PRESETS
from planetwars_env.files import write_atomically
from planetwars_env.graphs.catalogue import load_pool
from planetwars_env.render import win_probability as package
from planetwars_env.render.win_probability import COEFFICIENTS, features, totals_of

_BOTS = ("ai1", "ai2", "ai3", "planner")
_AGENTS = {
    "PLANETWARS": ("graph-planetwars", "graph-planetwars-small"),
    "PLANETWARS_HALF_STEP": ("graph-all",),
    "SPACE_EXPLORERS": ("graph-all",),
}
_POOLS = {"train": 1, "validation": 2, "fair": 1}
"""Games per graph: the coefficients are found on the first pool, scaled on the second, and tested on the third."""
_OUT = Path(package.__file__).with_name(COEFFICIENTS)
_PENALTY = 1e-3
"""Of the squares of the coefficients, per game."""
_BINS = 10

Array = NDArray[np.float64]


class Positions(NamedTuple):
    """Positions of many games. ``won``: whether player 1 has won; ``weights``: every game counts 1."""

    features: Array
    won: Array
    weights: Array
    games: int


def win_probability(
    out: Annotated[Path, typer.Option(help="File of the coefficients.")] = _OUT,
    rules: Annotated[list[str] | None, typer.Option(help="A rule set; may be repeated. Default: all.")] = None,
    games: Annotated[int, typer.Option(min=1, help="Most graphs of a pool.")] = 500,
) -> None:
    """Play bots and agents against each other, find the coefficients, and print the tables of the docs page.

    \b
    Examples:
      python -m scripts.research.win_probability
      python -m scripts.research.win_probability --rules SPACE_EXPLORERS --games 20 --out runs/coefficients.json
    """
    with user_errors():
        found = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
        for name in rules or PRESETS:
            learned, scaled, tested = (_play(name, pool, count, games) for pool, count in _POOLS.items())
            weights = fitted(learned.features, learned.won, learned.weights)
            factor = fitted(scaled.features @ weights[:, None], scaled.won, scaled.weights)
            found[name] = (weights * factor).round(4).tolist()
            print(f"\n{name}: {learned.games}, {scaled.games} and {tested.games} games; factor {factor[0]:.3f}")
            print(_table(tested, np.array(found[name])), flush=True)
            lines = ",\n".join(f"  {json.dumps(name)}: {weights}" for name, weights in found.items())
            write_atomically(out, f"{{\n{lines}\n}}\n".encode())


def fitted(rows: Array, won: Array, weights: Array) -> Array:
    """Return the coefficients of a logistic regression without a constant, by Newton's method."""
    found = np.zeros(rows.shape[1])
    for _ in range(30):
        chances = probabilities(rows, found)
        gradient = rows.T @ (weights * (chances - won)) + _PENALTY * weights.sum() * found
        curvature = (rows * (weights * chances * (1 - chances))[:, None]).T @ rows
        step = np.linalg.solve(curvature + _PENALTY * weights.sum() * np.eye(len(found)), gradient)
        found -= step
        if np.abs(step).max() < 1e-8:
            break
    return found


def probabilities(rows: Array, coefficients: Array) -> Array:
    """Return the probability of a win of player 1 in each row of features."""
    return 1 / (1 + np.exp(-(rows @ coefficients)))


def _play(rules: str, pool: str, count: int, most: int) -> Positions:
    parts = [(rows, np.full(len(rows), won)) for rows, won in _games(rules, pool, count, most)]
    rows, won = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    weights = np.concatenate([np.full(len(part), 1 / len(part)) for _, part in parts])
    return Positions(rows, won, weights, len(parts))


def _games(rules: str, pool: str, count: int, most: int) -> Iterator[tuple[Array, float]]:
    """Yield the features of every turn of a game and whether player 1 has won it; games without a winner are left out."""
    players = {name: resolve_player(name, single=True) for name in (*_BOTS, *_AGENTS.get(rules, ()))}
    pairs = list(product(players, repeat=2))
    rng = Random(f"{rules} {pool}")
    for seed, graph in product(range(count), load_pool(pool)[:most]):
        first, second = rng.choice(pairs)
        replay = play_match(players[first], players[second], graph, rules, seed)
        if replay.winner:
            rows = [features(totals_of(game), game.turn) for game in replay.games() if not game.over]
            yield np.array(rows), float(replay.winner == 1)


def _table(tested: Positions, coefficients: Array) -> str:
    """Return the Brier scores and a calibration table in Markdown."""
    chances = probabilities(tested.features, coefficients)
    share = np.average(tested.won, weights=tested.weights)
    people = np.sign(tested.features[:, 0]) / 2 + 0.5
    lines = ["| | Brier score |", "|---|---|"]
    for name, guess in (
        ("win probability", chances),
        ("whoever has more people wins", people),
        (f"always {share:.2f}", np.full(len(chances), share)),
    ):
        lines.append(f"| {name} | {np.average((guess - tested.won) ** 2, weights=tested.weights):.3f} |")
    lines += ["", "| predicted | mean | won by player 1 | positions |", "|---|---|---|---|"]
    bins = np.minimum(_BINS - 1, (chances * _BINS).astype(int))
    for i in range(_BINS):
        if (inside := bins == i).any():
            mean, won = (np.average(x[inside], weights=tested.weights[inside]) for x in (chances, tested.won))
            lines.append(f"| {i / _BINS:.0%} to {(i + 1) / _BINS:.0%} | {mean:.1%} | {won:.1%} | {inside.sum():,} |")
    return "\n".join(lines)


if __name__ == "__main__":
    typer.run(win_probability)
