"""Kill tests: commands are killed at random moments and restarted, and their results compared."""
