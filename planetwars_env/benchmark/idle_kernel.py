"""Time passing with idle players: the rules and nothing else, to measure them by."""

from planetwars_env.engine.kernel import kernel
from planetwars_env.engine.state import Board, State
from planetwars_env.engine.turn import end_turn


@kernel
def idle(state: State, board: Board, turns: int) -> None:
    """Every game passes so many turns in which nobody moves; turn by turn, as a batch steps, not game by game."""
    for _ in range(turns):
        for g in range(state.status.shape[0]):
            end_turn(state, board, g)
