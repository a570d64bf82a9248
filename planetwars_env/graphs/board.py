"""From graphs to the engine's boards: one set of arrays for a pool; those of a generator's when a game first needs them."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from planetwars_env.engine.columns import HABITABILITY, PLANETS, SIZE, SOURCE, TURNS
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array, Board, State, allocate
from planetwars_env.graphs import catalogue
from planetwars_env.graphs.generators import MAX_SIZE, GraphGenerator
from planetwars_env.graphs.graph import Graph, GraphError

MOST_LAZY = 2**17
"""Graphs of a `GraphGenerator` in one batch: at 2 kB for each of the classic size, they take 260 MB at most."""


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
    """Write row b: planets by id, directed edges by (source, target); ``info`` last, since other threads may read it."""
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


def directed_edges(graph: Graph) -> list[tuple[int, int, int]]:
    """(source index, target index, weight) of every directed edge, in the order that numbers them everywhere."""
    index = graph.index
    pairs = [(index[edge.a], index[edge.b], edge.weight) for edge in graph.edges]
    return sorted(pairs + [(b, a, weight) for a, b, weight in pairs])


class BoardPool:
    """The boards of ``graphs``; a row that is not made yet has no planets. GraphError for a generator of too many graphs."""

    def __init__(self, graphs: Sequence[Graph], rules: Rules) -> None:
        self.graphs, self._rules = graphs, rules
        self.lazy = isinstance(graphs, GraphGenerator)
        if isinstance(graphs, GraphGenerator):
            if len(graphs) > MOST_LAZY:
                raise GraphError(f"{graphs!r} has too many graphs: an environment takes at most {MOST_LAZY} of them")
            planets, edges, _, weight = graphs.largest
            self._written = empty_boards(len(graphs), planets, 2 * edges)
            self.board = frozen(Board(*(array.view() for array in self._written)))
            self.names = [graphs.name(place) for place in range(len(graphs))]
            self._flight = weight * rules.turns_per_weight
            self._people = people_type_for(self._flight, planets * MAX_SIZE)
        else:
            self.board = pack(graphs, rules)
            self.names = [graph.name for graph in graphs]
            self._flight = longest_flight(self.board)
            self._people = people_type(self.board)

    def allocate(self, games: int) -> State:
        """Room for ``games`` games on any of the boards."""
        return allocate(games, self.board, self._flight, self._people)

    def place(self, graph: Graph) -> int:
        """The place of ``graph`` in the pool; ValueError where it has none."""
        if self.lazy:
            place = next((i for i, name in enumerate(self.names) if name == graph.name), -1)
        else:
            place = next((i for i, one in enumerate(self.graphs) if one == graph), -1)
        if place < 0 or self.graphs[place] != graph:
            raise ValueError(f"the graph {graph.name!r} is not among the environment's: add it with set_graphs")
        return place

    def make(self, places: Array) -> None:
        """Make the boards at ``places``, those that are not there yet."""
        if isinstance(self.graphs, GraphGenerator):
            for b in places.tolist():
                if not self.board.info[b, PLANETS]:
                    write_board(self._written, b, self.graphs[b], self._rules)

    def __deepcopy__(self, memo: dict[int, Any]) -> "BoardPool":
        return self  # nobody changes a board

    def __reduce__(self) -> tuple[Any, ...]:
        name = catalogue.shipped_pool(self.graphs)
        return (_shipped_boards, (name, self._rules)) if name else (BoardPool, (self.graphs, self._rules))


def board_pool(graphs: Sequence[Graph], rules: Rules) -> BoardPool:
    """The boards of ``graphs`` under ``rules``; those of a shipped pool are packed once per process."""
    name = catalogue.shipped_pool(graphs)
    return _shipped_boards(name, rules) if name else BoardPool(graphs, rules)


@cache
def _shipped_boards(name: str, rules: Rules) -> BoardPool:
    return BoardPool(catalogue.load_pool(name), rules)
