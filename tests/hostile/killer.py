"""Kills its own process group."""

import os
import signal


class Killer:
    name = "killer"

    def take_turn(self, view):
        os.killpg(0, signal.SIGKILL)
