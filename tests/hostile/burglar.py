"""Reads what is none of its business, and complains where it cannot: the test sets its own secret beside it."""

from pathlib import Path


class Burglar:
    name = "burglar"
    compete = True

    def take_turn(self, view):
        found = [str(path) for path in (Path(__file__).parent / "secret.txt", Path("/etc/passwd")) if path.exists()]
        raise RuntimeError(f"read {found}")
