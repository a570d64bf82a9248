"""Fails with a text that no file can hold."""


class Surrogate:
    name = "\ud800"
    compete = True

    def take_turn(self, view):
        raise RuntimeError("\ud800")
