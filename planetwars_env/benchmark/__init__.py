"""What `planetwars benchmark` measures: one module a table, each with a function ``table(plan)``."""
