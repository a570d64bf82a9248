"""Belief of a player about the whole position: what it sees, what it saw before, and assumptions about the rest.

Nothing comes in but the map and the views (R9). What is out of sight goes on as if the opponent were ai3.
"""

from typing import Any

import numpy as np

from planetwars_env.bots.bot_codes import ADVISOR, AI3
from planetwars_env.bots.entry_points import make_scratch, play_bot
from planetwars_env.bots.estimates import MANY
from planetwars_env.bots.helpers import distances
from planetwars_env.bots.known_map import KnownMap
from planetwars_env.engine import columns
from planetwars_env.engine.entry_points import end_turn, place, put_in_flight
from planetwars_env.engine.rules import Rules, player_on
from planetwars_env.engine.state import Array, State, allocate
from planetwars_env.graphs.board import directed_edges, frozen, longest_flight, pack, people_type
from planetwars_env.graphs.graph import Graph, Planet
from planetwars_env.view import View

SUPPOSED_SIZE, SUPPOSED_HABITABILITY = 300, 6
"""Of planets never seen: about the mean of the boards that generators make."""


class Belief:
    """The supposed position of one game, in row ``row`` of ``state``; ``board``: the planets as far as they are known."""

    def __init__(self, known_map: KnownMap, player: int, rules: Rules, rows: int, row: int) -> None:
        self.known_map, self.row = known_map, row
        self._me, self._rules = player - 1, rules
        supposed = _supposed(known_map)
        self.edges = [(known_map.planets[a].id, known_map.planets[b].id) for a, b, _ in directed_edges(supposed)]
        self._numbers = {ends: e for e, ends in enumerate(self.edges)}
        self.board = pack([supposed], rules)
        self.state = allocate(rows, self.board, longest_flight(self.board), people_type(self.board))
        self.scratch = make_scratch(self.board, self.state.people.dtype)
        self._seen = np.zeros(len(known_map.planets), bool)
        self._bases = [-1, -1]
        self._supposed_base = -1
        self._limit = rules.max_turns or columns.NO_LIMIT

    def update(self, view: View) -> None:
        """It is the player's turn, and this is what it sees."""
        visible = self._learn(view)
        if self._supposed_base >= 0:
            self._pass_turn(1 - self._me)
        self._find_opponent(view.turn)
        self._correct(view, visible)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy of an array can be written again."""
        self.__dict__.update(state)
        frozen(self.board)

    def move(self, player: int) -> None:
        """Let whom ``player`` (0, 1) is taken for move in the supposed position."""
        bot = ADVISOR if player == self._me else AI3
        play_bot(self.state, self.board, self.row, player, bot, self.scratch)

    def _pass_turn(self, opponent: int) -> None:
        """The player's turn ends, the opponent moves, its turn ends; nothing that is only supposed ends a game."""
        self._go_on()
        self.move(opponent)
        self._go_on()

    def _go_on(self) -> None:
        end_turn(self.state, self.board, self.row)
        self.state.status[self.row, columns.PHASE] = columns.RUNNING

    def _learn(self, view: View) -> Array:
        """Store which planets are visible; their properties are kept for good."""
        visible = np.array([planet.visible for planet in view.planets])
        fresh = np.flatnonzero(visible & ~self._seen)
        if len(fresh):
            planets, growth = self.board.planets.copy(), self.board.growth.copy()
            for p in fresh:
                planet: Any = view.planets[p]
                planets[0, columns.SIZE, p], planets[0, columns.HABITABILITY, p] = planet.size, planet.habitability
                growth[0, p] = 1 + planet.habitability / 100
                if planet.base:
                    self._bases[planet.base - 1] = int(p)
            self.board = frozen(self.board._replace(planets=planets, growth=growth))
            self._seen |= visible
        seen = sum(sum(planet.people or ()) for planet in view.planets) + sum(
            shuttle.people for shuttle in view.shuttles
        )
        if self.state.people.dtype != np.int64 and (people_type(self.board) == np.int64 or seen > MANY):
            self._widen()
        return visible

    def _widen(self) -> None:
        """Count people in 64 bits from now on: 32 do not hold those of this board."""
        state = self.state
        people, arrivals, flights, totals = (array.astype(np.int64) for array in state[:4])
        self.state = State(people, arrivals, flights, totals, state.status, state.random)
        self.scratch = make_scratch(self.board, np.int64)

    def _find_opponent(self, turn: int) -> None:
        """Suppose a base for the opponent; where the one supposed turns out wrong, all it has out of sight is supposed anew."""
        known = self._bases[1 - self._me]
        if known < 0 and self._supposed_base >= 0 and not self._seen[self._supposed_base]:
            return
        base = known if known >= 0 else self._remotest()
        if base != self._supposed_base:
            self._supposed_base = base
            self._grow_alone(base, turn)

    def _remotest(self) -> int:
        """The planet never seen that is farthest from the player's base: bases do not lie next to each other."""
        ways = distances(self.known_map, self.known_map.planets[self._bases[self._me]].id)
        far = [
            -1 if seen else ways.get(place.id, 0)
            for place, seen in zip(self.known_map.planets, self._seen, strict=True)
        ]
        return int(np.argmax(far))

    def _grow_alone(self, base: int, turn: int) -> None:
        """The position is what the opponent makes of its time from this base, with nobody in its way."""
        state, row, me = self.state, self.row, self._me
        place(state, self.board, row, 0, int(self._rules.coexistence), columns.NO_LIMIT)
        state.people[row] = 0
        state.people[row, 1 - me, base] = 1
        while state.status[row, columns.TURN] < turn:
            self._go_on()
            if player_on(state.status[row, columns.TURN]) != me:
                self.move(1 - me)
        state.status[row, columns.LIMIT] = self._limit

    def _correct(self, view: View, visible: Array) -> None:
        """Take over what is seen; the player's own planets are always visible."""
        people, arrivals, flights = (array[self.row] for array in self.state[:3])
        self.state.status[self.row, columns.TURN] = view.turn
        self.state.status[self.row, columns.WINNER] = 0
        others = np.minimum(people[self._me], people[1 - self._me]) if self._rules.coexistence else 0
        people[self._me] = np.where(visible, 0, others)
        for p in np.flatnonzero(visible):
            people[:, p] = view.planets[p].people
        arrivals[:, :, visible] = 0
        flights[:, visible[self.board.edges[0, columns.TARGET]]] = 0
        for shuttle in view.shuttles:
            slot = (view.turn + shuttle.turns) % len(flights)
            edge = self._numbers[shuttle.source, shuttle.destination]
            put_in_flight(self.state, self.board, self.row, shuttle.player - 1, edge, slot, shuttle.people)
        self.state.totals[self.row, columns.FLYING_1 :] = arrivals.sum(axis=(0, 2))


def _supposed(known_map: KnownMap) -> Graph:
    """A graph with these places and edges. It must have bases: any two, nothing reads them."""
    land = SUPPOSED_HABITABILITY, SUPPOSED_SIZE
    bases = 1, 2, *[0] * len(known_map.planets)
    planets = [
        Planet(place.id, *land, place.x, place.y, base) for place, base in zip(known_map.planets, bases, strict=False)
    ]
    return Graph("supposed", planets, known_map.edges)
