"""One game as a player supposes it: what it sees, what it saw before, and assumptions about the rest.

Nothing comes in but the map and the views (R9). What is out of sight goes on as if the opponent were a built-in bot.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from planetwars_env.bots.bot_codes import ADVISOR, AI3
from planetwars_env.bots.compiled import MANY
from planetwars_env.bots.entry_points import make_scratch, play_bot
from planetwars_env.bots.helpers import distances
from planetwars_env.engine import columns
from planetwars_env.engine.entry_points import end_turn, place
from planetwars_env.engine.rules import Rules, player_on
from planetwars_env.engine.state import Array, Board, State, allocate
from planetwars_env.game import EdgeNumbers, launched_moves, write_view
from planetwars_env.graphs.board import edge_numbers, frozen, longest_flight, pack, people_type
from planetwars_env.graphs.graph import Graph, Planet
from planetwars_env.view import KnownMap, Move, View


class Sighting(NamedTuple):
    """Numbers that a view shows, zero elsewhere; axes as in engine/state.py."""

    turn: int
    visible: Array
    """[P] bool"""
    size: Array
    """[P] int64"""
    habitability: Array
    """[P] int64"""
    base: Array
    """[P] int64: 1 or 2 where that player began, as far as it is visible."""
    people: Array
    """[2, P] int64"""
    arrivals: Array
    """[T, 2, P] int64"""
    flights: Array
    """[T, E] int64"""

    @property
    def total(self) -> int:
        """The number of all people in sight."""
        return int(self.people.sum() + self.flights.sum())


def sighting_of(view: View, board: Board, edges: EdgeNumbers) -> Sighting:
    """Return ``view`` as arrays, read once for all supposed games that it corrects."""
    state = allocate(1, board, longest_flight(board), np.int64)
    write_view(view, board, state, edges)
    seen = [(planet.visible, planet.size or 0, planet.habitability or 0, planet.base or 0) for planet in view.planets]
    visible, size, habitability, base = np.array(seen, np.int64).T
    people, arrivals, flights = (array[0] for array in state[:3])
    return Sighting(view.turn, visible > 0, size, habitability, base, people, arrivals, flights)


SUPPOSED_SIZE, SUPPOSED_HABITABILITY = 300, 6
"""Of planets never seen, unless told otherwise: about the mean of the graphs that generators make."""
NEAREST_BASE = 3
"""Edges between the bases, at least, where one is drawn: generators keep them as far apart."""


class SupposedGame:
    """The supposed position, in row ``row`` of ``state`` with ``rows`` rows; ``board``: the planets as far as known.

    ``land``: habitability and size of every planet until it is seen. ``opponent``: the code of the bot that plays out of
    sight. ``rng`` draws the opponent's base among the planets never seen; without it the most remote one is supposed.
    """

    def __init__(
        self,
        known_map: KnownMap,
        player: int,
        rules: Rules,
        rows: int = 1,
        row: int = 0,
        *,
        land: Sequence[tuple[int, int]] = (),
        opponent: int = AI3,
        rng: np.random.Generator | None = None,
    ) -> None:
        self.known_map, self.row = known_map, row
        self._me, self._rules, self._opponent, self._rng = player - 1, rules, opponent, rng
        mean = (SUPPOSED_HABITABILITY, SUPPOSED_SIZE)
        # A graph must have bases: any two, nothing reads them.
        supposed = supposed_graph(known_map, land or [mean] * len(known_map.planets), {0: 1, 1: 2})
        self.edge_numbers = edge_numbers(supposed)
        self.board = pack([supposed], rules)
        self.state = allocate(rows, self.board, longest_flight(self.board), people_type(self.board))
        self.scratch = make_scratch(self.board, self.state.people.dtype)
        self.seen = self.visible = np.zeros(len(known_map.planets), bool)
        self.bases = [-1, -1]
        """The planet indices of the bases that were seen, else -1."""
        self.supposed_base = -1
        """The planet index of the opponent's base, or what stands for it."""
        self._limit = rules.max_turns or columns.NO_LIMIT

    def update(self, view: View) -> None:
        """Pass the turns until that of ``view``, the opponent's as the bot would play them, and correct what it shows."""
        self.correct(sighting_of(view, self.board, self.edge_numbers))

    def correct(self, sighting: Sighting) -> None:
        """`update` with the view as arrays. ValueError for a turn beyond the last one that the rules name."""
        if self._limit != columns.NO_LIMIT and sighting.turn > self._limit:
            raise ValueError(
                f"the view is of turn {sighting.turn}, but reset was told that turn {self._limit} is the last"
            )
        self.visible = sighting.visible
        self._learn(sighting)
        if self.supposed_base >= 0:
            self._advance(sighting.turn)
        # Where the base that was supposed turns out wrong, all that the opponent has out of sight is supposed anew.
        known = self.bases[1 - self._me]
        if known >= 0 or self.supposed_base < 0 or self.seen[self.supposed_base]:
            base = known if known >= 0 else self._choose_base()
            if base != self.supposed_base:
                self.supposed_base = base
                self._grow_alone(sighting.turn)
        # What is seen replaces what was supposed; the player's own planets are never out of sight.
        visible, status = sighting.visible, self.state.status[self.row]
        people, arrivals, flights = (array[self.row] for array in self.state[:3])
        status[columns.TURN] = sighting.turn
        status[columns.WINNER] = 0
        others = np.minimum(people[self._me], people[1 - self._me]) if self._rules.coexistence else 0
        people[self._me] = np.where(visible, 0, others)
        people[:, visible] = sighting.people[:, visible]
        arrivals[:, :, visible] = 0
        flights[:, visible[self.board.edges[0, columns.TARGET]]] = 0
        arrivals += sighting.arrivals.astype(arrivals.dtype)
        flights += sighting.flights.astype(flights.dtype)
        self.state.totals[self.row, columns.FLYING_1 :] = arrivals.sum(axis=(0, 2))

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy of an array can be written again."""
        self.__dict__.update(state)
        frozen(self.board)

    def move(self, player: int) -> None:
        """Let the bot that stands for ``player`` (0, 1) move in the supposed position."""
        bot = ADVISOR if player == self._me else self._opponent
        play_bot(self.state, self.board, self.row, player, bot, self.scratch)

    def launched(self) -> list[Move]:
        """Return the moves of this turn in the supposed position."""
        return launched_moves(self.board, self.state, self.row, self.edge_numbers)

    def _advance(self, turn: int) -> None:
        """Turns pass, and only the opponent moves in them; nothing that is only supposed ends a game."""
        status = self.state.status[self.row]
        while status[columns.TURN] < turn:
            if player_on(int(status[columns.TURN])) != self._me:
                self.move(1 - self._me)
            self._end_turn()

    def _end_turn(self) -> None:
        end_turn(self.state, self.board, self.row)
        self.state.status[self.row, columns.PHASE] = columns.RUNNING

    def _learn(self, sighting: Sighting) -> None:
        """Keep for good what visible planets are like, and which are bases."""
        fresh = sighting.visible & ~self.seen
        if fresh.any():
            planets, growth = self.board.planets.copy(), self.board.growth.copy()
            planets[0, columns.SIZE, fresh] = sighting.size[fresh]
            planets[0, columns.HABITABILITY, fresh] = sighting.habitability[fresh]
            growth[0, fresh] = 1 + sighting.habitability[fresh] / 100
            self.board = frozen(self.board._replace(planets=planets, growth=growth))
            for p in np.flatnonzero(fresh & (sighting.base > 0)):
                self.bases[sighting.base[p] - 1] = int(p)
            self.seen = self.seen | fresh
        if self.state.people.dtype != np.int64 and (people_type(self.board) == np.int64 or sighting.total > MANY):
            # 32 bits do not hold the people of this graph.
            people, arrivals, flights, totals = (array.astype(np.int64) for array in self.state[:4])
            self.state = State(people, arrivals, flights, totals, self.state.status, self.state.random)
            self.scratch = make_scratch(self.board, np.int64)

    def _choose_base(self) -> int:
        """A planet never seen: a random one that is not a neighbour's neighbour of the player's base, or the most remote one."""
        unseen, mine = np.flatnonzero(~self.seen | self.seen.all()), self.bases[self._me]
        if mine < 0:  # the first view is of a later turn
            return int(unseen[0] if self._rng is None else self._rng.choice(unseen))
        here = self.known_map.planets[mine].id
        ids = [self.known_map.planets[p].id for p in unseen]
        if self._rng is None:
            ways = distances(self.known_map, here)
            return int(unseen[np.argmax([ways.get(id, 0) for id in ids])])
        near = {here}
        for _ in range(NEAREST_BASE - 1):
            near |= {other for id in near for other in self.known_map.neighbours(id)}
        far = [p for p, id in zip(unseen, ids, strict=True) if id not in near]
        return int(self._rng.choice(far or unseen))

    def _grow_alone(self, turn: int) -> None:
        """Make the position what the opponent makes of its time from the supposed base, with nobody in its way."""
        state, row = self.state, self.row
        place(state, self.board, row, 0, int(self._rules.coexistence), columns.NO_LIMIT)
        state.people[row] = 0
        state.people[row, 1 - self._me, self.supposed_base] = 1
        self._end_turn()
        self._advance(turn)
        state.status[row, columns.LIMIT] = self._limit


def supposed_graph(known_map: KnownMap, land: Sequence[Sequence[int]], bases: Mapping[int, int]) -> Graph:
    """A graph with these planets and edges; ``land``: habitability and size; ``bases``: players by planet index."""
    planets = [
        Planet(node.id, habitability, size, node.x, node.y, bases.get(p, 0))
        for p, (node, (habitability, size)) in enumerate(zip(known_map.planets, land, strict=True))
    ]
    return Graph("supposed", planets, known_map.edges)
