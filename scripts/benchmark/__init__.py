"""Baselines of the benchmark, and the check of its leaderboard (docs/benchmark.md)."""
