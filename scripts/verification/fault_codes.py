"""Fault codes of an audit: numbers for kernels, and their texts."""

from typing import Any

from planetwars_env.engine.kernel import part
from planetwars_env.engine.state import Array

(
    NOTHING,
    DRAW,
    POSITION,
    NEGATIVE,
    FLIGHTS,
    LOST_OR_MADE_UP,
    TOO_MANY,
    BOT_LAUNCHES,
    CONTROL,
    ENDING,
    STANDING,
    MASK,
    PLANET_SHOWN,
    EDGE_SHOWN,
    CLOCK_SHOWN,
    ALONE,
    COPIED,
    FOG,
) = range(18)

FAULTS = {
    DRAW: "board or random numbers differ from what the seed gives",
    POSITION: "the position is not the one that the rules lead to",
    NEGATIVE: "a negative population",
    FLIGHTS: "shuttles are not those that were launched, or the arrivals kept beside them differ",
    LOST_OR_MADE_UP: "people came from nowhere or vanished",
    TOO_MANY: "more people than the board can hold",
    BOT_LAUNCHES: "what a bot launched is not what left its planets",
    CONTROL: "who is waited for, the agent's player, its opponent or the count of orders is wrong",
    ENDING: "won, terminated or truncated is wrong, or the limit was passed",
    STANDING: "the numbers of info are wrong",
    MASK: "the mask is not what R8 and R9 allow",
    PLANET_SHOWN: "a planet is not shown as it is, or the fog is",
    EDGE_SHOWN: "an edge or what flies along it is not shown as it is",
    CLOCK_SHOWN: "the clock of the observation is wrong",
    ALONE: "the game is another one when it is played alone with the same seed and actions",
    FOG: "what the fog hides shows in what a player sees, or in what a bot does",
    COPIED: "a copy of the batch and its original are not independent, or not the same",
}
"""The faults in words, by code."""


@part
def fail(fault: Array, g: int, code: int, where: int, expected: Any, found: Any) -> None:
    """Note the first fault of game g in ``fault`` [N, 4]."""
    if fault[g, 0] == 0:
        fault[g, 0] = code
        fault[g, 1] = where
        fault[g, 2] = expected
        fault[g, 3] = found
