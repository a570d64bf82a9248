"""The columns of the arrays in sim/desk.py, and what the numbers in them mean. Nothing outside sim/ knows them."""

# columns of Desk.seat
AGENT, OPPONENT, STAGE, FRESH, ORDERS, GIVEN_BOARD, GIVEN_PLAYER, GIVEN_OPPONENT = range(8)
DRAWN = -1

# values of Desk.seat[g, STAGE]: who is waited for
AGENT_MOVES, BOT_MOVES, OUTSIDER_MOVES, OVER, RESET_DUE = range(5)

# columns of Desk.outcome
WON, TERMINATED, TRUNCATED, AFTER = range(4)
# and where the three groups of numbers begin, each in this order
ON_TURN, WINNER_IS, MY_PLANETS, RIVAL_PLANETS, MY_PEOPLE, RIVAL_PEOPLE, PLAYER_IS, WON_IS = range(8)
GROUP = 8
BEFORE, NOW = AFTER + GROUP, AFTER + 2 * GROUP
OUTCOME_WIDTH = AFTER + 3 * GROUP

# entries of setup, the int64 array that a batch is set up with; the codes of the opponents follow
AUTORESET, COEXISTENT, LAST, PLAYER, OPPONENTS = range(5)
NEXT_STEP, SAME_STEP, DISABLED = range(3)

# rows of the first axis of observation, edge_index and mask
CURRENT, FINAL = range(2)
