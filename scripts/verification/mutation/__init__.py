"""Mutation testing (scripts/verification/mutants.py): small changes to the code that some test should notice."""
