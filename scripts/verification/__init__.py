"""Verification: long random play against a second reading of the rules (soak), and mutation tests (mutants)."""
