"""Graphs: the validated Graph, its text form, generators, and the shipped pools."""
