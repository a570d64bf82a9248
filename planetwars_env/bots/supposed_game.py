"""A game as one player supposes it: what it sees, what it saw before, and assumptions about the rest.

Nothing is read of the true position but what the player sees (R9). What is out of sight goes on as if the opponent were a
built-in bot.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from planetwars_env.bots.compiled import MANY, play_bot
from planetwars_env.bots.entry_points import make_scratch
from planetwars_env.engine import columns
from planetwars_env.engine.flights import mover
from planetwars_env.engine.kernel import kernel, part
from planetwars_env.engine.random import below, seeded
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array, Board, State, allocate, copy_row, place
from planetwars_env.engine.turn import end_turn
from planetwars_env.engine.visibility import look
from planetwars_env.game import Game, launched_moves, write_view
from planetwars_env.graphs.board import empty_boards, frozen, longest_flight, people_type_for
from planetwars_env.graphs.graph import Edge, Graph, Planet
from planetwars_env.view import KnownMap, Move, PlanetView, View

# columns of Memory.bases: planet indices of the bases that were seen, of the opponent's base or what stands for it, else -1;
# and whether the row has begun
SEEN_1, SEEN_2, SUPPOSED, BEGUN = range(4)
# rows of the notepad beyond those of the bots
IN_SIGHT, DISTANCE = 11, 12

SUPPOSED_SIZE, SUPPOSED_HABITABILITY = 300, 6
"""Of planets never seen, unless told otherwise: about the mean of the graphs that generators make."""
NEAREST_BASE = 3
"""Edges between the bases, at least, where one is drawn: generators keep them as far apart."""


class Memory(NamedTuple):
    """Memory of a player in N supposed games, besides their positions and boards."""

    bases: Array
    """[N, 4] int32"""
    seen: Array
    """[N, P] int8: 1 for the planets that were visible once."""


def allocate_supposed(games: int, board: Board, state: State) -> tuple[State, Board, Memory]:
    """Room for what is supposed in ``games`` games of the shapes of ``board`` and ``state``; none of them has begun."""
    planets, edges = board.planets.shape[2], board.edges.shape[2]
    supposed = allocate(games, board, state.flights.shape[1], state.people.dtype)
    known = empty_boards(games, planets, edges)
    known.planets[:, columns.SIZE] = SUPPOSED_SIZE
    known.planets[:, columns.HABITABILITY] = SUPPOSED_HABITABILITY
    return supposed, known, Memory(np.zeros((games, 4), np.int32), np.zeros((games, planets), np.int8))


@part
def look_again(state, board, g, player, supposed, known, memory, row, drawn, scratch):
    """Learn what ``player`` sees of game ``g``; return how many turns ``row`` of what is supposed is behind it.

    Before each of them passes (`pass_turn`), a bot moves for the opponent where that `is_to_move`; then `correct` follows.
    ``drawn``: the opponent's base is drawn among the planets never seen, by the row's own generator, where it is else
    supposed to be the most remote one.
    """
    b, visible = state.status[g, columns.BOARD], scratch[IN_SIGHT]
    planets = board.info[b, columns.PLANETS]
    if not memory.bases[row, BEGUN]:
        _begin(board, b, known, memory, row)
    look(state, board, g, player, visible)
    _learn(board, b, planets, known, memory, row, visible)
    # Where the base that was supposed turns out wrong, all that the opponent has out of sight is supposed anew.
    base, before = memory.bases[row, SEEN_1 + 1 - player], memory.bases[row, SUPPOSED]
    if base < 0:
        base = before
        if before < 0 or memory.seen[row, before]:
            base = _choose_base(board, b, planets, memory, row, player, drawn, supposed.random, scratch)
    if base != before:
        memory.bases[row, SUPPOSED] = base
        place(supposed, known, row, row, state.status[g, columns.COEXISTENCE], columns.NO_LIMIT)
        for p in range(planets):
            supposed.people[row, player, p] = 0
            supposed.people[row, 1 - player, p] = p == base  # it grows alone
    return state.status[g, columns.TURN] - supposed.status[row, columns.TURN]


@part
def is_to_move(supposed, row, player):
    """Whether it is the turn of ``player`` (0, 1)."""
    return supposed.status[row, columns.TURN] > 0 and mover(supposed.status[row, columns.TURN]) == player


@part
def pass_turn(supposed, known, row):
    """A turn ends; nothing that is only supposed ends a game."""
    end_turn(supposed, known, row)
    supposed.status[row, columns.PHASE] = columns.RUNNING


@part
def _begin(board, b, known, memory, row):
    copy_row(board.info[b], known.info[row])
    copy_row(board.edge_offsets[b], known.edge_offsets[row])
    for i in range(board.edges.shape[1]):
        copy_row(board.edges[b, i], known.edges[row, i])
    known.info[row, columns.BASE_1] = 0  # nothing is told by them
    known.info[row, columns.BASE_2] = 0
    for p in range(board.planets.shape[2]):
        known.growth[row, p] = 1 + known.planets[row, columns.HABITABILITY, p] / 100
        memory.seen[row, p] = 0
    for i in range(BEGUN):
        memory.bases[row, i] = -1
    memory.bases[row, BEGUN] = 1


@part
def _learn(board, b, planets, known, memory, row, visible):
    """Keep for good what visible planets are like, and which are bases."""
    for p in range(planets):
        if visible[p] and not memory.seen[row, p]:
            memory.seen[row, p] = 1
            known.planets[row, columns.SIZE, p] = board.planets[b, columns.SIZE, p]
            known.planets[row, columns.HABITABILITY, p] = board.planets[b, columns.HABITABILITY, p]
            known.growth[row, p] = 1 + board.planets[b, columns.HABITABILITY, p] / 100
            for i in range(2):
                if board.info[b, columns.BASE_1 + i] == p:
                    memory.bases[row, SEEN_1 + i] = p


@part
def _choose_base(board, b, planets, memory, row, player, drawn, random, scratch):
    """A planet never seen: a random one that is not near the player's base, or the most remote one."""
    mine, distance = memory.bases[row, SEEN_1 + player], scratch[DISTANCE]
    for p in range(planets):
        distance[p] = 0 if p == mine else MANY
    changed = mine >= 0
    while changed:
        changed = False
        for e in range(board.info[b, columns.EDGES]):
            p, q = board.edges[b, columns.SOURCE, e], board.edges[b, columns.TARGET, e]
            way = distance[p] + (1 if drawn else board.edges[b, columns.WEIGHT, e])
            if way < distance[q]:
                distance[q] = way
                changed = True
    unseen = far = 0
    for p in range(planets):
        unseen += not memory.seen[row, p]
        far += not memory.seen[row, p] and distance[p] >= NEAREST_BASE
    least = NEAREST_BASE if far else 0
    chosen, best = -1, -1
    left = below(random, row, max(1, far if far else unseen if unseen else planets)) if drawn else 0
    for p in range(planets):
        if unseen and memory.seen[row, p]:
            continue
        if drawn:
            if not unseen or distance[p] >= least:
                chosen = p if left == 0 else chosen
                left -= 1
        elif (0 if distance[p] == MANY else distance[p]) > best:
            chosen, best = p, 0 if distance[p] == MANY else distance[p]
    return chosen


