"""Fails with a text that no file can hold."""


class Surrogate:
    name = "\ud800"

    def take_turn(self, view):
        raise RuntimeError("\ud800")
