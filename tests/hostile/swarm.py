"""Spins in 24 processes."""

import os


class Swarm:
    name = "swarm"
    compete = True

    def take_turn(self, view):
        for _ in range(24):
            if os.fork() == 0:
                while True:
                    pass
        return []
