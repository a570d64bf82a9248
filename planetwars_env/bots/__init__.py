"""Players: the protocols of strategies, the built-in bots as compiled kernels, and the catalogue of names."""
