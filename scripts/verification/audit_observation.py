"""Audit of observations: mask, planets, edges and clock are compared with the position number by number.

The layout is that of codec/layout.py; the values are read here a second time, planet by planet and flight by flight.
"""

from planetwars_env.codec import layout
from planetwars_env.codec.layout import Codec
from planetwars_env.engine import columns
from planetwars_env.engine.kernel import part
from planetwars_env.engine.state import Array, Board, State
from planetwars_env.sim import fields
from scripts.verification.reference_rules import flier
from scripts.verification.shadow_state import CLOCK_SHOWN, EDGE_SHOWN, MASK, PLANET_SHOWN, ShadowState, fail

_EXACT = 2e-6
"""Of its value: how far a float32 may lie from the number that it shows."""


@part
def check_shown(
    state: State, board: Board, codec: Codec, shadow: ShadowState, g: int, row: Array, edge_index: Array, mask: Array
) -> None:
    """Compare ``row`` [L], ``edge_index`` [E, 2] and ``mask`` [A] with what the agent of game g is to see of ``state``.

    ``shadow.seen`` [P] says which planets it sees; the first difference goes into ``shadow.fault``.
    """
    edges_at = codec.sizes[layout.PLANET_SLOTS] * (layout.ARRIVALS + 2 * codec.sizes[layout.HORIZON])
    clock_at = edges_at + codec.sizes[layout.EDGE_SLOTS] * layout.EDGE_WIDTH
    _expect_planets(state, board, codec, shadow, g)
    _expect_edges(state, board, codec, shadow, g, edges_at)
    turn, limit = state.status[g, columns.TURN], state.status[g, columns.LIMIT]
    own_turns = (turn + 1) // 2 if shadow.control[g, fields.AGENT_PLAYER] == 0 else turn // 2
    shadow.shown[clock_at] = own_turns * 2 / limit
    if codec.sizes[layout.MAX_ORDERS]:
        shadow.shown[clock_at + layout.CLOCK_WIDTH - 1] = (
            shadow.control[g, fields.ORDERS] / codec.sizes[layout.MAX_ORDERS]
        )
    for i in range(row.shape[0]):
        expected, found = shadow.shown[i], row[i]
        if not abs(found - expected) <= _EXACT * abs(expected):
            code = PLANET_SHOWN if i < edges_at else EDGE_SHOWN if i < clock_at else CLOCK_SHOWN
            fail(shadow.fault, g, code, i, int(1000 * expected), int(1000 * found))
    _expect_mask(state, board, codec, shadow, g)
    for i in range(mask.shape[0]):
        if mask[i] != shadow.mask[i]:
            fail(shadow.fault, g, MASK, i, shadow.mask[i], mask[i])
    b = state.status[g, columns.BOARD]
    for e in range(edge_index.shape[0]):
        for end in range(2):
            planet = board.edges[b, columns.SOURCE + end, e] if e < board.info[b, columns.EDGES] else 0
            if edge_index[e, end] != planet:
                fail(shadow.fault, g, EDGE_SHOWN, e, planet, edge_index[e, end])


@part
def _expect_planets(state, board, codec, shadow, g):
    """The numbers of planets; all others are set to 0."""
    shown, slots = shadow.shown, codec.sizes[layout.PLANET_SLOTS]
    b, me = state.status[g, columns.BOARD], shadow.control[g, fields.AGENT_PLAYER]
    for i in range(shown.shape[0]):
        shown[i] = 0.0
    for p in range(board.info[b, columns.PLANETS]):
        shown[layout.EXISTS * slots + p] = 1.0
        if shadow.seen[p]:
            mine, opponents = state.people[g, me, p], state.people[g, 1 - me, p]
            shown[layout.VISIBLE * slots + p] = 1.0
            owner = layout.MINE if mine > opponents else layout.OPPONENT if mine < opponents else layout.NEUTRAL
            shown[owner * slots + p] = 1.0
            shown[layout.MY_BASE * slots + p] = p == board.info[b, columns.BASE_1 + me]
            shown[layout.OPPONENT_BASE * slots + p] = p == board.info[b, columns.BASE_1 + 1 - me]
            shown[layout.MY_PEOPLE * slots + p] = mine * layout.PEOPLE_SCALE
            shown[layout.OPPONENT_PEOPLE * slots + p] = opponents * layout.PEOPLE_SCALE
            shown[layout.SIZE_FEATURE * slots + p] = board.planets[b, columns.SIZE, p] * layout.PEOPLE_SCALE
            habitability = board.planets[b, columns.HABITABILITY, p]
            shown[layout.HABITABILITY_FEATURE * slots + p] = habitability * layout.HABITABILITY_SCALE


@part
def _expect_edges(state, board, codec, shadow, g, edges_at):
    """Edges, and people in flight to visible planets: by landing and planet, the agent's own first, and by edge."""
    shown, b, me = shadow.shown, state.status[g, columns.BOARD], shadow.control[g, fields.AGENT_PLAYER]
    planet_slots, edge_slots, horizon = (
        codec.sizes[layout.PLANET_SLOTS], codec.sizes[layout.EDGE_SLOTS], codec.sizes[layout.HORIZON]
    )  # fmt: skip
    for e in range(board.info[b, columns.EDGES]):
        shown[edges_at + layout.EDGE_EXISTS * edge_slots + e] = 1.0
        weight = board.edges[b, columns.WEIGHT, e]
        shown[edges_at + layout.EDGE_WEIGHT * edge_slots + e] = weight * layout.WEIGHT_SCALE
    slots, turn = state.flights.shape[1], state.status[g, columns.TURN]
    for slot in range(slots):
        bin = min((slot - turn - 1) % slots + 1, horizon) - 1
        for e in range(board.info[b, columns.EDGES]):
            people, target = state.flights[g, slot, e], board.edges[b, columns.TARGET, e]
            if people > 0 and shadow.seen[target]:
                mine = flier(turn, slot, slots, board.edges[b, columns.TURNS, e]) == me
                feature = layout.ARRIVALS + bin + (0 if mine else horizon)
                shown[feature * planet_slots + target] += people * layout.PEOPLE_SCALE
                feature = layout.MY_FLIGHT if mine else layout.OPPONENT_FLIGHT
                shown[edges_at + feature * edge_slots + e] += people * layout.PEOPLE_SCALE


@part
def _expect_mask(state, board, codec, shadow, g):
    """R8 allows the move and R9 shows its source; waiting is always allowed."""
    b, me = state.status[g, columns.BOARD], shadow.control[g, fields.AGENT_PLAYER]
    fractions, orders = codec.sizes[layout.FRACTION_COUNT], codec.sizes[layout.MAX_ORDERS]
    row = 1 + codec.sizes[layout.DEGREE] * fractions
    for i in range(shadow.mask.shape[0]):
        shadow.mask[i] = i == 0 or (not orders and i % row == 0)
    leaving = 0
    for e in range(board.info[b, columns.EDGES]):
        source = board.edges[b, columns.SOURCE, e]
        leaving = leaving + 1 if e and source == board.edges[b, columns.SOURCE, e - 1] else 0
        if state.status[g, columns.PHASE] == columns.RUNNING and shadow.seen[source] and state.people[g, me, source]:
            at = 1 + e * fractions if orders else source * row + 1 + leaving * fractions
            for k in range(fractions):
                shadow.mask[at + k] = 1
    one_send = shadow.mask.shape[0] // codec.sizes[layout.SENDS]
    for i in range(one_send, shadow.mask.shape[0]):
        shadow.mask[i] = shadow.mask[i - one_send]
