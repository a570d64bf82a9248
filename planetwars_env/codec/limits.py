"""The shapes of observations and actions come from here, never from the graphs drawn, so that a policy carries over."""

from collections.abc import Iterable
from dataclasses import dataclass

from planetwars_env.graphs.graph import Graph


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest board that fits: ``planets``, undirected ``edges``, edges of one planet (``degree``).

    ``horizon``: turns ahead for which arrivals are told apart; later ones share the last bin. ValueError below 2 planets
    or 1 of anything else.
    """

    planets: int
    edges: int
    degree: int
    horizon: int

    def __post_init__(self) -> None:
        for name, least in (("planets", 2), ("edges", 1), ("degree", 1), ("horizon", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"limits: {name} must be at least {least}, not {getattr(self, name)}")

    def check(self, graphs: Iterable[Graph]) -> None:
        """ValueError naming the first graph and the limit that it exceeds."""
        for graph in graphs:
            degree = max(graph.degree(planet.id) for planet in graph.planets)
            for name, found in (("planets", len(graph.planets)), ("edges", len(graph.edges)), ("degree", degree)):
                if found > getattr(self, name):
                    raise ValueError(
                        f"graph {graph.name or '(unnamed)'} has {name} {found}, the limits allow {getattr(self, name)}: "
                        f"pass limits=pw.LARGE or pw.Limits({name}={found}, ...)"
                    )


FRACTIONS = (0.02, 0.06, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 1.0)
"""The shares of a planet's people that can be sent unless told otherwise: agents learn more with them than with quarters
(docs/experiments/fractions.md)."""
CLASSIC = Limits(planets=21, edges=36, degree=13, horizon=8)
LARGE = Limits(planets=60, edges=120, degree=16, horizon=8)

FRACTIONS = (0.02, 0.06, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 1.0)
"""The fractions of a planet's people that can be sent, by default: agents learn better with these than with four
(docs/experiments/fractions.md)."""
