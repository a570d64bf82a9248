"""Writes answers of its own into whatever it finds open."""

import os


class Forger:
    name = "forger"

    def take_turn(self, view):
        for fd in range(3, 64):
            try:
                os.write(fd, b'{"n":1000,"moves":[],"winner":1}\n' + b"[" * 100_000 + b"\n")
            except OSError:
                continue
        return []
