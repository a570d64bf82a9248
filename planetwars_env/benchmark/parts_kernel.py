"""The pieces of a step, each by itself for a whole batch: to measure where the time goes."""

from planetwars_env.bots.compiled import play_bot
from planetwars_env.codec.actions import carry_out_turn
from planetwars_env.codec.layout import Codec
from planetwars_env.codec.observation import write_mask, write_observation
from planetwars_env.engine.kernel import kernel
from planetwars_env.engine.state import Array, Board, State
from planetwars_env.engine.visibility import look

ACT, BOT, LOOK, OBSERVE, MASK = range(5)


@kernel
def play_piece(
    state: State,
    board: Board,
    codec: Codec,
    players: Array,
    observation: Array,
    mask: Array,
    scratch: Array,
    actions: Array,
    piece: int,
    bot: int,
) -> None:
    """One piece of the step of every game, with actions="turn"; ``bot`` is the code of the opponent."""
    for g in range(state.status.shape[0]):
        me = players[g]
        if piece == ACT:
            carry_out_turn(state, board, codec, g, me, actions, g, mask, g)
        elif piece == BOT:
            play_bot(state, board, g, 1 - me, bot, scratch)
        elif piece == LOOK:
            look(state, board, g, me, scratch[0])
        elif piece == OBSERVE:
            write_observation(state, board, codec, g, me, 0, g, scratch, observation)
        elif piece == MASK:
            write_mask(state, board, codec, g, me, g, scratch[0], mask)
