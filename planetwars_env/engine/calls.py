"""The engine as Python calls it, one game at a time (`planetwars_env.game`); whole batches have their own kernel (`sim`)."""

from planetwars_env.engine import random, state, turn, view
from planetwars_env.engine.kernel import kernel

place = kernel(state.place)
send = kernel(turn.send)
end_turn = kernel(turn.end_turn)
count = kernel(turn.count)
look = kernel(view.look)
copy_game = kernel(state.copy_game)
draw = kernel(random.below)
