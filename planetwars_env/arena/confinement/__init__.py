"""The jail of foreign strategies: a supervisor for each process, and what confines it. Standard library only."""
