"""Outcomes of mutants: one line each, so that an interrupted run resumes, and their summary."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from planetwars_env.arena.results import wilson
from scripts.verification.mutation.mutations import Mutant, difference
from scripts.verification.mutation.trial import Verdict


class Candidate(NamedTuple):
    """A mutant with the file as it is and as it would be."""

    mutant: Mutant
    source: str
    text: str

    @property
    def key(self) -> str:
        """The same for the same change to the same file, whatever became of others."""
        return hashlib.sha256(f"{self.mutant.path}\n{self.text}".encode()).hexdigest()[:24]


class Outcomes:
    """The file of outcomes in a folder; a line cut off by a kill is left out and tried again."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / "outcomes.jsonl"
        self.known: dict[str, dict[str, Any]] = {}
        for line in self._path.read_text(encoding="utf-8").splitlines() if self._path.is_file() else []:
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            self.known[entry["key"]] = entry

    def add(self, candidate: Candidate, verdict: Verdict) -> None:
        """Keep what became of a mutant."""
        mutant = candidate.mutant
        entry = {"key": candidate.key, **mutant._asdict(), **verdict._asdict()}
        entry["diff"] = difference(candidate.source, candidate.text, mutant.path)
        self.known[candidate.key] = entry
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"\n{json.dumps(entry)}")


def summary(entries: Iterable[dict[str, Any]]) -> str:
    """A table of the shares killed by folder with their 95 % intervals, and how they were."""
    by_part: dict[str, list[str]] = {}
    for entry in entries:
        for part in (_part(entry["path"]), "all"):
            by_part.setdefault(part, []).append(entry["outcome"])
    ways = ("killed", "unusable", "timeout", "crash", "survived")
    lines = ["| part | mutants | noticed, 95 % interval | " + " | ".join(ways) + " |", "|---" * (3 + len(ways)) + "|"]
    for part in sorted(by_part, key=lambda name: (name == "all", name)):
        found = by_part[part]
        lines.append(
            f"| {part} | {len(found)} | {share(found)} | " + " | ".join(str(found.count(way)) for way in ways) + " |"
        )
    return "\n".join(lines)


def share(outcomes: list[str]) -> str:
    """The share that was noticed, as text."""
    noticed = len(outcomes) - outcomes.count("survived")
    low, high = wilson(noticed, len(outcomes))
    return f"{100 * noticed / len(outcomes):.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def _part(path: str) -> str:
    return path.split("/")[1]
