"""Kernels that run one phase of a step for a whole batch, to measure the phases separately."""

from planetwars_env.bots.compiled import play_bot
from planetwars_env.codec.actions import carry_out_turn
from planetwars_env.codec.layout import Codec
from planetwars_env.codec.observation import write_mask, write_observation
from planetwars_env.engine.kernel import kernel
from planetwars_env.engine.state import Array, Board, State
from planetwars_env.engine.turn import end_turn
from planetwars_env.engine.visibility import look

ACT, BOT, LOOK, OBSERVE, MASK = range(5)
"""Phases of a step."""


@kernel
def pass_turns(state: State, board: Board, turns: int) -> None:
    """Play ``turns`` turns of every game without orders; turn by turn, as a batch steps, not game by game."""
    for _ in range(turns):
        for g in range(state.status.shape[0]):
            end_turn(state, board, g)


@kernel
def run_phase(
    state: State,
    board: Board,
    codec: Codec,
    players: Array,
    observation: Array,
    mask: Array,
    scratch: Array,
    actions: Array,
    phase: int,
    bot: int,
) -> None:
    """Run one phase of the step of every game, with actions="turn"; ``bot``: the code of the opponent."""
    for g in range(state.status.shape[0]):
        me = players[g]
        if phase == ACT:
            carry_out_turn(state, board, codec, g, me, actions, g, mask, g)
        elif phase == BOT:
            play_bot(state, board, g, 1 - me, bot, scratch)
        elif phase == LOOK:
            look(state, board, g, me, scratch[0])
        elif phase == OBSERVE:
            write_observation(state, board, codec, g, me, 0, g, scratch, observation)
        elif phase == MASK:
            write_mask(state, board, codec, g, me, g, scratch[0], mask)
