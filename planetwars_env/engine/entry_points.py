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
