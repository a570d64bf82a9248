"""Boards that a batch plays on: packed at once, or, for generated graphs, each when a game first needs it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from planetwars_env.engine.columns import PLANETS
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array, Board, State, allocate
from planetwars_env.graphs.board import (
    empty_boards,
    frozen,
    longest_flight,
    pack,
    people_type,
    people_type_for,
    write_board,
)
from planetwars_env.graphs.catalogue import check_reference, load_pool, reference_to
from planetwars_env.graphs.generators import GraphGenerator
from planetwars_env.graphs.graph import Graph, GraphError
from planetwars_env.graphs.wiring import MAX_SIZE

MOST_LAZY = 2**17
"""Graphs of a `GraphGenerator` in one batch: at 2 kB for each of the classic size, they take 260 MB at most."""


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
            self.names: Sequence[str] = graphs.names
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
        if not self.lazy:
            place = next((i for i, one in enumerate(self.graphs) if one == graph), -1)
        else:
            place = self.names.index(graph.name) if graph.name in self.names else -1
        if place < 0 or self.graphs[place] != graph:
            raise ValueError(f"the graph {graph.name!r} is not among the environment's: add it with set_graphs")
        return place

    def make(self, places: Array) -> None:
        """Make the boards at ``places``, those that are not there yet."""
        if isinstance(self.graphs, GraphGenerator):
            for b in places.tolist():
                if not self.board.info[b, PLANETS]:
                    write_board(self._written, b, self.graphs.make(b), self._rules)

    def __reduce__(self) -> tuple[Any, ...]:
        return _pool_of, (_reference(self.graphs), self._rules)


def board_pool(graphs: Sequence[Graph], rules: Rules) -> BoardPool:
    """The boards of ``graphs`` under ``rules``; those of a shipped pool are packed once per process."""
    reference = _reference(graphs)
    return BoardPool(graphs, rules) if reference is graphs else _pool_of(reference, rules)


def _reference(graphs: Sequence[Graph]) -> Any:
    """Return a shipped pool's name and fingerprint, for a small pickle; other graphs as they are."""
    return graphs if isinstance(graphs, GraphGenerator) else reference_to(tuple(graphs))


def _pool_of(reference: Any, rules: Rules) -> BoardPool:
    """The inverse of `_reference`."""
    if isinstance(reference, tuple) and isinstance(reference[0], str):
        check_reference(*reference)
        return _shipped_boards(reference[0], rules)
    return BoardPool(reference, rules)


@cache
def _shipped_boards(name: str, rules: Rules) -> BoardPool:
    return BoardPool(load_pool(name), rules)
