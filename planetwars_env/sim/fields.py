"""The columns of the arrays in sim/buffers.py, and what the numbers in them mean. Nothing outside sim/ knows them."""

# columns of StepBuffers.control
AGENT_PLAYER, OPPONENT_INDEX, STAGE, FRESH, ORDERS, NEXT_BOARD, NEXT_PLAYER, NEXT_OPPONENT = range(8)
# and which table of thresholds opponents and graphs are drawn by; 0: all alike
OPPONENT_TABLE, GRAPH_TABLE = 8, 9
CONTROL_WIDTH = 10
# value of the three that begin with NEXT: chosen by the game's random number generator
DRAWN = -1

# values of StepBuffers.control[g, STAGE]: who moves next
AGENT_MOVES, BOT_MOVES, EXTERNAL_MOVES, GAME_OVER, RESET_DUE = range(5)
# and: the next game is on the board in column ORDERS, which is not made yet (graphs/board.py)
BOARD_WANTED = 5
# and: a game was put into the row, which is to be shown
GAME_SET = 6

# columns of StepBuffers.result
WON, TERMINATED, TRUNCATED, SHOWN = range(4)
# and of the three groups of numbers, the first at SHOWN, each in this order
INFO_TURN, INFO_WINNER, INFO_MY_PLANETS, INFO_OPPONENT_PLANETS, INFO_MY_PEOPLE, INFO_OPPONENT_PEOPLE = range(6)
INFO_PLAYER, INFO_WON, INFO_OPPONENT, INFO_GRAPH = range(6, 10)
GROUP = 10
AFTER, BEFORE = SHOWN + GROUP, SHOWN + 2 * GROUP
RESULT_WIDTH = SHOWN + 3 * GROUP

# entries of the int64 array that a batch is set up with; the codes of the opponents follow, the tables by which they
# are drawn, and from GRAPH_TABLES on those by which graphs are drawn (`DrawWeights` in sim/batch.py)
AUTORESET, COEXISTENT, LAST_TURN, FIXED_PLAYER, OPPONENTS, GRAPH_TABLES, FIRST_OPPONENT = range(7)
NEXT_STEP, SAME_STEP, DISABLED = range(3)

# thresholds of those tables are whole numbers up to this one
SCALE = 2**30

# rows of the first axis of observation, edge_index and mask
CURRENT, FINAL, CURRENT_STATE, FINAL_STATE = range(4)
# the last two of the observations only, and only where the setup is privileged: the same two times without fog
