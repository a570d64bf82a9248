"""Grading scheme: the opponents with their points, what counts as beaten, the games and the limits, from a YAML file."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from math import isfinite
from pathlib import Path
from typing import Any

from planetwars_env.arena.isolation import ResourceLimits
from planetwars_env.engine.rules import Rules
from planetwars_env.envs.arguments import resolve_rules
from planetwars_env.graphs.graph import show
from planetwars_env.settings import ConfigError, checked_settings, read_settings

SCHEMES = Path(__file__).resolve().parent / "schemes"
_BOUNDS = {
    "threshold": (0, 1), "most_points": (0, None), "games": (2, 100_000), "max_turns": (1, 100_000), "seconds": (0.01, 3_600),
    "memory": (256, 2**20),
}  # fmt: skip


@dataclass(frozen=True)
class GradingScheme:
    """Grading scheme; the defaults are the course's. schemes/course.yaml explains every value.

    ``graphs``: also graphs themselves, a list of them or a generator; ``rules``: also `Rules`.
    """

    opponents: Mapping[str, float] = field(default_factory=lambda: {"random": 30, "ai1": 10, "ai2": 10, "ai3": 10})
    threshold: float = 0.70
    most_points: int | None = 50
    games: int = 100
    graphs: Any = "test"
    rules: Any = "PLANETWARS"
    max_turns: int | None = None
    seed: int | None = None
    disturb: bool = True
    seconds: float = 1.0
    memory: int = 2048

    @property
    def total(self) -> float:
        """The most points that can be reached."""
        together = sum(self.opponents.values())
        return together if self.most_points is None else min(self.most_points, together)

    @property
    def chosen_rules(self) -> Rules:
        """The rules; ValueError for an unknown name."""
        return resolve_rules(self.rules)

    def limits(self, unsafe: bool) -> ResourceLimits:
        """Return the limits of strategies from files."""
        return ResourceLimits(turn=self.seconds, memory=self.memory * 2**20, unsafe=unsafe)

    def to_dict(self) -> dict[str, Any]:
        """Return the values for JSON, names of graphs and rules as texts."""
        return {**asdict(self), "graphs": str(self.graphs), "rules": self.chosen_rules.name}


def load_scheme(name: str | Path = "course") -> GradingScheme:
    """Load a shipped scheme by name or a YAML file by path; ConfigError names the file, the key and what would be right."""
    path, data = read_settings(name, SCHEMES)
    try:
        course, opponents = GradingScheme(), dict[str, Any]()
        if isinstance(data, dict) and "opponents" in data:
            opponents["opponents"] = _checked_opponents(data.pop("opponents"))
        known = {one.name: getattr(course, one.name) for one in fields(course)}
        # "most_points" may also be null
        settings = checked_settings("the scheme", known | {"opponents": None, "most_points": None}, data, _BOUNDS)
        scheme = GradingScheme(**settings | opponents)
        if scheme.games % 2:
            raise ConfigError(
                f"the scheme: games must be an even number, half of them as either player, not {scheme.games}"
            )
        scheme.chosen_rules  # noqa: B018 (an unknown name is an error)
        return scheme
    except ValueError as fault:
        raise ConfigError(f"{path}: {fault}") from None


def _checked_opponents(value: Any) -> dict[str, float]:
    if not isinstance(value, dict) or not value:
        raise ConfigError(
            "the scheme: opponents must be a mapping from names to points, for example {random: 30, ai1: 10}, "
            f"not {show(value)}"
        )
    for name, points in value.items():
        if not isinstance(name, str):
            raise ConfigError(f"the scheme: opponents: {show(name)} must be the name of a player, a text")
        if isinstance(points, bool) or not isinstance(points, int | float) or not isfinite(points) or points < 0:
            raise ConfigError(f"the scheme: opponents: {name} must be a number of points from 0, not {show(points)}")
    return value
