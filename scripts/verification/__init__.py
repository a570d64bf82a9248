"""Verification: long random play against an independent implementation of the rules (soak), mutants, kill tests."""
