"""Win matrix of all built-in bots for the docs: every pair, all presets, the pools test and fair.

Each bot shall beat the one below it, and strong bots shall finish games against weak ones: the page marks what is missed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.console import Console

import planetwars_env as pw
from planetwars_env.arena.contestants import contestant_of, fingerprint_player
from planetwars_env.arena.game_store import FinishedGame, GameStore, distinct_of
from planetwars_env.arena.standings import Standings
from planetwars_env.arena.tables import Table
from planetwars_env.arena.tournament import GAMES_FILE
from planetwars_env.bots.catalogue import bot_names
from planetwars_env.cli.results_table import tournament_bar
from planetwars_env.cli.shell import plain_console, user_errors
from planetwars_env.engine.rules import PRESETS
from planetwars_env.files import write_atomically

POOLS = ("test", "fair")
STEP = 0.70
"""Of its games a bot wins against the one below it."""
STEPS = {("planner", "ai3"): 0.80, ("ai3", "random"): 0.95}
"""Pairs with a higher demand, or of bots that are not neighbours."""
FINISH = 0.95
"""Of their games the bots from `FINISHERS` on end by the rules, and not by being cut off, against the `SLOW`."""
FINISHERS, SLOW = "ai2", ("noop", "random")


class BotTarget(NamedTuple):
    """``one`` wins at least the share ``least`` of its games against ``other``; ``ends``: it need only bring them to an end."""

    one: str
    other: str
    least: float
    ends: bool = False


@dataclass(frozen=True, slots=True)
class PoolGames:
    """The games of one rule set on one pool: what they come to, and the distinct ones among them."""

    rules: str
    pool: str
    standings: Standings
    games: Sequence[FinishedGame]

    def share(self, goal: BotTarget) -> float:
        """The win rate that a goal is measured by; a draw is not a win."""
        if not goal.ends:
            return self.standings.both(goal.one, goal.other).win_rate
        ended = [game.ended == "rules" for game in self.games if {*game.key[:2]} == {goal.one, goal.other}]
        return sum(ended) / len(ended) if ended else 0.0


def bot_targets(bots: Sequence[str]) -> list[BotTarget]:
    """The goals of bots in the order of their strength."""
    steps = [(one, below) for below, one in pairwise(bots)]
    steps += [pair for pair in STEPS if pair not in steps and {*pair} <= {*bots}]
    goals = [BotTarget(*pair, STEPS.get(pair, STEP)) for pair in steps]
    finishers = bots[bots.index(FINISHERS) :] if FINISHERS in bots else []
    return goals + [BotTarget(one, slow, FINISH, ends=True) for one in finishers for slow in SLOW if slow in bots]


_HEAD = """# Who beats whom

This page is for students and researchers. It answers: how often does each built-in bot beat the others?

| setting | value |
|---|---|
| games per pair | {games}: graphs in turn, each as player 1 and as player 2 |
| rule sets, pools | all three, on test and fair |
| a battle after 500 turns (half-step: 1,000) | cut off: a draw, which is not a win |
| games with the same moves on the same graph | counted once |
| reproduce with | `python -m scripts.research.win_matrix` |

## Goals

The part of its games that a bot wins against another, or finishes (the rules end them; they are not cut off).
**Bold**: below the goal, in {missed} of {goals} cells.
"""
_ABOUT_RANDOM = """
`random` misses its goal in battles. It makes one random move per turn, as specified, and most of them join no two
planets. The games that it does not win against `noop`, which never moves, are draws and not losses.
"""
_MATRICES = """
## Matrices

