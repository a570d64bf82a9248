"""Starts twenty children, half of them in sessions of their own, or else threads, and then never answers."""

import os
import threading
import time


class Family:
    name = "family"

    def take_turn(self, view):
        for number in range(20):
            try:
                if os.fork() == 0:
                    if number % 2:
                        os.setsid()
                    time.sleep(3600)
                    os._exit(0)
            except PermissionError:
                threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
        time.sleep(3600)
        return []
