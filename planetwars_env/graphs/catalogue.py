"""Graphs by name: shipped pools, single shipped graphs, files, and whatever else stands for graphs."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from planetwars_env.graphs.dot import read_dots
from planetwars_env.graphs.generators import GraphGenerator
from planetwars_env.graphs.graph import Graph, GraphError, show
from planetwars_env.names import known_name, suggestion
from planetwars_env.shipped import data_root

# Out of reach of the seeds that people choose, so that no one trains on a graph of the test pool by accident.
_FIRST_SEED = 2**62


@dataclass(frozen=True)
class Pool:
    """``count`` graphs of one generator, with the seeds from ``first_seed`` on."""

    generator: str
    count: int
    first_seed: int
    about: str


POOLS = {
    "train": Pool("classic", 500, _FIRST_SEED, "to learn on"),
    "validation": Pool("classic", 50, _FIRST_SEED + 1000, "to choose between agents while training"),
    "test": Pool("classic", 100, _FIRST_SEED + 2000, "to report results on, never to learn on"),
    "fair": Pool("symmetric", 100, _FIRST_SEED + 3000, "the same for both players"),
    "large": Pool("large", 50, _FIRST_SEED + 4000, "to see how play carries over to larger boards"),
}
NAMED_FILE = "named"  # the file of the named graphs, beside one file a pool

GraphSpec = str | os.PathLike[str] | Graph | GraphGenerator | Iterable["GraphSpec"]


def graph_names() -> tuple[str, ...]:
    """The shipped graphs that have a name of their own; those of a pool are called "test/17"."""
    return tuple(_named())


def load_graph(name: str | os.PathLike[str]) -> Graph:
    """A shipped graph ("rings", "test/17" for number 17, counted from 0) or the one in a .dot file.

    Raises GraphError for an unknown name, listing the known ones, and DotError for a faulty file.
    """
    if isinstance(name, str) and (pool := _canonical(name)) in POOLS:
        last = POOLS[pool].count - 1
        raise GraphError(f"{pool!r} is a whole pool; one of its graphs is '{pool}/0' ... '{pool}/{last}'")
    graph, *others = resolve_graphs(name)
    if others:
        raise GraphError(f"{os.fspath(name)} holds {1 + len(others)} graphs where one is wanted")
    return graph


def load_pool(name: str) -> tuple[Graph, ...]:
    """All graphs of a shipped pool, read once per process. Raises GraphError for an unknown name."""
    known = known_name(name, POOLS)
    if known is None:
        raise GraphError(_unknown(name, "pool"))
    return _read_pool(known)


@cache
def _read_pool(name: str) -> tuple[Graph, ...]:
    return tuple(read_dots(data_root() / f"{name}.dot"))


def resolve_graphs(spec: GraphSpec) -> tuple[Graph, ...]:
    """The graphs that something stands for, at least one.

    ``spec`` is a pool's name, a shipped graph's name, a .dot file, a folder (all its .dot files in order), a Graph, a
    GraphGenerator, or a list of any of those. Raises GraphError, listing the known names.
    """
    graphs = tuple(_graphs(spec))
    if not graphs:
        raise GraphError(f"there are no graphs in {show(spec)}; at least one is needed")
    return graphs


def shipped_pool(graphs: Sequence[Graph]) -> str | None:
    """Return the name of the shipped pool that ``graphs`` are, None for any others."""
    name = "" if isinstance(graphs, GraphGenerator) else graphs[0].name.partition("/")[0]
    return name if name in POOLS and graphs is load_pool(name) else None


@cache
def _named() -> dict[str, Graph]:
    return {graph.name: graph for graph in read_dots(data_root() / f"{NAMED_FILE}.dot")}


def _graphs(spec: object) -> Iterable[Graph]:
    if isinstance(spec, Graph):
        return (spec,)
    if isinstance(spec, str) and (shipped := _shipped(_canonical(spec))) is not None:
        return shipped
    if isinstance(spec, str | os.PathLike):
        return _by_path(os.fspath(spec))
    if isinstance(spec, Iterable) and not isinstance(spec, Mapping | bytes):
        return (graph for item in spec for graph in _graphs(item))
    right = "a name, a path, a Graph, a GraphGenerator or a list of those"
    raise GraphError(f"{show(spec)} does not stand for graphs; give {right}")


def _canonical(name: str) -> str:
    """``name`` as the pool or graph is written that it stands for; paths and unknown names stay as they are."""
    if os.path.exists(name):  # noqa: PTH110 (a name may be too long for Path.exists, such as a whole .dot text)
        return name
    first, slash, rest = name.partition("/")
    known = known_name(first, POOLS if slash else [*POOLS, *graph_names()])
    return name if known is None else known + slash + rest


def _shipped(name: str) -> Iterable[Graph] | None:
    """The graphs of a pool, one of them, or a named graph; None for any other name."""
    pool, _, number = name.partition("/")
    if pool not in POOLS or not re.fullmatch("(/[0-9]{1,9})?", name.removeprefix(pool)):
        return (_named()[name],) if name in _named() else None
    if not number:
        return _read_pool(pool)
    if int(number) >= POOLS[pool].count:
        raise GraphError(
            f"there is no graph {name!r}: pool {pool!r} has '{pool}/0' ... '{pool}/{POOLS[pool].count - 1}'"
        )
    return (_read_pool(pool)[int(number)],)


def _by_path(path: str) -> Iterable[Graph]:
    # Path.is_dir and Path.is_file raise for names that are too long, such as a whole .dot text given by mistake.
    if os.path.isdir(path):  # noqa: PTH112
        files = sorted(Path(path).glob("*.dot"))
        if not files:
            raise GraphError(f"the folder {path!r} holds no .dot file")
        return [graph for file in files for graph in read_dots(file)]
    if os.path.isfile(path):  # noqa: PTH113
        return read_dots(path)
    raise GraphError(_unknown(path, "graph"))


def _unknown(name: str, what: str) -> str:
    """The message for a name that stands for nothing."""
    graphs = graph_names()
    known = f"pools: {', '.join(POOLS)}; graphs: {', '.join(graphs)}, 'test/17' and the like, or a .dot file"
    return f"there is no {what} {show(name)}; {known}{suggestion(name, [*POOLS, *graphs])}"
