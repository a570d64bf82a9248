"""The observation that an agent should get: mask, planets, edges and clock, read off the position number by number.

The layout is that of codec/layout.py; the values are read here a second time, planet by planet and flight by flight.
"""

from planetwars_env.codec import layout
from planetwars_env.codec.layout import Codec
from planetwars_env.engine import columns
from planetwars_env.engine.kernel import part
from planetwars_env.engine.state import Array, Board, State
from planetwars_env.sim import fields
from planetwars_env.sim.buffers import StepBuffers
from scripts.verification.reference_rules import flier


@part
def show(state: State, board: Board, codec: Codec, buffers: StepBuffers, g: int, layer: int, seen: Array) -> None:
    """Write into ``layer`` of the buffers what the agent of game g is to see; ``seen`` [P] says which planets it sees."""
    me, orders = buffers.control[g, fields.AGENT_PLAYER], buffers.control[g, fields.ORDERS]
    shown, index = buffers.observation[layer, g], buffers.edge_index[layer, g]
    edges_at = codec.sizes[layout.PLANET_SLOTS] * (layout.ARRIVALS + 2 * codec.sizes[layout.HORIZON])
    clock_at = edges_at + codec.sizes[layout.EDGE_SLOTS] * layout.EDGE_WIDTH
    for i in range(shown.shape[0]):
        shown[i] = 0.0
    _show_planets(state, board, codec, g, me, seen, shown)
    _show_edges(state, board, codec, g, me, seen, shown, edges_at)
    turn, limit = state.status[g, columns.TURN], state.status[g, columns.LIMIT]
    own_turns = (turn + 1) // 2 if me == 0 else turn // 2
    shown[clock_at] = own_turns * 2 / limit
    if codec.sizes[layout.MAX_ORDERS]:
        shown[clock_at + layout.CLOCK_WIDTH - 1] = orders / codec.sizes[layout.MAX_ORDERS]
    _show_mask(state, board, codec, g, me, seen, buffers.mask[layer, g])
    b = state.status[g, columns.BOARD]
    for e in range(index.shape[0]):
        for end in range(2):
            index[e, end] = board.edges[b, columns.SOURCE + end, e] if e < board.info[b, columns.EDGES] else 0


@part
def _show_planets(state, board, codec, g, me, seen, shown):
    b, slots = state.status[g, columns.BOARD], codec.sizes[layout.PLANET_SLOTS]
    for p in range(board.info[b, columns.PLANETS]):
        shown[layout.EXISTS * slots + p] = 1.0
        if seen[p]:
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
def _show_edges(state, board, codec, g, me, seen, shown, edges_at):
    """Edges, and people in flight to visible planets: by landing and planet, the agent's own first, and by edge."""
    b = state.status[g, columns.BOARD]
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
            if people > 0 and seen[target]:
                mine = flier(turn, slot, slots, board.edges[b, columns.TURNS, e]) == me
                feature = layout.ARRIVALS + bin + (0 if mine else horizon)
                shown[feature * planet_slots + target] += people * layout.PEOPLE_SCALE
                feature = layout.MY_FLIGHT if mine else layout.OPPONENT_FLIGHT
                shown[edges_at + feature * edge_slots + e] += people * layout.PEOPLE_SCALE


@part
def _show_mask(state, board, codec, g, me, seen, mask):
    """R8 allows the move and R9 shows its source; waiting is always allowed."""
    b = state.status[g, columns.BOARD]
    fractions, orders = codec.sizes[layout.FRACTION_COUNT], codec.sizes[layout.MAX_ORDERS]
    row = 1 + codec.sizes[layout.DEGREE] * fractions
    for i in range(mask.shape[0]):
        mask[i] = i == 0 or (not orders and i % row == 0)
    leaving = 0
    for e in range(board.info[b, columns.EDGES]):
        source = board.edges[b, columns.SOURCE, e]
        leaving = leaving + 1 if e and source == board.edges[b, columns.SOURCE, e - 1] else 0
        if state.status[g, columns.PHASE] == columns.RUNNING and seen[source] and state.people[g, me, source]:
            at = 1 + e * fractions if orders else source * row + 1 + leaving * fractions
            for k in range(fractions):
                mask[at + k] = 1
    one_send = mask.shape[0] // codec.sizes[layout.SENDS]
    for i in range(one_send, mask.shape[0]):
        mask[i] = mask[i - one_send]
