"""The clock of one game: time passes, elimination is checked, moves are carried out, the turn ends (R3, R8, R10)."""

from planetwars_env.engine import columns
from planetwars_env.engine.coexistence import coexist
from planetwars_env.engine.conquest import battle
from planetwars_env.engine.flights import landing_slot, mover, put_in_flight
from planetwars_env.engine.kernel import part
from planetwars_env.engine.population import outnumbers
from planetwars_env.engine.state import Board, State


@part
def player_to_move(state: State, g: int) -> int:
    """R3: 0 (player 1) on odd turns, 1 on even ones."""
    return mover(state.status[g, columns.TURN])


@part
def send(state: State, board: Board, g: int, player: int, edge: int, people: int) -> bool:
    """R8: launch ``people`` along a directed edge; False, and nothing happens, when the player has not that many there.

    In PlanetWars whoever has people on a planet owns it, so one condition serves all rule sets.
    """
    source = board.edges[state.status[g, columns.BOARD], columns.SOURCE, edge]
    if people < 1 or people > state.people[g, player, source]:
        return False
    state.people[g, player, source] -= people
    put_in_flight(state, board, g, player, edge, landing_slot(state, board, g, edge), people)
    return True


@part
def end_turn(state: State, board: Board, g: int) -> None:
    """R10, R3: the turn limit is checked, then the next turn begins; nothing happens to a game that is over."""
    if state.status[g, columns.PHASE] != columns.RUNNING:
        return
    if state.status[g, columns.TURN] == state.status[g, columns.LIMIT]:
        _reach_limit(state, g)
    else:
        next_turn(state, board, g)


@part
def next_turn(state: State, board: Board, g: int) -> None:
    """R3: time passes on every planet, elimination is checked; the other player is to move."""
    b = state.status[g, columns.BOARD]
    state.status[g, columns.TURN] += 1
    slot = state.status[g, columns.TURN] % state.flights.shape[1]
    if state.status[g, columns.COEXISTENCE]:
        coexist(state, board, g, b, slot, board.info[b, columns.PLANETS])
    else:
        battle(state, board, g, b, slot, board.info[b, columns.PLANETS])
    _clear_slot(state, g, slot, board.info[b, columns.PLANETS], board.info[b, columns.EDGES])
    count(state, g, board.info[b, columns.PLANETS])
    _check_elimination(state, g)


@part
def _clear_slot(state, g, slot, planets, edges):
    """Remove the people who have landed from flight; the slot is free for later turns."""
    first = second = 0
    for p in range(planets):
        first += state.arrivals[g, slot, 0, p]
        second += state.arrivals[g, slot, 1, p]
        state.arrivals[g, slot, 0, p] = 0
        state.arrivals[g, slot, 1, p] = 0
    for e in range(edges):
        state.flights[g, slot, e] = 0
    state.totals[g, columns.FLYING_1] -= first
    state.totals[g, columns.FLYING_2] -= second


@part
def count(state, g, planets):
    """People on planets, and planets owned, by player, into totals and clock."""
    first_people = second_people = first_owned = second_owned = 0
    for p in range(planets):
        first, second = state.people[g, 0, p], state.people[g, 1, p]
        first_people += first
        second_people += second
        first_owned += outnumbers(first, second)
        second_owned += outnumbers(second, first)
    state.totals[g, columns.PEOPLE_1] = first_people
    state.totals[g, columns.PEOPLE_2] = second_people
    state.status[g, columns.OWNED_1] = first_owned
    state.status[g, columns.OWNED_2] = second_owned


@part
def _check_elimination(state, g):
    """R10: who owns nothing and has nothing in flight is out; battle draws when both are, coexistence goes on."""
    first = state.status[g, columns.OWNED_1] > 0 or state.totals[g, columns.FLYING_1] > 0
    second = state.status[g, columns.OWNED_2] > 0 or state.totals[g, columns.FLYING_2] > 0
    if first and second:
        return
    if first or second:
        state.status[g, columns.PHASE] = columns.ENDED
        state.status[g, columns.WINNER] = 1 if first else 2
    elif not state.status[g, columns.COEXISTENCE]:
        state.status[g, columns.PHASE] = columns.ENDED


@part
def _reach_limit(state, g):
    """R10: in coexistence the larger population on the planets wins; a game of battles is cut off without a winner."""
    count(state, g, state.people.shape[2])
    if not state.status[g, columns.COEXISTENCE]:
        state.status[g, columns.PHASE] = columns.CUT_OFF
        return
    lead = state.totals[g, columns.PEOPLE_1] - state.totals[g, columns.PEOPLE_2]
    state.status[g, columns.PHASE] = columns.ENDED
    state.status[g, columns.WINNER] = 1 if lead > 0 else 2 if lead < 0 else 0
