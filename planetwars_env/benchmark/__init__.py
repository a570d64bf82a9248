"""Benchmark of the package: `planetwars benchmark`. The modules of tables are listed in run.py."""
