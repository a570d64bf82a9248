"""From an agent's choice to moves. An illegal choice does nothing: people leave only where the agent was shown its own."""

import numpy as np

from planetwars_env.codec.layout import FRACTION_COUNT, MY_PEOPLE, PLANET_SLOTS, SENDS, Codec
from planetwars_env.engine.columns import BOARD, EDGES, PHASE, PLANETS, RUNNING, SOURCE
from planetwars_env.engine.kernel import part
from planetwars_env.engine.state import Array, Board, State
from planetwars_env.engine.turn import send


@part
def carry_out_turn(
    state: State, board: Board, codec: Codec, g: int, player: int, action: Array, action_row: int, seen: Array, row: int
) -> None:
    """actions="turn": every planet waits (0) or sends one fraction along one of its edges (1 + edge slot * K + fraction).

    Then all planets may send again, as many times as the codec has sends, each a fraction of what is left: of nobody, nobody.
    ``seen[row]``: the observation that was acted on.
    """
    b, fractions, slots = state.status[g, BOARD], codec.sizes[FRACTION_COUNT], codec.sizes[PLANET_SLOTS]
    offsets, people = board.edge_offsets[b], seen[row, MY_PEOPLE * slots : (MY_PEOPLE + 1) * slots]
    if state.status[g, PHASE] != RUNNING:
        return
    for first in range(0, codec.sizes[SENDS] * slots, slots):
        for p in range(board.info[b, PLANETS]):
            choice = action[action_row, first + p] - 1
            choices = (offsets[np.uintp(p) + np.uintp(1)] - offsets[p]) * fractions
            # One branch and not two: half of all choices wait, which no processor foresees.
            if (choice >= 0) & (choice < choices) & (people[p] > 0):
                edge = np.uintp(offsets[p]) + np.uintp(choice) // np.uintp(fractions)
                _send_fraction(state, board, codec, g, player, p, edge, np.uintp(choice) % np.uintp(fractions))


@part
def carry_out_order(
    state: State, board: Board, codec: Codec, g: int, player: int, choice: int, seen: Array, row: int
) -> None:
    """actions="order": a fraction of the source's people along one directed edge (1 + edge * K + fraction)."""
    b, edge = state.status[g, BOARD], (choice - 1) // codec.sizes[FRACTION_COUNT]
    if choice < 1 or edge >= board.info[b, EDGES] or state.status[g, PHASE] != RUNNING:
        return
    source = board.edges[b, SOURCE, edge]
    if seen[row, MY_PEOPLE * codec.sizes[PLANET_SLOTS] + source] > 0:
        _send_fraction(state, board, codec, g, player, source, edge, (choice - 1) % codec.sizes[FRACTION_COUNT])


@part
def sends_the_same(codec: Codec, choice: int, other: int, people: int) -> bool:
    """Whether two choices that send some of a planet's ``people`` send the same number along the same edge."""
    fractions, choice, other = codec.sizes[FRACTION_COUNT], choice - 1, other - 1
    if choice < 0 or other < 0 or choice // fractions != other // fractions:
        return False
    return number_sent(codec, choice % fractions, people) == number_sent(codec, other % fractions, people)


@part
def number_sent(codec: Codec, k: int, people: int) -> int:
    """Fraction ``k`` of ``people``: of n people a fraction f is max(1, floor(f * n))."""
    return max(1, int(codec.fractions[k] * people))


@part
def _send_fraction(state, board, codec, g, player, source, edge, k):
    send(state, board, g, player, edge, number_sent(codec, k, state.people[g, player, source]))
