"""Every array of the engine: its axes, type and unit are said here and nowhere else.

N games stand side by side in one `State`; game g is played on the board ``state.status[g, BOARD]`` of a `Board`, whose
B boards are shared and never written. Axes: N games, B boards, P planets, E directed edges, T landing slots (one a
turn of the longest flight), 2 players (player 1 is 0, player 2 is 1). Boards with fewer planets or edges than P or E
leave the rest at zero, which no rule touches.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetwars_env.engine.columns import BASE_1, BASE_2, BOARD, COEXISTENCE, LIMIT
from planetwars_env.engine.kernel import part

Array = NDArray[Any]


class Board(NamedTuple):
    """B boards, read only."""

    info: Array
    """[B, 4] int32: planets, directed edges, planet index of player 1's base, of player 2's."""
    planets: Array
    """[B, 2, P] int32: size (people), habitability (per cent a turn)."""
    growth: Array
    """[B, P] float64: 1 + habitability / 100, made once: R4 wants the double product with exactly this factor."""
    edges: Array
    """[B, 5, E] int32: source and target (planet indices), flight (turns), weight, the index of the edge that leads back.
    Sorted by (source, target): the one numbering of directed edges everywhere."""
    edge_offsets: Array
    """[B, P + 1] int32: the edges that leave planet p are edge_offsets[p] .. edge_offsets[p + 1] - 1."""


class State(NamedTuple):
    """N games; all people in ``people.dtype``: int32 where the boards' bound allows it, else int64 (docs/bounds.md)."""

    people: Array
    """[N, 2, P]: people by player and planet. Who has more owns the planet (in PlanetWars the other has none)."""
    arrivals: Array
    """[N, T, 2, P]: people landing by slot, player and planet; turn t lands in slot t % T."""
    flights: Array
    """[N, T, E]: the same people by slot and edge; slot and edge fix the launching turn and with it the player."""
    totals: Array
    """[N, 4]: people on planets of player 1, of player 2 (when time last passed or the limit was
    reached), people in flight of each (now)."""
    status: Array
    """[N, 8] int32: turn, phase, winner (1, 2, else 0), limit (last turn or NO_LIMIT), coexistence (0, 1), board,
    planets owned by player 1, by player 2 (when time last passed or the limit was reached)."""
    random: Array
    """[N] uint64: the game's own generator (engine/random.py)."""


def allocate(games: int, board: Board, slots: int, people: Any = np.int32) -> State:
    """Room for ``games`` games on any of the boards; ``slots``: turns of the longest flight."""
    planets, edges = board.planets.shape[2], board.edges.shape[2]
    return State(
        people=np.zeros((games, 2, planets), people),
        arrivals=np.zeros((games, slots, 2, planets), people),
        flights=np.zeros((games, slots, edges), people),
        totals=np.zeros((games, 4), people),
        status=np.zeros((games, 8), np.int32),
        random=np.zeros(games, np.uint64),
    )


@part
def place(state: State, board: Board, g: int, b: int, coexistence: int, limit: int) -> None:
    """R2: game g stands before its first turn on board b: one person on each base, nobody anywhere else.

    The first `end_turn` brings it into turn 1.
    """
    state.people[g] = 0
    state.arrivals[g] = 0
    state.flights[g] = 0
    state.totals[g] = 0
    state.status[g] = 0
    state.status[g, BOARD] = b
    state.status[g, COEXISTENCE] = coexistence
    state.status[g, LIMIT] = limit
    state.people[g, 0, board.info[b, BASE_1]] = 1
    state.people[g, 1, board.info[b, BASE_2]] = 1


@part
def copy_game(source: State, g: int, target: State, h: int) -> None:
    """Game h of ``target`` becomes game g of ``source``, generator included; the shapes must agree."""
    for player in range(2):
        copy_row(source.people[g, player], target.people[h, player])
        for slot in range(source.arrivals.shape[1]):
            copy_row(source.arrivals[g, slot, player], target.arrivals[h, slot, player])
    for slot in range(source.flights.shape[1]):
        copy_row(source.flights[g, slot], target.flights[h, slot])
    copy_row(source.totals[g], target.totals[h])
    copy_row(source.status[g], target.status[h])
    target.random[h] = source.random[g]


@part
def copy_row(source, target):
    """Copy one row of numbers onto another of the same length."""
    for i in range(source.shape[0]):
        target[i] = source[i]
