"""The outcome of a step as Gymnasium tells it: rewards, ends, infos."""

from collections.abc import Sequence

import numpy as np

from planetwars_env.codec.rewards import Standing, Transition
from planetwars_env.engine.state import Array
from planetwars_env.sim.desk import (
    AFTER,
    BEFORE,
    GROUP,
    MY_PEOPLE,
    MY_PLANETS,
    RIVAL_PEOPLE,
    RIVAL_PLANETS,
    TERMINATED,
    TRUNCATED,
    WON,
)


def info(numbers: Sequence[int]) -> dict[str, int]:
    """The info of one game from a group of its numbers (sim/desk.py): the true state, to measure by, not to play by."""
    turn, winner, my_planets, rival_planets, my_people, rival_people, player, won = numbers
    return {
        "turn": turn,
        "winner": winner,
        "my_planets": my_planets,
        "rival_planets": rival_planets,
        "my_people": my_people,
        "rival_people": rival_people,
        "player": player,
        "won": won,
    }


INFO = tuple(info(range(GROUP)))
"""The keys of an info, in the order of a group of numbers in sim/desk.py."""


def transition(outcome: Array) -> Transition:
    """The step of N games from ``outcome`` [N, ...] of sim/desk.py."""
    return Transition(
        won=outcome[:, WON].astype(np.float64),
        terminated=outcome[:, TERMINATED] > 0,
        truncated=outcome[:, TRUNCATED] > 0,
        before=_standing(outcome, BEFORE),
        after=_standing(outcome, AFTER),
    )


def _standing(outcome: Array, group: int) -> Standing:
    return Standing(
        *(
            outcome[:, group + place].astype(np.float64)
            for place in (MY_PLANETS, RIVAL_PLANETS, MY_PEOPLE, RIVAL_PEOPLE)
        )
    )
