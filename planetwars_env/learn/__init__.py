"""Learning: networks, agents and their folders, training with Stable-Baselines3, evaluation. Only here is torch imported."""
