"""Targets for the built-in bots: each beats the one below it, and strong bots finish games against weak ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from planetwars_env.arena.game_records import GameRow
from planetwars_env.arena.standings import Standings

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
    rows: Sequence[GameRow]

    def share(self, goal: BotTarget) -> float:
        """The win rate that a goal is measured by; a draw is no win."""
        if not goal.ends:
            return self.standings.both(goal.one, goal.other).win_rate
        ended = [row.ended == "rules" for row in self.rows if {row.first, row.second} == {goal.one, goal.other}]
        return sum(ended) / len(ended) if ended else 0.0


def bot_targets(bots: Sequence[str]) -> list[BotTarget]:
    """The goals of bots in the order of their strength."""
    steps = [(one, below) for below, one in pairwise(bots)]
    steps += [pair for pair in STEPS if pair not in steps and {*pair} <= {*bots}]
    goals = [BotTarget(*pair, STEPS.get(pair, STEP)) for pair in steps]
    finishers = bots[bots.index(FINISHERS) :] if FINISHERS in bots else []
    return goals + [BotTarget(one, slow, FINISH, ends=True) for one in finishers for slow in SLOW if slow in bots]
