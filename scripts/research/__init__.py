"""Research: studies, speed, the win matrix of the bots, sides that nobody wins, exact exploitability on tiny graphs."""
