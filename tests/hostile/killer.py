"""Kills its own process group."""

import os
import signal


class Killer:
    name = "killer"
    compete = True

    def take_turn(self, view):
        os.killpg(0, signal.SIGKILL)
