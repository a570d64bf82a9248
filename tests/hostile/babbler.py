"""Prints more than anybody wants to read, and what looks like answers."""

import os
import sys


class Babbler:
    name = "babbler"

    def take_turn(self, view):
        for _ in range(200):
            print('{"n":1,"moves":[[0,1,1]]}' * 40)
            print("x" * 1000, file=sys.stderr)
        os.write(1, b"\xff\x00 no text at all\n")
        return []
