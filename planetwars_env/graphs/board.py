"""From graphs to the engine's boards: one packed, read-only set of arrays for a whole pool."""

from collections.abc import Sequence

import numpy as np

from planetwars_env.engine.columns import HABITABILITY, SIZE, SOURCE, TURNS
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Board
from planetwars_env.graphs.graph import Graph


def pack(graphs: Sequence[Graph], rules: Rules) -> Board:
    """The boards of ``graphs`` under ``rules``, in order, padded with zeros to the largest (axes: engine/state.py)."""
    planets = max(len(graph.planets) for graph in graphs)
    edges = max(2 * len(graph.edges) for graph in graphs)
    board = empty_boards(len(graphs), planets, edges)
    for b, graph in enumerate(graphs):
        write_board(board, b, graph, rules)
    return frozen(board)


def empty_boards(count: int, planets: int, edges: int) -> Board:
    """Room for ``count`` boards of so many planets and directed edges; memory is used for those that are written only."""
    return Board(
        info=np.zeros((count, 4), np.int32),
        planets=np.zeros((count, 2, planets), np.int32),
        growth=np.zeros((count, planets)),
        edges=np.zeros((count, 5, edges), np.int32),
        edge_offsets=np.zeros((count, planets + 1), np.int32),
    )


def frozen(board: Board) -> Board:
    """The board, read only again after a copy: kernels tell arrays apart by that, and would be compiled anew."""
    for array in board:
        array.flags.writeable = False
    return board


def longest_flight(board: Board) -> int:
    """Turns of the longest flight on any of the boards, which is the number of landing slots a game needs (at least 1)."""
    return max(1, int(board.edges[:, TURNS].max(initial=0)))


def most_people(board: Board) -> int:
    """Upper bound on the people of a position on any of the boards: 10 F M, with F turns of the longest flight and sizes M.

    From such a position play never reaches more than 11 F M, and from the start it stays below (docs/bounds.md).
    """
    return 10 * longest_flight(board) * _largest_total_size(board)


def people_type(board: Board) -> type[np.signedinteger]:
    """int32 where no population on any of the boards leaves 32 bits; else int64."""
    return people_type_for(longest_flight(board), _largest_total_size(board))


def people_type_for(flight: int, total_size: int) -> type[np.signedinteger]:
    """int32 where 1.1 times 11 F M, which no population reaches on such boards, stays within 32 bits; else int64."""
    return np.int32 if 121 * flight * total_size < 10 * 2**31 else np.int64


def _largest_total_size(board: Board) -> int:
    return int(board.planets[:, SIZE].sum(axis=1, dtype=np.int64).max())


def write_board(board: Board, b: int, graph: Graph, rules: Rules) -> None:
    """Write row b: planets in order of id, directed edges sorted by (source, target).

    ``info``, which tells that the row is there, comes last, since other threads may read it.
    """
    count = len(graph.planets)
    first_base, second_base = (graph.index[planet] for planet in graph.bases)
    board.planets[b, SIZE, :count] = [planet.size for planet in graph.planets]
    board.planets[b, HABITABILITY, :count] = [planet.habitability for planet in graph.planets]
    board.growth[b] = 1
    board.growth[b, :count] = [1 + planet.habitability / 100 for planet in graph.planets]
    directed = directed_edges(graph)
    numbers = {pair[:2]: e for e, pair in enumerate(directed)}
    for e, (source, target, weight) in enumerate(directed):
        board.edges[b, :, e] = source, target, weight * rules.turns_per_weight, weight, numbers[target, source]
    sources = board.edges[b, SOURCE, : len(directed)]
    board.edge_offsets[b] = np.searchsorted(sources, np.arange(board.edge_offsets.shape[1]))
    board.info[b] = count, len(directed), first_base, second_base


def edge_numbers(graph: Graph) -> dict[tuple[int, int], int]:
    """The number of the directed edge between two planets, by their ids, in ascending order."""
    ends = ((graph.planets[source].id, graph.planets[target].id) for source, target, _ in directed_edges(graph))
    return {pair: e for e, pair in enumerate(ends)}


def directed_edges(graph: Graph) -> list[tuple[int, int, int]]:
    """(source index, target index, weight) of every directed edge, in the order that numbers them everywhere."""
    index = graph.index
    pairs = [(index[edge.a], index[edge.b], edge.weight) for edge in graph.edges]
    return sorted(pairs + [(b, a, weight) for a, b, weight in pairs])
