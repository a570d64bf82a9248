"""Time passing on the planets of SpaceExplorers: both players live on a planet, the majority owns it."""

from planetwars_env.engine.columns import SIZE
from planetwars_env.engine.kernel import part
from planetwars_env.engine.population import grown, loss, outnumbers
from planetwars_env.engine.state import Board, State


@part
def coexist(state: State, board: Board, g: int, b: int, slot: int, planets: int) -> None:
    """R4, R6, R7 on every planet of game g, with the people of landing slot ``slot``."""
    for p in range(planets):
        size = board.planets[b, SIZE, p]
        first, second = _grow(state.people[g, 0, p], state.people[g, 1, p], size, board.growth[b, p])
        lead = first - second
        first, second = _land(first, second, state.arrivals[g, slot, 0, p], state.arrivals[g, slot, 1, p], size)
        first, second = _shrink(first, second, size, lead)
        state.people[g, 0, p] = first
        state.people[g, 1, p] = second


@part
def _grow(first, second, size, growth):
    """R4: each player receives its share of the increase, rounded down; the rest goes to the larger, player 1 on a tie."""
    people = first + second
    if people == 0:
        return first, second
    increase = int(grown(people, size, growth)) - people
    first_share = int(increase * (first / people))
    second_share = int(increase * (second / people))
    rest = increase - first_share - second_share
    first += first_share
    second += second_share
    if first >= second:
        return first + rest, second
    return first, second + rest


@part
def _land(first, second, first_arriving, second_arriving, size):
    """R6: the owner's people always land; the opponent's fill the room that is left; on a neutral planet both share it."""
    if outnumbers(first, second):
        first += first_arriving
        return first, second + min(second_arriving, max(0, size - first))
    if outnumbers(second, first):
        second += second_arriving
        return first + min(first_arriving, max(0, size - second)), second
    return _land_on_neutral(first, second, first_arriving, second_arriving, size)


@part
def _land_on_neutral(first, second, first_arriving, second_arriving, size):
    """R6: full: all are lost. Else the larger side comes whole, the smaller into the room that this arrival leaves."""
    if first + second >= size:
        return first, second
    if first_arriving > second_arriving:
        return first + first_arriving, second + min(second_arriving, max(0, size - first_arriving))
    if second_arriving > first_arriving:
        return first + min(first_arriving, max(0, size - second_arriving)), second + second_arriving
    if first + second + first_arriving + second_arriving >= size:
        return size // 2, size // 2
    return first + first_arriving, second + second_arriving


@part
def _shrink(first, second, size, lead):
    """R7: the loss is the owner's: who led before the landing, else who leads after it, else player 2."""
    lost = int(loss(first + second, size))
    if lead == 0:
        lead = first - second
    if lead > 0:
        return first - min(lost, first), second
    return first, second - min(lost, second)
