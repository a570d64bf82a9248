"""Starts twenty children, half of them in sessions of their own, and then never answers."""

import os
import time


class Family:
    name = "family"
    compete = True

    def take_turn(self, view):
        for number in range(20):
            if os.fork() == 0:
                if number % 2:
                    os.setsid()
                time.sleep(3600)
                os._exit(0)
        time.sleep(3600)
        return []
