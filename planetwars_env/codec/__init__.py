"""Taste, not rules: how a view becomes tensors, how actions become moves, what a reward is."""
