"""Reads what is none of its business, and complains where it cannot: the test sets its own secret beside it."""

import contextlib
from pathlib import Path


class Burglar:
    name = "burglar"

    def take_turn(self, view):
        found = []
        for path in (Path(__file__).parent / "secret.txt", Path("/etc/passwd")):
            with contextlib.suppress(OSError):
                path.read_bytes()
                found.append(str(path))
        raise RuntimeError(f"read {found}")
