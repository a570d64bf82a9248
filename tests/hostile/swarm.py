"""Spins in 24 processes or threads."""

import os
import threading


class Swarm:
    name = "swarm"

    def take_turn(self, view):
        for _ in range(24):
            try:
                if os.fork() == 0:
                    spin()
            except PermissionError:
                threading.Thread(target=spin, daemon=True).start()
        return []


def spin():
    while True:
        pass
