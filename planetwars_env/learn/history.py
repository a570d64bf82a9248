"""History of a training run: the measurements behind its learning curve."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from planetwars_env.arena.results import Result
from planetwars_env.files import read_json, write_atomically

Value = TypeVar("Value")
HISTORY = "history.json"
CURVE = "learning_curve.png"


@dataclass(repr=False)
class History:
    """Measurements of a run, as rows.

    ``training``: {steps, seconds, games, win_rate} per update. ``validation``: per evaluation and opponent its steps and an
    entry of results JSON for the most probable actions, and another such entry under "sampled" for sampled actions.
    """

    training: list[dict[str, Any]] = field(default_factory=list)
    validation: list[dict[str, Any]] = field(default_factory=list)

    def __repr__(self) -> str:
        last = f", the last at {self.training[-1]['steps']:,} steps" if self.training else ""
        return f"History({len(self.training)} updates{last}; {len(self.validation)} measurements)"

    def trained(self, steps: int, seconds: float, games: int, win_rate: float | None) -> None:
        """Add a row to ``training``."""
        self.training.append(
            {"steps": steps, "seconds": round(seconds, 1), "games": games, "win_rate": win_rate and round(win_rate, 4)}
        )

    def validated(self, steps: int, mode: list[Result], sampled: list[Result]) -> None:
        """Add an evaluation: results of the most probable actions and of sampled actions."""
        for result, other in zip(mode, sampled, strict=True):
            self.validation.append({"steps": steps, **result.to_dict(), "sampled": other.to_dict()})

    def up_to(self, steps: int) -> "History":
        """Return the history without the rows after ``steps``."""
        return History(*([row for row in rows if row["steps"] <= steps] for rows in (self.training, self.validation)))

    def curves(self) -> dict[str, list[tuple[int, float]]]:
        """Return win rates over steps: in training, and on the validation graphs against each opponent."""
        curves = {
            "training games": [(row["steps"], row["win_rate"]) for row in self.training if row["win_rate"] is not None]
        }
        return {**curves, **self._by_opponent(lambda row: (row["steps"], row["win_rate"]))}

    def sampled_curves(self) -> dict[str, list[tuple[int, float]]]:
        """Return the win rates of sampled actions, under the names of `curves`."""
        return self._by_opponent(lambda row: (row["steps"], row["sampled"]["win_rate"]))

    def intervals(self) -> dict[str, list[tuple[float, float]]]:
        """Return the 95 % intervals of the win rates on the validation graphs, under the names of `curves`."""
        return self._by_opponent(lambda row: (row["ci_low"], row["ci_high"]))

    def _by_opponent(self, value: Callable[[dict[str, Any]], Value]) -> dict[str, list[Value]]:
        found: dict[str, list[Value]] = {}
        for row in self.validation:
            found.setdefault(f"against {row['opponent']}", []).append(value(row))
        return found

    @classmethod
    def load(cls, folder: Path) -> "History":
        """Read history.json of a run's folder; OSError or ValueError where it is missing or damaged."""
        return cls(**read_json(folder / HISTORY))

    def save(self, folder: Path, title: str = "") -> None:
        """Write history.json; with a ``title`` the learning curve too."""
        write_atomically(folder / HISTORY, json.dumps(vars(self), indent=1).encode())
        if title:
            from planetwars_env.render.plots import save_curves

            save_curves(folder / CURVE, title, self.curves(), self.sampled_curves(), self.intervals())
