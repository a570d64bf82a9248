"""Learning: networks, PPO, agents and their folders, the zoo. The only package that imports torch."""
