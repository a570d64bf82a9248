"""Shipped graphs (graphs/): the pools, the generator of each, and the named graphs, drawn by hand."""

from __future__ import annotations

from dataclasses import dataclass

from planetwars_env.graphs.dot import write_dot
from planetwars_env.graphs.generators import generate_graph
from planetwars_env.graphs.graph import Edge, Graph, Planet

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


def file_names() -> list[str]:
    """The names of the shipped files, without their ending."""
    return [*POOLS, NAMED_FILE]


def file_text(name: str) -> str:
    """The whole text of ``graphs/<name>.dot``, made from nothing: the same every time."""
    if name == NAMED_FILE:
        return _text("named: small boards drawn by hand", named_graphs())
    pool = POOLS[name]
    boards = [generate_graph(pool.generator, pool.first_seed + i) for i in range(pool.count)]
    named = [Graph(f"{name}/{i}", board.planets, board.edges) for i, board in enumerate(boards)]
    return _text(f"{name}: {pool.count} {pool.generator} boards, {pool.about}", named)


def named_graphs() -> list[Graph]:
    """The small graphs ``duel``, ``line``, ``k4`` and ``rings``; on each the players are in the same position."""
    # 1 -- 2
    duel = Graph("duel", [Planet(1, 5, 200, 1.0, 1.0, 1), Planet(2, 5, 200, 4.0, 1.0, 2)], [Edge(1, 2, 3)])
    # 1 -- 2 -- 3 -- 4 -- 5
    sizes = [200, 150, 400, 150, 200]
    row = [Planet(i + 1, 5, size, 1.0 + 2 * i, 1.0, {0: 1, 4: 2}.get(i, 0)) for i, size in enumerate(sizes)]
    line = Graph("line", row, [Edge(i, i + 1, 2) for i in range(1, 5)])
    # Four planets, each joined to every other one; the bases at opposite corners.
    corners = [(1.0, 1.0, 1), (5.0, 1.0, 0), (1.0, 5.0, 0), (5.0, 5.0, 2)]
    square = [Planet(i, 5, 250, x, y, base) for i, (x, y, base) in enumerate(corners, 1)]
    pairs = [(a, b) for a in range(1, 5) for b in range(a + 1, 5)]
    k4 = Graph("k4", square, [Edge(a, b, {(1, 4): 5, (2, 3): 5}.get((a, b), 3)) for a, b in pairs])
    # Two rings of four, each with a base at its far end, joined by a bridge.
    # 1 - 2     5 - 6
    # |   |   / |   |
    # 3 - 4 -   7 - 8
    places = [(1.0, 4.0), (3.0, 4.0), (1.0, 2.0), (3.0, 2.0)]
    kinds = [(5, 250), (3, 300), (8, 150), (4, 400)]
    left = [Planet(i + 1, *kinds[i], *places[i], 1 if i == 0 else 0) for i in range(4)]
    right = [Planet(9 - p.id, p.habitability, p.size, 10.0 - p.x, 6.0 - p.y, 2 if p.base else 0) for p in left]
    ring = [Edge(1, 2, 2), Edge(1, 3, 3), Edge(2, 4, 4), Edge(3, 4, 2)]
    image = [Edge(9 - edge.a, 9 - edge.b, edge.weight) for edge in ring]
    return [duel, line, k4, Graph("rings", left + right, [*ring, Edge(4, 5, 4), *image])]


def _text(title: str, graphs: list[Graph]) -> str:
    return "\n".join([f"// {title}. Written by planetwars graphs make.", *map(write_dot, graphs)])
