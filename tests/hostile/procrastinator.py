"""Thinks longer than it may, and lets no exception end that."""

import time


class Procrastinator:
    name = "procrastinator"

    def take_turn(self, view):
        end = time.process_time() + 0.5
        while time.process_time() < end:
            try:
                while time.process_time() < end:
                    pass
            except BaseException:
                continue
        return []
