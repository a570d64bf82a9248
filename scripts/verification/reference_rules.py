"""Reference rules for audits: a second implementation, read from docs/rules.md alone, planet by planet.

Nothing of the engine's rules is used, only the layout of its arrays. Where the engine reckons in doubles but the rules
allow whole numbers (R5, R7), this does; who flies is read off the flights alone, never off the arrivals kept beside them.
"""

import math
from typing import Any

import numpy as np

from planetwars_env.engine import columns
from planetwars_env.engine.kernel import part
from planetwars_env.engine.state import Array, Board, State

# columns of the flows that are kept for every game: where people came from and where they went
BORN, FALLEN, SHRUNK = range(3)


@part
def place_first(state: State, board: Board, g: int, b: int, coexistence: int, limit: int, flows: Array) -> None:
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
    for i in range(3):
        flows[g, i] = 0
    state.status[g, columns.BOARD], state.status[g, columns.COEXISTENCE], state.status[g, columns.LIMIT] = (
        b,
        coexistence,
        limit,
    )
    state.people[g, 0, board.info[b, columns.BASE_1]] = 1
    state.people[g, 1, board.info[b, columns.BASE_2]] = 1


@part
def finish_turn(state: State, board: Board, g: int, landed: Array, flows: Array) -> None:
    """R3, R10: the turn of whoever moved is over; nothing happens to a game that has ended."""
    if state.status[g, columns.PHASE] != columns.RUNNING:
        return
    if state.status[g, columns.TURN] < state.status[g, columns.LIMIT]:
        _begin_turn(state, board, g, landed, flows)
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
def _begin_turn(state, board, g, landed, flows):
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
        _pass_time(state, board, g, b, p, landed, flows)
    _count(state, board, g)
    _judge(state, g)


@part
def _pass_time(state, board, g, b, p, landed, flows):
    size, habitability = (
        np.int64(board.planets[b, columns.SIZE, p]),
        np.int64(board.planets[b, columns.HABITABILITY, p]),
    )
    first, second = np.int64(state.people[g, 0, p]), np.int64(state.people[g, 1, p])
    arriving = landed[0, p] + landed[1, p]
    before = first + second
    first, second = _grow(first, second, size, habitability)
    grown = first + second
    flows[g, BORN] += grown - before
    owner = _owner(first, second)
    if state.status[g, columns.COEXISTENCE]:
        first, second = _mingle(first, second, landed[0, p], landed[1, p], size, owner)
    else:
        first, second = _fight(first, second, landed[0, p], landed[1, p], owner)
        owner = 0
    full = first + second
    flows[g, FALLEN] += grown + arriving - full
    first, second = _shrink(first, second, size, owner)
    flows[g, SHRUNK] += full - first - second
    state.people[g, 0, p] = first
    state.people[g, 1, p] = second


@part
def _owner(first, second):
    return 1 if first > second else 2 if second > first else 0


@part
def _grow(first, second, size, habitability):
    """R4."""
    people = first + second
    if people == 0 or people > size:
        return first, second
    newborn = min(size, np.int64(math.ceil(people * (1.0 + habitability / 100.0)))) - people
    one = np.int64(math.floor(newborn * (first / people)))
    two = np.int64(math.floor(newborn * (second / people)))
    rest = newborn - one - two
    if first + one >= second + two:
        return first + one + rest, second + two
    return first + one, second + two + rest


@part
def _fight(first, second, first_landing, second_landing, owner):
    """R5."""
    if owner == 0:
        if first_landing >= second_landing:
            return first_landing - second_landing, np.int64(0)
        return np.int64(0), second_landing - first_landing
    if owner == 1:
        return _siege(first + first_landing, second_landing)
    attackers, defenders = _siege(second + second_landing, first_landing)
    return defenders, attackers


@part
def _siege(defenders, attackers):
    """R5: (who is left of the defenders, who is left of the attackers)."""
    strength = defenders * 11 // 10
    if attackers >= strength:
        return np.int64(0), attackers - strength
    return min(defenders, strength - attackers), np.int64(0)


@part
def _mingle(first, second, first_landing, second_landing, size, owner):
    """R6."""
    if owner == 1:
        first += first_landing
        return first, second + min(second_landing, max(0, size - first))
    if owner == 2:
        second += second_landing
        return first + min(first_landing, max(0, size - second)), second
    if first + second >= size:
        return first, second
    if first_landing == second_landing:
        if first + second + first_landing + second_landing >= size:
            return size // 2, size // 2
        return first + first_landing, second + second_landing
    if first_landing > second_landing:
        return first + first_landing, second + min(second_landing, max(0, size - first_landing))
    return first + min(first_landing, max(0, size - second_landing)), second + second_landing


@part
def _shrink(first, second, size, bearer):
    """R7: ``bearer`` owned the planet before the landing; 0: whoever owns it now."""
    excess = first + second - size
    if excess <= 0:
        return first, second
    loss = (excess + 9) // 10
    owner = bearer if bearer else _owner(first, second)
    if owner == 1:
        return first - min(loss, first), second
    return first, second - min(loss, second)


@part
def _count(state, board, g):
    for player in range(2):
        people = owned = 0
        for p in range(board.info[state.status[g, columns.BOARD], columns.PLANETS]):
            people += state.people[g, player, p]
            owned += 1 if state.people[g, player, p] > state.people[g, 1 - player, p] else 0
        state.totals[g, columns.PEOPLE_1 + player] = people
        state.status[g, columns.OWNED_1 + player] = owned


@part
def _judge(state, g):
    """R10: elimination."""
    first = state.status[g, columns.OWNED_1] > 0 or state.totals[g, columns.FLYING_1] > 0
    second = state.status[g, columns.OWNED_1 + 1] > 0 or state.totals[g, columns.FLYING_1 + 1] > 0
    if first != second:
        state.status[g, columns.PHASE] = columns.ENDED
        state.status[g, columns.WINNER] = 1 if first else 2
    elif not first and not state.status[g, columns.COEXISTENCE]:
        state.status[g, columns.PHASE] = columns.ENDED
