"""Reference rules for audits: the second reading of docs/rules.md over the engine's arrays, compiled.

Nothing of the engine's rules is used, only the layout of its arrays; planet_rules.py says what a turn does to a planet.
Who flies is read off the flights alone, never off the arrivals kept beside them.
"""

from typing import Any

import numpy as np

from planetwars_env.engine import columns
from planetwars_env.engine.kernel import part
from planetwars_env.engine.state import Array, Board, State
from scripts.verification import planet_rules

_pass_time = part(planet_rules.pass_time)


@part
def place_first(state: State, board: Board, g: int, b: int, coexistence: int, limit: int) -> None:
    """R2: a game on board b before its first turn, which the first `finish_turn` begins."""
    for player in range(2):
        for p in range(state.people.shape[2]):
            state.people[g, player, p] = 0
        for slot in range(state.flights.shape[1]):
            for p in range(state.people.shape[2]):
                state.arrivals[g, slot, player, p] = 0
    for slot in range(state.flights.shape[1]):
        for e in range(state.flights.shape[2]):
            state.flights[g, slot, e] = 0
    for i in range(4):
        state.totals[g, i] = 0
    for i in range(8):
        state.status[g, i] = 0
    state.status[g, columns.BOARD] = b
    state.status[g, columns.COEXISTENCE] = coexistence
    state.status[g, columns.LIMIT] = limit
    state.people[g, 0, board.info[b, columns.BASE_1]] = 1
    state.people[g, 1, board.info[b, columns.BASE_2]] = 1


@part
def finish_turn(state: State, board: Board, g: int, landed: Array) -> None:
    """R3, R10: the turn of whoever moved is over; nothing happens to a game that has ended. ``landed``: scratch, [2, P]."""
    if state.status[g, columns.PHASE] != columns.RUNNING:
        return
    if state.status[g, columns.TURN] < state.status[g, columns.LIMIT]:
        _begin_turn(state, board, g, landed)
        return
    _count(state, board, g)
    state.status[g, columns.PHASE] = columns.CUT_OFF
    if state.status[g, columns.COEXISTENCE]:
        first, second = state.totals[g, columns.PEOPLE_1], state.totals[g, columns.PEOPLE_1 + 1]
        state.status[g, columns.PHASE] = columns.ENDED
        state.status[g, columns.WINNER] = 0 if first == second else 1 if first > second else 2


@part
def launch(state: State, board: Board, g: int, player: int, e: int, people: int) -> bool:
    """R8: whether the move is legal; if so, it is made."""
    b = state.status[g, columns.BOARD]
    source, target = board.edges[b, columns.SOURCE, e], board.edges[b, columns.TARGET, e]
    if people < 1 or state.people[g, player, source] < people:
        return False
    slot = (state.status[g, columns.TURN] + board.edges[b, columns.TURNS, e]) % state.flights.shape[1]
    state.people[g, player, source] -= people
    state.flights[g, slot, e] += people
    state.arrivals[g, slot, player, target] += people
    state.totals[g, columns.FLYING_1 + player] += people
    return True


@part
def see(state: State, board: Board, g: int, player: int, seen: Array) -> None:
    """R9: ``seen`` [P] is 1 for what the player owns and for its neighbours, 0 for all else."""
    b = state.status[g, columns.BOARD]
    for p in range(seen.shape[0]):
        seen[p] = 1 if state.people[g, player, p] > state.people[g, 1 - player, p] else 0
    for e in range(board.info[b, columns.EDGES]):
        source = board.edges[b, columns.SOURCE, e]
        if state.people[g, player, source] > state.people[g, 1 - player, source]:
            seen[board.edges[b, columns.TARGET, e]] = 1


@part
def draw_below(random: Array, g: int, bound: int) -> Any:
    """A whole number below ``bound`` from the generator of game g: xorshift64 (13, 7, 17), and of its upper half the share."""
    word = np.uint64(random[g])
    word = word ^ (word << np.uint64(13))
    word = word ^ (word >> np.uint64(7))
    word = word ^ (word << np.uint64(17))
    random[g] = word
    return np.int64((word // np.uint64(2**32)) * np.uint64(bound) // np.uint64(2**32))


@part
def flier(turn: int, slot: int, slots: int, flight: int) -> int:
    """R3: who launched the shuttle in this slot: player 1 (0) moved on odd turns; -1 where the turn is yet to come."""
    lands = turn + (slot - turn - 1) % slots + 1
    launched = lands - flight
    if launched < 1 or launched > turn:
        return -1
    return 0 if launched % 2 == 1 else 1


@part
def _begin_turn(state, board, g, landed):
    state.status[g, columns.TURN] += 1
    b, slots = state.status[g, columns.BOARD], state.flights.shape[1]
    slot = state.status[g, columns.TURN] % slots
    for p in range(board.info[b, columns.PLANETS]):
        landed[0, p] = landed[1, p] = 0
    for e in range(board.info[b, columns.EDGES]):
        player = 0 if (state.status[g, columns.TURN] - board.edges[b, columns.TURNS, e]) % 2 == 1 else 1
        people, target = state.flights[g, slot, e], board.edges[b, columns.TARGET, e]
        landed[player, target] += people
        state.totals[g, columns.FLYING_1 + player] -= people
        state.flights[g, slot, e] = 0
        state.arrivals[g, slot, player, target] = 0
    for p in range(board.info[b, columns.PLANETS]):
        size, habitability = board.planets[b, columns.SIZE, p], board.planets[b, columns.HABITABILITY, p]
        state.people[g, 0, p], state.people[g, 1, p] = _pass_time(
            np.int64(state.people[g, 0, p]), np.int64(state.people[g, 1, p]), landed[0, p], landed[1, p],
            np.int64(size), np.int64(habitability), state.status[g, columns.COEXISTENCE],
        )  # fmt: skip
    _count(state, board, g)
    first = state.status[g, columns.OWNED_1] > 0 or state.totals[g, columns.FLYING_1] > 0
    second = state.status[g, columns.OWNED_1 + 1] > 0 or state.totals[g, columns.FLYING_1 + 1] > 0
    if first != second:  # R10: elimination
        state.status[g, columns.PHASE] = columns.ENDED
        state.status[g, columns.WINNER] = 1 if first else 2
    elif not first and not state.status[g, columns.COEXISTENCE]:
        state.status[g, columns.PHASE] = columns.ENDED


@part
def _count(state, board, g):
    for player in range(2):
        people = owned = 0
        for p in range(board.info[state.status[g, columns.BOARD], columns.PLANETS]):
            people += state.people[g, player, p]
            owned += 1 if state.people[g, player, p] > state.people[g, 1 - player, p] else 0
        state.totals[g, columns.PEOPLE_1 + player] = people
        state.status[g, columns.OWNED_1 + player] = owned
