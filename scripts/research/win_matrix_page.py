"""Markdown page of the win matrix."""

from collections.abc import Sequence
from itertools import combinations

from planetwars_env.arena.report import markdown
from scripts.research.bot_targets import STEP, BotTarget, PoolGames, bot_targets

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


def page(bots: Sequence[str], found: Sequence[PoolGames]) -> str:
    """The page, for bots in the order of their strength."""
    goals = bot_targets(bots)
    missed = sum(one.share(goal) < goal.least for one in found for goal in goals)
    places = len(goals) * len(found)
    games = max(one.standings.played for one in found) * 2 // (len(bots) * (len(bots) - 1))
    head = _HEAD.format(games=games, missed=missed, goals=places)
    matrices = "\n".join(_matrix(bots, one) for one in found)
    return f"{head}\n{_goals(goals, found)}{_about_random(found)}{_MATRICES}\n{matrices}"


def _goals(goals: Sequence[BotTarget], found: Sequence[PoolGames]) -> str:
    headings = ["", "at least", *(f"{one.pool}: {one.rules}" for one in found)]
    rows = [[_text(goal), f"{goal.least:.0%}", *(_share(goal, one) for one in found)] for goal in goals]
    return markdown(headings, rows)


def _text(goal: BotTarget) -> str:
    return f"{goal.one} {'finishes against' if goal.ends else 'beats'} {goal.other}"


def _share(goal: BotTarget, found: PoolGames) -> str:
    share = found.share(goal)
    return f"{share:.1%}" if share >= goal.least else f"**{share:.1%}**"


def _matrix(bots: Sequence[str], found: PoolGames) -> str:
    rows = [
        [one, *(_cell(found, one, other) if j < i else "" for j, other in enumerate(bots[:-1]))]
        for i, one in enumerate(bots)
        if i
    ]
    played, distinct = found.standings.played, found.standings.distinct
    fewest = min(found.standings.both(*pair).games for pair in combinations(bots, 2))
    counts = f"{distinct:,} distinct games of {played:,} played, at least {fewest} per pair."
    return f"### {found.rules} on {found.pool}\n\n{counts}\n\n{markdown(['', *bots[:-1]], rows)}"


def _cell(found: PoolGames, one: str, other: str) -> str:
    total = found.standings.both(one, other)
    low, high = total.interval
    sides = " + ".join(f"{100 * side.win_rate:.0f}" for side in found.standings.cells[one, other])
    won, drawn = 100 * total.win_rate, 100 * total.draws / total.games
    return f"{won:.1f} ({100 * low:.0f} - {100 * high:.0f}); {sides}; {drawn:.1f}"


def _about_random(found: Sequence[PoolGames]) -> str:
    goal = BotTarget("random", "noop", STEP)
    return _ABOUT_RANDOM if any(one.share(goal) < goal.least for one in found) else ""
