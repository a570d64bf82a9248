"""Spins in seven processes, during its turn and after it, and answers at once."""

import os


class Spinner:
    name = "spinner"
    compete = True

    def reset(self, graph, player, rules, seed):
        for _ in range(7):
            if os.fork() == 0:
                os.setsid()
                while True:
                    pass

    def take_turn(self, view):
        return []
