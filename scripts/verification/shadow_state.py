"""Shadow state of an audit: a second copy of every game, the expected results, and the faults found."""

from typing import Any, NamedTuple

import numpy as np

from planetwars_env.engine.columns import TURNS
from planetwars_env.engine.kernel import part
from planetwars_env.engine.state import Array, Board, State, allocate
from planetwars_env.sim.fields import GROUP, RESET_DUE, STAGE

# columns of ShadowState.tally
TURNS_PLAYED, GAMES_BEGUN, WON_BY_1, WON_BY_2, DRAWN, CUT, LAUNCHES = range(7)
TALLY: tuple[str, ...] = ("turns", "games", "won_by_1", "won_by_2", "drawn", "cut_off", "launches")
"""Their names: turns that passed, games begun, how games ended, and shuttles launched."""

DRAW, POSITION, NEGATIVE, FLIGHTS, TOO_MANY, BOT_LAUNCHES, CONTROL, ENDING, STANDING = range(1, 10)
MASK, PLANET_SHOWN, EDGE_SHOWN, CLOCK_SHOWN, ALONE, COPIED, FOG = range(10, 17)
FAULTS = {
    DRAW: "board or random numbers differ from what the seed gives",
    POSITION: "the position is not the one that the rules lead to",
    NEGATIVE: "a negative population",
    FLIGHTS: "shuttles are not those that were launched, or the arrivals kept beside them differ",
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
    COPIED: "a copy of the batch and its original are not independent, or not the same",
    FOG: "what the fog hides shows in what a player sees, or in what a bot does",
}
"""The faults in words, by code."""


class FaultError(Exception):
    """A fault: its code, the game, where, what was expected and what was found."""

    def __init__(self, code: int, game: int, where: int = 0, expected: int = 0, found: int = 0) -> None:
        self.told = {"fault": FAULTS[code], "game": game, "where": where, "expected": expected, "found": found}
        super().__init__(str(self.told))


class ShadowState(NamedTuple):
    """Shadow copy of N games, and room to reckon (axes: engine/state.py)."""

    twin: State
    """The position of every game, kept by the second clock."""
    control: Array
    """[N, 8] int32: as StepBuffers.control, as far as it follows from the rules and the draws."""
    result: Array
    """[N, 13] int64: won, terminated, truncated; then the first group of numbers of StepBuffers.result."""
    fresh: Array
    """[N] int8: the agent has not yet acted in this game."""
    fault: Array
    """[N, 4] int64: the first fault (0: none; else a code of `FAULTS`), where, what was expected, what was found."""
    tally: Array
    """[7] int64: `TALLY`."""
    most: Array
    """[B] int64: how many people a game on the board can hold (docs/bounds.md)."""
    seen: Array
    """[P] int64."""
    landed: Array
    """[2, P] int64."""
    sent: Array
    """[P] int64."""
    arrivals: Array
    """[T, 2, P] int64."""
    shown: Array
    """[L] float64: the observation of one game as it should be."""
    mask: Array
    """[A] int64: its mask as it should be."""


def make_shadow_state(state: State, board: Board, numbers: int, choices: int) -> ShadowState:
    """ShadowState for a batch none of whose games has begun; an observation has so many numbers, a mask so many choices."""
    games, planets, slots = state.status.shape[0], board.planets.shape[2], state.flights.shape[1]
    twin = allocate(games, board, slots, state.people.dtype)
    twin.random[:] = state.random
    longest = np.maximum(1, board.edges[:, TURNS].max(axis=1, initial=0).astype(np.int64))
    shadow = ShadowState(
        twin=twin,
        control=np.zeros((games, 8), np.int32),
        result=np.zeros((games, 3 + GROUP), np.int64),
        fresh=np.zeros(games, np.int8),
        fault=np.zeros((games, 4), np.int64),
        tally=np.zeros(len(TALLY), np.int64),
        most=(10 * longest + 1) * board.planets[:, 0].sum(axis=1, dtype=np.int64),
        seen=np.zeros(planets, np.int64),
        landed=np.zeros((2, planets), np.int64),
        sent=np.zeros(planets, np.int64),
        arrivals=np.zeros((slots, 2, planets), np.int64),
        shown=np.zeros(numbers),
        mask=np.zeros(choices, np.int64),
    )
    shadow.control[:, STAGE] = RESET_DUE
    return shadow


@part
def fail(fault: Array, g: int, code: int, where: int, expected: Any, found: Any) -> None:
    """Note the first fault of game g in ``fault`` [N, 4]."""
    if fault[g, 0] == 0:
        fault[g, 0] = code
        fault[g, 1] = where
        fault[g, 2] = expected
        fault[g, 3] = found
