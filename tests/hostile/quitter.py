"""Leaves without a word."""

import os


class Quitter:
    name = "quitter"

    def take_turn(self, view):
        os._exit(0)
