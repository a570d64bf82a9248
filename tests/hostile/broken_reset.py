"""Fails before its first turn."""


class BrokenReset:
    name = "broken reset"

    def reset(self, graph, player, rules, seed):
        raise RuntimeError("this reset is broken on purpose")

    def take_turn(self, view):
        return []
