"""Boards: the validated Graph, its text form, generators, and the shipped pools."""

from planetwars_env.graphs.catalogue import GraphSpec, graph_names, load_graph, load_pool, pool_names, resolve_graphs
from planetwars_env.graphs.convert import from_networkx, to_networkx
from planetwars_env.graphs.disturb import disturbed
from planetwars_env.graphs.dot import DotError, parse_dot, parse_dots, read_dot, read_dots, save_dot, write_dot
from planetwars_env.graphs.generators import GraphGenerator, generate_graph, mirror
from planetwars_env.graphs.graph import Edge, Graph, GraphError, Planet

__all__ = [
    "DotError",
    "Edge",
    "Graph",
    "GraphError",
    "GraphGenerator",
    "GraphSpec",
    "Planet",
    "disturbed",
    "from_networkx",
    "generate_graph",
    "graph_names",
    "load_graph",
    "load_pool",
    "mirror",
    "parse_dot",
    "parse_dots",
    "pool_names",
    "read_dot",
    "read_dots",
    "resolve_graphs",
    "save_dot",
    "to_networkx",
    "write_dot",
]
