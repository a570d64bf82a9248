"""Environments of Gymnasium, PettingZoo and Stable-Baselines3: adapters of the batch, without a rule of the game."""
