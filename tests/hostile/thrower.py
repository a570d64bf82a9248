"""Fails on every turn."""


class Thrower:
    name = "thrower"

    def take_turn(self, view):
        raise ValueError("this turn is broken on purpose")
