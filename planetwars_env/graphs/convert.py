"""Graphs to and from networkx, for analysis and for drawing with its tools."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

from planetwars_env.graphs.graph import Edge, Graph, GraphError, Planet, show

if TYPE_CHECKING:
    import networkx


def to_networkx(graph: Graph) -> networkx.Graph:
    """A networkx.Graph: planet ids as nodes, the planets' and edges' fields as attributes, the name as graph attribute.

    Raises ImportError where networkx is not installed.
    """
    result = _networkx().Graph(name=graph.name)
    for planet in graph.planets:
        fields = {key: getattr(planet, key) for key in Planet.__slots__ if key != "id"}
        result.add_node(planet.id, **fields)
    result.add_weighted_edges_from((edge.a, edge.b, edge.weight) for edge in graph.edges)
    return result


def from_networkx(source: networkx.Graph) -> Graph:
    """The inverse: nodes need ``habitability`` and ``size`` (x, y and base may be missing), edges ``weight``.

    Other attributes are passed over. Raises GraphError, also for directed graphs and multigraphs.
    """
    if source.is_directed() or source.is_multigraph():
        raise GraphError("planets are joined by an undirected graph without parallel edges: pass a networkx.Graph")
    planets = [_planet(node, fields) for node, fields in source.nodes(data=True)]
    edges = [
        Edge(a, b, _needed(fields, "weight", f"edge {show(a)} -- {show(b)}"))
        for a, b, fields in source.edges(data=True)
    ]
    return Graph(source.name, planets, edges)


def _planet(node: Any, fields: dict[str, Any]) -> Planet:
    where = f"planet {show(node)}"
    habitability, size = (_needed(fields, key, where) for key in ("habitability", "size"))
    return Planet(node, habitability, size, fields.get("x", 0.0), fields.get("y", 0.0), fields.get("base", 0))


def _needed(fields: dict[str, Any], key: str, where: str) -> Any:
    if key not in fields:
        raise GraphError(f"{where} has no attribute {key!r}")
    return fields[key]


def _networkx() -> ModuleType:
    try:
        import networkx
    except ImportError:
        raise ImportError("this needs networkx: pip install networkx") from None
    return networkx
