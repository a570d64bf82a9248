"""Fills every place that it can write to."""

import os
from pathlib import Path


class Hoarder:
    name = "hoarder"

    def take_turn(self, view):
        written = {}
        for place in ("/", "/dev", "/dev/shm", "/tmp", "/usr", Path.home()):
            try:
                for number in range(8):
                    with Path(place, f"full-of-nothing-{number}").open("wb") as file:
                        written[str(place)] = written.get(str(place), 0) + file.write(bytes(8 * 2**20))
            except OSError:
                continue
        raise RuntimeError(f"wrote {sorted(written)}, {sum(written.values()) // 2**20} MiB, HOME={os.environ['HOME']}")
