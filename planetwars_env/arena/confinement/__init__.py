"""Confinement of strategies: a supervisor per process, namespaces and temporary folders. Standard library only."""
