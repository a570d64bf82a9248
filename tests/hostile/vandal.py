"""Fills its folder and leaves it behind in a mess."""

from pathlib import Path


class Vandal:
    name = "vandal"

    def take_turn(self, view):
        for number in range(50):
            folder = Path(f"mess{number}")
            folder.mkdir(exist_ok=True)
            (folder / "file").write_bytes(b"x" * 1000)
            folder.chmod(0)
        with Path("big").open("wb") as file:
            file.write(bytes(64 * 2**20))
        return []
