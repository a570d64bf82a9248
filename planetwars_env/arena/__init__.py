"""Games between any two players: evaluations, tournaments, grading, and the isolation of strategies."""
