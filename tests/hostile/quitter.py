"""Leaves without a word."""

import os


class Quitter:
    name = "quitter"
    compete = True

    def take_turn(self, view):
        os._exit(0)
