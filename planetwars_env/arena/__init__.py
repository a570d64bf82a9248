"""Who wins: matches between any two players, and what many of them show."""
