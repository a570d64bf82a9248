"""Drawings: they show, and decide nothing."""
