"""Shadow state of an audit: a second copy of every game, the expected results, and the faults found."""

from typing import NamedTuple

import numpy as np

from planetwars_env.engine.columns import TURNS
from planetwars_env.engine.state import Array, Board, State, allocate
from planetwars_env.sim.fields import GROUP, RESET_DUE, STAGE

# columns of ShadowState.tally
TURNS_PLAYED, GAMES_BEGUN, WON_BY_1, WON_BY_2, DRAWN, CUT = range(6)
LAUNCHES, PEOPLE_BORN, PEOPLE_FALLEN, PEOPLE_SHRUNK = range(6, 10)
_ENDS = "won_by_1", "won_by_2", "drawn", "cut_off"
TALLY: tuple[str, ...] = ("turns", "games", *_ENDS, "launches", "born", "fallen", "shrunk")
"""Their names: turns that passed, games begun, how games ended, shuttles launched, and people born, lost in landings
(battles, no room) and lost by shrinking, the last three of games that have ended."""


class ShadowState(NamedTuple):
    """Shadow copy of N games, and room to reckon (axes: engine/state.py; H: the codec's horizon)."""

    twin: State
    """The position of every game, kept by the second clock."""
    flows: Array
    """[N, 3] int64: people born, fallen and shrunk away since the game began."""
    control: Array
    """[N, 8] int32: as StepBuffers.control, as far as it follows from the rules and the draws."""
    result: Array
    """[N, 9] int64: won, terminated, truncated; then the six numbers of StepBuffers.result from SHOWN on."""
    fresh: Array
    """[N] int8: the agent has not yet acted in this game."""
    fault: Array
    """[N, 4] int64: the first fault (0: none; the codes of fault_codes.py), where, what was expected, what was found."""
    tally: Array
    """[10] int64: `TALLY`."""
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
    bins: Array
    """[2 * H, P] int64."""
    aloft: Array
    """[2, E] int64."""


def make_shadow_state(state: State, board: Board, horizon: int) -> ShadowState:
    """ShadowState for a batch none of whose games has begun; ``horizon``: of the codec (turns)."""
    games, planets, edges = state.status.shape[0], board.planets.shape[2], board.edges.shape[2]
    slots = state.flights.shape[1]
    twin = allocate(games, board, slots, state.people.dtype)
    twin.random[:] = state.random
    longest = np.maximum(1, board.edges[:, TURNS].max(axis=1, initial=0).astype(np.int64))
    sizes = board.planets[:, 0].sum(axis=1, dtype=np.int64)
    shadow = ShadowState(
        twin=twin,
        flows=np.zeros((games, 3), np.int64),
        control=np.zeros((games, 8), np.int32),
        result=np.zeros((games, 3 + GROUP), np.int64),
        fresh=np.zeros(games, np.int8),
        fault=np.zeros((games, 4), np.int64),
        tally=np.zeros(len(TALLY), np.int64),
        most=(10 * longest + 1) * sizes,
        seen=np.zeros(planets, np.int64),
        landed=np.zeros((2, planets), np.int64),
        sent=np.zeros(planets, np.int64),
        arrivals=np.zeros((slots, 2, planets), np.int64),
        bins=np.zeros((2 * horizon, planets), np.int64),
        aloft=np.zeros((2, edges), np.int64),
    )
    shadow.control[:, STAGE] = RESET_DUE
    return shadow
