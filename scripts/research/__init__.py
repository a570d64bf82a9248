"""Research: studies, the win matrix of the bots, sides of graphs that nobody wins, and how long tournaments take."""
