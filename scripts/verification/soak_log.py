"""Log of a soak: one line of JSON per stretch, to resume from; faults as files."""

import json
import platform
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numba
import numpy as np

from planetwars_env.engine.kernel_cache import cache_folder
from planetwars_env.engine.sources import fingerprint_of_files
from planetwars_env.files import write_atomically
from planetwars_env.shipped import PACKAGE_VERSION
from scripts.verification.stretch import Outcome

SCHEMA = 1


class Log:
    """The outcomes in ``folder``/log.jsonl. ValueError where another version of the sources wrote it, or it is not a log.

    ``size``: of the stretches. A last line that was cut off when the program was killed is left aside.
    """

    def __init__(self, folder: Path, size: float) -> None:
        self.folder, self._size = folder, size
        self._path = folder / "log.jsonl"
        self.outcomes: dict[int, Outcome] = {}
        folder.mkdir(parents=True, exist_ok=True)
        lines = self._path.read_text(encoding="utf-8").split("\n") if self._path.exists() else [""]
        whole = lines[:-1]  # what follows the last line break was never finished
        if not whole:
            self._rewrite([json.dumps(self._head())])
            return
        self._read(whole)
        if lines[-1]:
            self._rewrite(whole)

    def add(self, outcome: Outcome) -> None:
        """One stretch more; a fault gets a file of its own, too."""
        self.outcomes[outcome.number] = outcome
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**asdict(outcome), "fault": bool(outcome.fault)}) + "\n")
        if outcome.fault:
            path = self.fault_path(outcome.number)
            report = {**self._head(), "stretch": outcome.number, "options": outcome.options, **outcome.fault}
            report["to reproduce"] = f"python -m scripts.verification.soak --replay {path}"
            write_atomically(path, (json.dumps(report, indent=1) + "\n").encode())

    def fault_path(self, number: int) -> Path:
        """The file of a stretch's fault."""
        return self.folder / f"fault-{number}.json"

    @property
    def turns(self) -> int:
        """Turns played so far."""
        return sum(outcome.tally["turns"] for outcome in self.outcomes.values())

    @property
    def faults(self) -> list[int]:
        """The numbers of the stretches that went wrong."""
        return sorted(number for number, outcome in self.outcomes.items() if outcome.fault)

    def summary(self) -> str:
        """All stretches in a few lines."""
        outcomes = self.outcomes.values()
        tally = Counter[str]()
        played: dict[str, Counter[str]] = {key: Counter() for key in ("rules", "actions", "boards", "autoreset")}
        for outcome in outcomes:
            tally.update(outcome.tally)
            for key, counter in played.items():
                counter[_short(key, outcome.options[key])] += outcome.tally["turns"]
        seconds = sum(outcome.seconds for outcome in outcomes)
        lines = [
            f"{tally['turns']:,} turns of {tally['games']:,} games in {len(outcomes):,} stretches, {seconds:,.0f} seconds "
            f"of one process; faults: {len(self.faults)}",
            f"won by player 1 {tally['won_by_1']:,}, by player 2 {tally['won_by_2']:,}, drawn {tally['drawn']:,}, "
            f"cut off {tally['cut_off']:,}; shuttles launched: {tally['launches']:,}",
            f"people born {tally['born']:,}, lost in landings {tally['fallen']:,}, by shrinking {tally['shrunk']:,} "
            "(games that ended)",
            f"hidden parts of positions rewritten: {tally['rewritten']:,}; games played again alone, and batches copied: "
            f"{len(outcomes):,}",
        ]
        for key, counter in played.items():
            shares = ", ".join(f"{name} {turns:,}" for name, turns in counter.most_common())
            lines.append(f"turns by {key}: {shares}")
        return "\n".join(lines)

    def _head(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "package": PACKAGE_VERSION,
            "kernels": Path(cache_folder() or "unknown").name,
            "audit": fingerprint_of_files(sorted(Path(__file__).parent.glob("*.py"))),
            "numpy": np.__version__,
            "numba": numba.__version__,
            "python": platform.python_version(),
            "size": self._size,
        }

    def _rewrite(self, lines: list[str]) -> None:
        write_atomically(self._path, "".join(f"{line}\n" for line in lines).encode())

    def _read(self, lines: list[str]) -> None:
        try:
            head, *rows = [json.loads(line) for line in lines]
            outcomes = [Outcome(**{**row, "fault": {} if row["fault"] else None}) for row in rows]
        except (ValueError, TypeError, KeyError):
            raise ValueError(f"{self._path} is not the log of a soak: choose another folder with --out") from None
        if head != self._head():
            raise ValueError(
                f"{self._path} was written by other sources, libraries or with another --size: choose another folder with "
                "--out, or delete it"
            )
        self.outcomes = {outcome.number: outcome for outcome in outcomes}


def _short(key: str, value: Any) -> str:
    """The kind of boards without their number, actions without that of the orders."""
    return value.split(" ", 1)[1] if key == "boards" else value.split(",")[0]
