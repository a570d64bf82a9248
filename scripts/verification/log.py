"""Log of a long program: one line of JSON for each thing that was done, so that an interrupted run continues."""

import json
from pathlib import Path
from typing import Any

from planetwars_env.files import write_atomically


class Log:
    """Lines of the file at ``path``: ``head``, then ``rows``. A last line that was cut off by a kill is removed.

    ValueError where the file is not such a log, or has another head: other sources or options wrote it.
    """

    def __init__(self, path: Path, head: dict[str, Any]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
        try:
            found, *self.rows = [json.loads(line) for line in lines] or [head]
        except ValueError:
            raise ValueError(f"{path} is not the log of this program: choose another folder with --out") from None
        if found != head:
            raise ValueError(
                f"{path} was written by other sources, libraries or with other options: choose another folder with "
                "--out, or delete it"
            )
        write_atomically(path, "".join(f"{json.dumps(line)}\n" for line in [head, *self.rows]).encode())

    def add(self, row: dict[str, Any]) -> None:
        """Keep one row more."""
        self.rows.append(row)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(row)}\n")
