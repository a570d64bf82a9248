"""Mutation testing (scripts/verification/mutants.py): small changes to the code, each of which some test should notice."""
