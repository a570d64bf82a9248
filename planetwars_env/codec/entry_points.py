"""The codec as Python calls it: observations of chosen games, and actions carried out in them (whole batches: `sim`)."""

from planetwars_env.codec.actions import carry_out_order, carry_out_turn
from planetwars_env.codec.layout import MAX_ORDERS, Codec
from planetwars_env.codec.observation import write_mask, write_observation, write_static
from planetwars_env.engine.columns import BOARD
from planetwars_env.engine.kernel import kernel
from planetwars_env.engine.state import Board, State
from planetwars_env.engine.visibility import look


@kernel
def write_observations(
    state: State, board: Board, codec: Codec, games, players, orders, scratch, observation, edge_index, mask
):
    """Row i becomes what player ``players[i]`` sees of game ``games[i]`` after ``orders`` orders of this turn."""
    for i in range(games.shape[0]):
        g, player = games[i], players[i]
        write_static(board, codec, state.status[g, BOARD], i, observation, edge_index, mask)
        look(state, board, g, player, scratch[0])
        write_observation(state, board, codec, g, player, orders, i, scratch, observation)
        write_mask(state, board, codec, g, player, i, scratch[0], mask)


@kernel
def write_states(
    state: State, board: Board, codec: Codec, games, players, orders, scratch, observation, edge_index, mask
):
    """Write into row i what player ``players[i]`` would see of game ``games[i]`` without fog."""
    scratch[0] = 1
    for i in range(games.shape[0]):
        g = games[i]
        write_static(board, codec, state.status[g, BOARD], i, observation, edge_index, mask)
        write_observation(state, board, codec, g, players[i], orders, i, scratch, observation)


@kernel
def carry_out(state: State, board: Board, codec: Codec, games, players, actions, seen):
    """The action of row i in game ``games[i]``, as far as it is legal in the observation ``seen[i]``."""
    for i in range(games.shape[0]):
        if codec.sizes[MAX_ORDERS]:
            carry_out_order(state, board, codec, games[i], players[i], actions[i, 0], seen, i)
        else:
            carry_out_turn(state, board, codec, games[i], players[i], actions, i, seen, i)
