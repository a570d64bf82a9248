"""One game as a player supposes it: what it sees, what it saw before, and assumptions about the rest.

Nothing comes in but the map and the views (R9). What is out of sight goes on as if the opponent were a built-in bot.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from planetwars_env.bots.bot_codes import ADVISOR, AI3
from planetwars_env.bots.entry_points import make_scratch, play_bot
from planetwars_env.bots.estimates import MANY
from planetwars_env.bots.helpers import distances
from planetwars_env.bots.known_map import KnownMap
from planetwars_env.bots.sighting import Sighting, sighting_of
from planetwars_env.engine import columns
from planetwars_env.engine.entry_points import end_turn, list_launched, place
from planetwars_env.engine.rules import Rules, player_on
from planetwars_env.engine.state import State, allocate
from planetwars_env.graphs.board import directed_edges, frozen, longest_flight, pack, people_type
from planetwars_env.graphs.graph import Graph, Planet
from planetwars_env.view import Move, View

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
        supposed = _supposed(known_map, land or [mean] * len(known_map.planets))
        self.edges = [(known_map.planets[a].id, known_map.planets[b].id) for a, b, _ in directed_edges(supposed)]
        self.edge_numbers = {ends: e for e, ends in enumerate(self.edges)}
        self.board = pack([supposed], rules)
        self.state = allocate(rows, self.board, longest_flight(self.board), people_type(self.board))
        self.scratch = make_scratch(self.board, self.state.people.dtype)
        self.seen = np.zeros(len(known_map.planets), bool)
        self.bases = [-1, -1]
        """The planet indices of the bases that were seen, else -1."""
        self.supposed_base = -1
        """The planet index of the opponent's base, or what stands for it."""
        self._limit = rules.max_turns or columns.NO_LIMIT

    def update(self, view: View) -> None:
        """Pass the turns until that of ``view``, the opponent's as the bot would play them, and correct what it shows."""
        self.correct(sighting_of(view, self.board, self.edge_numbers))

    def correct(self, sighting: Sighting) -> None:
        """`update` with the view as arrays."""
        self._learn(sighting)
        if self.supposed_base >= 0:
            self._advance(sighting.turn)
        self._find_opponent(sighting.turn)
        self._copy_seen(sighting)

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
        numbers = np.zeros(len(self.edges), np.int64)
        list_launched(self.state, self.board, self.row, numbers)
        return [Move(*self.edges[e], int(numbers[e])) for e in np.flatnonzero(numbers)]

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
            self.seen |= fresh
        if self.state.people.dtype != np.int64 and (people_type(self.board) == np.int64 or sighting.total > MANY):
            self._widen()

    def _widen(self) -> None:
        """Count people in 64 bits from now on: 32 do not hold those of this graph."""
        state = self.state
        people, arrivals, flights, totals = (array.astype(np.int64) for array in state[:4])
        self.state = State(people, arrivals, flights, totals, state.status, state.random)
        self.scratch = make_scratch(self.board, np.int64)

    def _find_opponent(self, turn: int) -> None:
        """Suppose a base for the opponent; where the one supposed turns out wrong, all it has out of sight is supposed anew."""
        known = self.bases[1 - self._me]
        if known < 0 and self.supposed_base >= 0 and not self.seen[self.supposed_base]:
            return
        base = known if known >= 0 else self._choose_base()
        if base != self.supposed_base:
            self.supposed_base = base
            self._grow_alone(base, turn)

    def _choose_base(self) -> int:
        """A planet never seen: a random one that is no neighbour's neighbour of the player's base, or the most remote one."""
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

    def _grow_alone(self, base: int, turn: int) -> None:
        """Make the position what the opponent makes of its time from this base, with nobody in its way."""
        state, row = self.state, self.row
        place(state, self.board, row, 0, int(self._rules.coexistence), columns.NO_LIMIT)
        state.people[row] = 0
        state.people[row, 1 - self._me, base] = 1
        self._end_turn()
        self._advance(turn)
        state.status[row, columns.LIMIT] = self._limit

    def _copy_seen(self, sighting: Sighting) -> None:
        """Write what is seen into the position; the player's own planets are never out of sight."""
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


def _supposed(known_map: KnownMap, land: Sequence[tuple[int, int]]) -> Graph:
    """A graph with these planets and edges. It must have bases: any two, nothing reads them."""
    bases = 1, 2, *[0] * len(known_map.planets)
    planets = [
        Planet(node.id, *of_node, node.x, node.y, base)
        for node, of_node, base in zip(known_map.planets, land, bases, strict=False)
    ]
    return Graph("supposed", planets, known_map.edges)
