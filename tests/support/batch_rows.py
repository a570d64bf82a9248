"""Games as rows of one shared set of arrays, on one shared pool of boards: what a batch of the engine is."""

from __future__ import annotations

from typing import Any

import numpy as np

import planetwars_env as pw
from planetwars_env.engine.columns import FLYING_1, NO_LIMIT, PHASE, RUNNING, TURN
from planetwars_env.engine.entry_points import count, end_turn, place, send
from planetwars_env.engine.state import State, allocate
from planetwars_env.graphs.board import directed_edges, longest_flight, pack, people_type


class Rows:
    """The shared arrays. Row g is played on the last board but g, so that no two numbers are the same by chance."""

    def __init__(self, graphs: list[pw.Graph], rules: Any) -> None:
        self.graphs, self.rules = graphs[::-1], rules
        self.board = pack(self.graphs, rules)
        self.state = allocate(len(graphs), self.board, longest_flight(self.board), people_type(self.board))


class RowMatch:
    """One row with the methods of a `Match` (implementations.py); every call goes to the engine with the row's number."""

    def __init__(self, rows: Rows, g: int, max_turns: int | None, state: dict[str, Any] | None) -> None:
        self.rows, self.g = rows, g
        self.b = len(rows.graphs) - 1 - g
        self.graph = rows.graphs[self.b]
        ways = directed_edges(self.graph)
        ids = [planet.id for planet in self.graph.planets]
        self.edges = {(ids[source], ids[target]): e for e, (source, target, _) in enumerate(ways)}
        limit = rows.rules.max_turns if max_turns is None else max_turns
        place(rows.state, rows.board, g, self.b, int(rows.rules.coexistence), limit or NO_LIMIT)
        if state is None:
            end_turn(rows.state, rows.board, g)
        else:
            self._stand_at(state)

    def _stand_at(self, told: dict[str, Any]) -> None:
        state, g = self.rows.state, self.g
        state.status[g, TURN] = told["turn"]
        state.people[g] = 0
        for name, _, *people in told["planets"]:
            state.people[g, :, self.graph.index[name]] = people
        for source, target, player, people, to_go in told["shuttles"]:
            slot = (told["turn"] + to_go) % state.flights.shape[1]
            state.flights[g, slot, self.edges[source, target]] += people
            state.arrivals[g, slot, player - 1, self.graph.index[target]] += people
            state.totals[g, FLYING_1 + player - 1] += people
        count(state, g, len(self.graph.planets))

    @property
    def player(self) -> int:
        return 2 - int(self.rows.state.status[self.g, TURN]) % 2

    @property
    def over(self) -> bool:
        return bool(self.rows.state.status[self.g, PHASE] != RUNNING)

    def submit(self, moves: list[tuple[int, int, int]]) -> list[bool]:
        return [self._carry_out(*move) for move in moves]

    def _carry_out(self, source: int, target: int, people: int) -> bool:
        edge = self.edges.get((source, target))
        if edge is None or not 1 <= people <= np.iinfo(self.rows.state.people.dtype).max:
            return False
        return bool(send(self.rows.state, self.rows.board, self.g, self.player - 1, edge, people))

    def advance(self) -> None:
        end_turn(self.rows.state, self.rows.board, self.g)

    def to_dict(self) -> dict[str, Any]:
        row = State(*(array[self.g : self.g + 1] for array in self.rows.state))
        return pw.Game.over_arrays(self.graph, self.rows.rules, self.rows.board, row).to_dict()
