"""Confinement of foreign strategies: a supervisor for each process, and the means of confinement. Standard library only."""
