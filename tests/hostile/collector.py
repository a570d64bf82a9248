"""Keeps a note of its games wherever one might last: on disk, in shared memory, in a daemon that outlives a game."""

import contextlib
import mmap
import os
import time
from pathlib import Path

SHARED = mmap.mmap(-1, 4096)


class Collector:
    name = "collector"

    def reset(self, graph, player, rules, seed):
        self.found = []
        if SHARED[0]:
            self.found.append("shared memory")
        SHARED[0] = 1
        for place in (Path(), Path.home(), Path(os.environ["TMPDIR"])):
            if (place / "note").exists():
                self.found.append(f"a note in {place}")
        (Path.home() / "note").touch()
        with contextlib.suppress(PermissionError):
            if os.fork() == 0:
                os.setsid()
                time.sleep(600)
                os._exit(0)

    def take_turn(self, view):
        raise RuntimeError(f"found {sorted(self.found)}")
