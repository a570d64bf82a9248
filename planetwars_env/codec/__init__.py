"""Observations, actions, masks and rewards: how a view becomes tensors and actions become moves."""