Per cent of games that the bot of the row won (95 % interval); as player 1 + as player 2; per cent drawn.
"""


def win_matrix(
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("docs/win-matrix.md"),
    games: Annotated[int, typer.Option(help="Of each pair, half as either player, graphs in turn.")] = 200,
    keep: Annotated[Path, typer.Option(help="The folder for the games; started again, it goes on there.")] = Path(
        "runs/win-matrix"
    ),
    jobs: Annotated[int, typer.Option(help="Processes; -1: one a core.")] = -1,
) -> None:
    """Play all built-in bots against each other under every rule set, and write who beats whom.

    \b
    Examples:
      python -m scripts.research.win_matrix
      python -m scripts.research.win_matrix --games 20 --out /tmp/win-matrix.md
    """
    with user_errors(f"The games that are finished are in {keep}: run the same command again, and it continues."):
        console, bots = plain_console(), bot_names()
        found = [_play(console, bots, rules, pool, games, keep, jobs) for pool in POOLS for rules in PRESETS]
        write_atomically(out, page(bots, found).encode())
        goals = [(one, goal, one.share(goal)) for one in found for goal in bot_targets(bots)]
        missed = [entry for entry in goals if entry[2] < entry[1].least]
        for one, goal, share in missed:
            verb, where = "finishes" if goal.ends else "wins", f"{one.rules} on {one.pool}"
            console.print(f"{where}: {goal.one} {verb} {share:.1%} against {goal.other}, not {goal.least:.0%}")
        console.print(f"{len(goals) - len(missed)} of {len(goals)} goals are met. The page is {out}.")


def _play(console: Console, bots: list[str], rules: str, pool: str, games: int, keep: Path, jobs: int) -> PoolGames:
    """The games of one rule set on one pool; those of other rules or bots than today's are left where they are."""
    folder = keep / fingerprint_player(contestant_of(bots[0])) / f"{rules}-{pool}"
    console.print(f"{rules} on {pool}")
    with tournament_bar(console) as bar:
        played = pw.tournament(bots, pool, games, rules, out=folder, seed=0, disturb=False, jobs=jobs, on_games=bar)
    with GameStore(folder / GAMES_FILE) as store:
        return PoolGames(rules, pool, played.standings, distinct_of(store.games()))


def page(bots: Sequence[str], found: Sequence[PoolGames]) -> str:
    """The page, for bots in the order of their strength."""
    goals = bot_targets(bots)
    missed = sum(one.share(goal) < goal.least for one in found for goal in goals)
    games = max(one.standings.played for one in found) * 2 // (len(bots) * (len(bots) - 1))
    head = _HEAD.format(games=games, missed=missed, goals=len(goals) * len(found))
    headings = ["", "at least", *(f"{one.pool}: {one.rules}" for one in found)]
    rows = []
    for goal in goals:
        shares = [(one.share(goal), f"{one.share(goal):.1%}") for one in found]
        cells = [text if share >= goal.least else f"**{text}**" for share, text in shares]
        rows.append(
            [f"{goal.one} {'finishes against' if goal.ends else 'beats'} {goal.other}", f"{goal.least:.0%}", *cells]
        )
    random_goal = BotTarget("random", "noop", STEP)
    about_random = _ABOUT_RANDOM if any(one.share(random_goal) < STEP for one in found) else ""
    matrices = "\n".join(_matrix(bots, one) for one in found)
    return f"{head}\n{Table('', headings, rows).markdown()}{about_random}{_MATRICES}\n{matrices}"


def _matrix(bots: Sequence[str], found: PoolGames) -> str:
    rows = []
    for i, one in enumerate(bots[1:], 1):
        rows.append([one, *(_cell(found, one, other) if j < i else "" for j, other in enumerate(bots[:-1]))])
    played, distinct = found.standings.played, found.standings.distinct
    fewest = min(found.standings.both(*pair).games for pair in combinations(bots, 2))
    counts = f"{distinct:,} distinct games of {played:,} played, at least {fewest} per pair."
    table = Table("", ["", *bots[:-1]], rows).markdown()
    return f"### {found.rules} on {found.pool}\n\n{counts}\n\n{table}"


def _cell(found: PoolGames, one: str, other: str) -> str:
    total = found.standings.both(one, other)
    low, high = total.interval
    sides = " + ".join(f"{100 * side.win_rate:.0f}" for side in found.standings.cells[one, other])
    won, drawn = 100 * total.win_rate, 100 * total.draws / total.games
    return f"{won:.1f} ({100 * low:.0f} - {100 * high:.0f}); {sides}; {drawn:.1f}"


if __name__ == "__main__":
    typer.run(win_matrix)
