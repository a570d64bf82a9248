"""Spins in seven processes or threads, during its turn and after it, and answers at once."""

import os
import threading


class Spinner:
    name = "spinner"

    def reset(self, graph, player, rules, seed):
        for _ in range(7):
            try:
                if os.fork() == 0:
                    os.setsid()
                    spin()
            except PermissionError:
                threading.Thread(target=spin, daemon=True).start()

    def take_turn(self, view):
        return []


def spin():
    while True:
        pass