@part
def correct(state, board, g, player, supposed, row, visible):
    """Put what is seen in place of what was supposed; the player's own planets are never out of sight."""
    b = state.status[g, columns.BOARD]
    planets = board.info[b, columns.PLANETS]
    supposed.status[row, columns.TURN] = state.status[g, columns.TURN]
    supposed.status[row, columns.LIMIT] = state.status[g, columns.LIMIT]
    supposed.status[row, columns.WINNER] = 0
    coexistence = state.status[g, columns.COEXISTENCE]
    for p in range(planets):
        if visible[p]:
            supposed.people[row, 0, p] = state.people[g, 0, p]
            supposed.people[row, 1, p] = state.people[g, 1, p]
        elif coexistence:
            supposed.people[row, player, p] = min(supposed.people[row, 0, p], supposed.people[row, 1, p])
        else:
            supposed.people[row, player, p] = 0
    for i in range(2):
        flying = 0
        for slot in range(state.arrivals.shape[1]):
            for p in range(planets):
                if visible[p]:
                    supposed.arrivals[row, slot, i, p] = state.arrivals[g, slot, i, p]
                flying += supposed.arrivals[row, slot, i, p]
        supposed.totals[row, columns.FLYING_1 + i] = flying
    for e in range(board.info[b, columns.EDGES]):
        if visible[board.edges[b, columns.TARGET, e]]:
            for slot in range(state.flights.shape[1]):
                supposed.flights[row, slot, e] = state.flights[g, slot, e]


