"""Research: speed, costs of search, the win matrix of the bots, sides that nobody wins, win probability, how agents play."""
