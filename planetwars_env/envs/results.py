"""The outcome of a step as Gymnasium tells it: rewards, ends, infos."""

from typing import Any

from planetwars_env.codec.rewards import Standing, Transition
from planetwars_env.engine.state import Array
from planetwars_env.sim.desk import (
    AFTER,
    BEFORE,
    MY_PEOPLE,
    MY_PLANETS,
    ON_TURN,
    RIVAL_PEOPLE,
    RIVAL_PLANETS,
    TERMINATED,
    TRUNCATED,
    WINNER_IS,
    WON,
)

INFO = {
    "turn": ON_TURN,
    "winner": WINNER_IS,
    "my_planets": MY_PLANETS,
    "rival_planets": RIVAL_PLANETS,
    "my_people": MY_PEOPLE,
    "rival_people": RIVAL_PEOPLE,
}
"""The keys of an info and where their numbers stand: the true state, to measure by, not to play by."""


def transition(outcome: Array) -> Transition:
    """The step of N games from ``outcome`` [N, ...] of sim/desk.py, as views."""
    return Transition(
        won=outcome[:, WON],
        terminated=outcome[:, TERMINATED] > 0,
        truncated=outcome[:, TRUNCATED] > 0,
        before=_standing(outcome, BEFORE),
        after=_standing(outcome, AFTER),
    )


def info(outcome: Array, g: int, group: int) -> dict[str, Any]:
    """The info of game g: its numbers after the step (AFTER), or now (NOW)."""
    values = outcome[g, group : group + len(INFO)].tolist()
    return {key: int(values[place]) for key, place in INFO.items()}


def _standing(outcome: Array, group: int) -> Standing:
    return Standing(*(outcome[:, group + place] for place in (MY_PLANETS, RIVAL_PLANETS, MY_PEOPLE, RIVAL_PEOPLE)))
