"""Column numbers of the engine's arrays (engine/state.py), and the values that some of the columns hold."""

# columns of Board.info
PLANETS, EDGES, BASE_1, BASE_2 = range(4)
# rows of Board.planets
SIZE, HABITABILITY = range(2)
# rows of Board.edges
SOURCE, TARGET, TURNS, WEIGHT, REVERSE = range(5)
# columns of State.status
TURN, PHASE, WINNER, LIMIT, COEXISTENCE, BOARD, OWNED_1, OWNED_2 = range(8)
# columns of State.totals
PEOPLE_1, PEOPLE_2, FLYING_1, FLYING_2 = range(4)
# values of State.status[g, PHASE]
RUNNING, ENDED, CUT_OFF = range(3)
# value of State.status[g, LIMIT]: a turn that never comes
NO_LIMIT = -1