class SeenGame:
    """Game that holds what one player's views have shown and nothing else; ``size``: people of all planets, as supposed."""

    def __init__(self, known_map: KnownMap, rules: Rules, size: int) -> None:
        # A graph must have bases: any two, nothing reads them.
        unseen = supposed_graph(known_map.planets, known_map.edges, [(0, 1)] * len(known_map.planets), {0: 1, 1: 2})
        self.game, self._size = Game(unseen, rules), size
        board, state = self.game.arrays
        info = board.info.copy()
        info[0, columns.BASE_1 :] = -1
        self._adopt(board._replace(planets=np.zeros_like(board.planets), info=info), state)

    def _adopt(self, board: Board, state: State) -> None:
        self.game = Game.over_arrays(self.game.graph, self.game.rules, frozen(board), state)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy of an array can be written again."""
        self.__dict__.update(state)
        frozen(self.game.arrays[0])

    def show(self, view: View) -> None:
        """Take in a view; people are kept in 64 bits once 32 may not hold them. ValueError for a turn beyond the last one."""
        limit, (board, state) = self.game.max_turns, self.game.arrays
        if limit is not None and view.turn > limit:
            raise ValueError(f"the view is of turn {view.turn}, but reset was told that turn {limit} is the last")
        sizes = board.planets[0, columns.SIZE]
        fresh = [p for p, planet in enumerate(view.planets) if planet.visible and not sizes[p]]
        people = sum(planet.population or 0 for planet in view.planets)
        people += sum(shuttle.people for shuttle in view.shuttles)
        if fresh:
            planets, info = board.planets.copy(), board.info.copy()
            for p in fresh:
                planet = view.planets[p]
                planets[0, :, p] = planet.size, planet.habitability
                if planet.base:
                    info[0, columns.BASE_1 + planet.base - 1] = p
            board = board._replace(planets=planets, info=info)
        size = self._size + int(board.planets[0, columns.SIZE].sum())
        wide = people > MANY or people_type_for(longest_flight(board), size) is np.int64
        state = as_wide(state, np.int64 if wide else state.people.dtype)
        if fresh or state is not self.game.arrays[1]:
            self._adopt(board, state)
        write_view(view, board, state, self.game.edge_numbers)


@kernel
def _suppose(state, board, player, supposed, known, memory, opponents, drawn, scratch):
    for row in range(opponents.shape[0]):
        for _ in range(look_again(state, board, 0, player, supposed, known, memory, row, drawn, scratch)):
            if is_to_move(supposed, row, 1 - player):
                play_bot(supposed, known, row, 1 - player, opponents[row], scratch)
            pass_turn(supposed, known, row)
        correct(state, board, 0, player, supposed, row, scratch[IN_SIGHT])


class SupposedGames:
    """Games that one player supposes by its map and views, one for each of ``opponents`` (codes of bots out of sight).

    They are the first rows of ``state`` on the boards ``board`` of the same numbers; ``spare`` rows follow. ``land``
    [games, P, 2]: habitability and size of every planet until it is seen. With it the opponent's base is drawn, too, by
    ``seed``; else it is supposed to be the most remote planet.
    """

    def __init__(
        self,
        known_map: KnownMap,
        player: int,
        rules: Rules,
        opponents: Sequence[int],
        *,
        spare: int = 0,
        land: Array | None = None,
        seed: int = 0,
    ) -> None:
        self._player, self._opponents, self._drawn = player - 1, np.array(opponents), land is not None
        size = SUPPOSED_SIZE * len(known_map.planets) if land is None else int(land[:, :, 1].sum(axis=1).max())
        self._seen = SeenGame(known_map, rules, size)
        board, state = self._seen.game.arrays
        self.state, self._known, self.memory = allocate_supposed(len(opponents) + spare, board, state)
        if land is not None:
            self._known.planets[:, [columns.HABITABILITY, columns.SIZE]] = land.swapaxes(1, 2)
        self.state.random[:] = seeded(seed, len(opponents) + spare)

    def update(self, view: View) -> None:
        """Pass the turns until that of a view, and correct what it shows. ValueError for a turn beyond the last one."""
        self._seen.show(view)
        board, state = self._seen.game.arrays
        self.state = as_wide(self.state, state.people.dtype)
        kept = self.state, self._known, self.memory
        scratch = make_scratch(board, state.people.dtype)
        _suppose(state, board, self._player, *kept, self._opponents, self._drawn, scratch)

    @property
    def board(self) -> Board:
        """The boards as far as they are known, to be read only."""
        return frozen(Board(*(array.view() for array in self._known)))

    def launched(self, row: int) -> list[Move]:
        """Return the moves of this turn in a row."""
        return launched_moves(self.board, self.state, row, self._seen.game.edge_numbers)


def as_wide(state: State, dtype: Any) -> State:
    """The same games with people of this type, int32 or int64; ``state`` itself where it has the type."""
    if state.people.dtype == dtype:
        return state
    people, arrivals, flights, totals = (array.astype(dtype) for array in state[:4])
    return State(people, arrivals, flights, totals, state.status, state.random)


def supposed_graph(
    known: Sequence[PlanetView], edges: Sequence[Edge], land: Sequence[Sequence[int]], bases: Mapping[int, int]
) -> Graph:
    """A graph with these planets and edges; ``land``: habitability and size; ``bases``: players by planet index."""
    planets = [
        Planet(planet.id, habitability, size, planet.x, planet.y, bases.get(p, 0))
        for p, (planet, (habitability, size)) in enumerate(zip(known, land, strict=True))
    ]
    return Graph("supposed", planets, tuple(edges))
