"""Faces of the batch: Gymnasium, vector and Stable-Baselines3 environments. Each translates, none decides."""
