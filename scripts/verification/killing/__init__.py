"""Commands that are killed at random moments: which, how, and what became of them."""
