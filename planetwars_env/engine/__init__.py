"""The rules of the game as compiled kernels over plain arrays (docs/rules.md); no Gymnasium, files, text or torch."""
