"""The engine as Python calls it, one game at a time (`planetwars_env.game`); whole batches have their own kernel (`sim`)."""

from planetwars_env.engine import flights, random, state, turn, visibility
from planetwars_env.engine.kernel import kernel

place = kernel(state.place)
send = kernel(turn.send)
end_turn = kernel(turn.end_turn)
count = kernel(turn.count)
put_in_flight = kernel(flights.put_in_flight)
list_launched = kernel(flights.list_launched)
look = kernel(visibility.look)
copy_game = kernel(state.copy_game)
draw = kernel(random.below)


@kernel
def copy_to_rows(games, source, rows):
    """Copy game ``source`` of a `State` to ``rows`` [n]."""
    for i in range(rows.shape[0]):
        state.copy_game(games, source, games, rows[i])


@kernel
def end_turns(games, board, rows):
    """End the turn in ``rows`` [n] of the `State` ``games``."""
    for i in range(rows.shape[0]):
        turn.end_turn(games, board, rows[i])
