"""Research: studies, the win matrix of the bots, sides that nobody wins, and timings of tournaments."""
