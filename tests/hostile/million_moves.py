"""Answers with a million moves."""

from planetwars_env.view import Move


class Flood:
    name = "flood"

    def take_turn(self, view):
        return (Move(0, 1, 1) for _ in range(1_000_000))
