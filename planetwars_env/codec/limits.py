"""The shapes of observations and actions come from here, never from the graphs drawn, so that a policy carries over."""

from collections.abc import Iterable
from dataclasses import dataclass

from planetwars_env.graphs.generators import GraphGenerator
from planetwars_env.graphs.graph import Graph


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest graph that fits: ``planets``, undirected ``edges``, edges of one planet (``degree``).

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

    @classmethod
    def covering(cls, graphs: Iterable[Graph], horizon: int = 8) -> "Limits":
        """The smallest limits for ``graphs``; those of a `GraphGenerator` hold for every graph that it can make.

        >>> import planetwars_env as pw
        >>> pw.Limits.covering(pw.GraphGenerator("classic", planets=(8, 30)))
        Limits(planets=30, edges=54, degree=13, horizon=8)
        """
        if isinstance(graphs, GraphGenerator):
            return cls(*graphs.largest[:3], horizon)
        sizes = [_sizes(graph).values() for graph in graphs]
        if not sizes:
            raise ValueError("there are no graphs to cover; at least one is needed")
        planets, edges, degree = (max(size) for size in zip(*sizes, strict=True))
        return cls(planets, edges, degree, horizon)

    def check(self, graphs: Iterable[Graph]) -> None:
        """ValueError naming the first graph and the limit that it exceeds; a `GraphGenerator` is checked by its bounds."""
        if isinstance(graphs, GraphGenerator):
            checked = [(f"{graphs!r} makes graphs of up to", graphs.largest._asdict())]
        else:
            checked = [(f"graph {graph.name or '(unnamed)'} has", _sizes(graph)) for graph in graphs]
        for subject, sizes in checked:
            for name in ("planets", "edges", "degree"):
                size, limit = sizes[name], getattr(self, name)
                if size > limit:
                    right = "pass limits=pw.LARGE, or pw.Limits.covering(graphs) where that is not enough"
                    raise ValueError(f"{subject} {name} {size}, the limits allow {limit}: {right}")


def _sizes(graph: Graph) -> dict[str, int]:
    degree = max(graph.degree(planet.id) for planet in graph.planets)
    return {"planets": len(graph.planets), "edges": len(graph.edges), "degree": degree}


TINY = Limits(planets=10, edges=18, degree=9, horizon=8)
CLASSIC = Limits(planets=21, edges=36, degree=13, horizon=8)
LARGE = Limits(planets=60, edges=120, degree=16, horizon=8)

FRACTIONS = (0.02, 0.06, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 1.0)
"""The fractions of a planet's people that can be sent, by default: agents learn better with these than with four
(docs/experiments/fractions.md)."""
