"""Matches between any two players, evaluations and tournaments."""
