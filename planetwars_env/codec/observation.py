"""From a game to the numbers an agent sees: observation and action mask, in place (layout: codec/layout.py)."""

import numpy as np

from planetwars_env.codec import layout
from planetwars_env.codec.layout import Codec
from planetwars_env.engine import columns
from planetwars_env.engine.flights import launched_by
from planetwars_env.engine.kernel import part
from planetwars_env.engine.population import outnumbers
from planetwars_env.engine.state import Array, Board, State


@part
def write_static(
    board: Board, codec: Codec, b: int, row: int, observation: Array, edge_index: Array, mask: Array
) -> None:
    """Write what is constant for a whole game: the slots in use, the edges, and that waiting is always legal."""
    slots, edge_slots = codec.sizes[layout.PLANET_SLOTS], codec.sizes[layout.EDGE_SLOTS]
    edges_at = slots * (layout.ARRIVALS + 2 * codec.sizes[layout.HORIZON])
    observation[row] = 0
    edge_index[row] = 0
    for p in range(board.info[b, columns.PLANETS]):
        observation[row, layout.EXISTS * slots + p] = 1
    for e in range(board.info[b, columns.EDGES]):
        observation[row, edges_at + layout.EDGE_EXISTS * edge_slots + e] = 1
        observation[row, edges_at + layout.EDGE_WEIGHT * edge_slots + e] = (
            board.edges[b, columns.WEIGHT, e] * layout.WEIGHT_SCALE
        )
        edge_index[row, e, 0] = board.edges[b, columns.SOURCE, e]
        edge_index[row, e, 1] = board.edges[b, columns.TARGET, e]
    mask[row] = 0
    if codec.sizes[layout.MAX_ORDERS]:
        mask[row, :1] = 1
    else:
        mask[row, :: 1 + codec.sizes[layout.DEGREE] * codec.sizes[layout.FRACTION_COUNT]] = 1


@part
def write_observation(
    state: State,
    board: Board,
    codec: Codec,
    g: int,
    player: int,
    orders: int,
    row: int,
    scratch: Array,
    observation: Array,
) -> None:
    """Write what changes: game g as ``player`` (0, 1) sees it, into ``observation[row]``; ``scratch[0]`` is from `look`."""
    b = state.status[g, columns.BOARD]
    planets, edges = board.info[b, columns.PLANETS], board.info[b, columns.EDGES]
    slots, edge_slots = codec.sizes[layout.PLANET_SLOTS], codec.sizes[layout.EDGE_SLOTS]
    edges_at = slots * (layout.ARRIVALS + 2 * codec.sizes[layout.HORIZON])
    clock_at = edges_at + edge_slots * layout.EDGE_WIDTH
    numbers = observation[row]
    _write_planets(state, board, g, b, player, planets, slots, scratch[0], numbers)
    _write_arrivals(state, codec, g, player, planets, slots, scratch[0], numbers)
    _write_flights(state, board, g, b, player, edges, edge_slots, numbers[edges_at:clock_at], scratch)
    turns, limit = (state.status[g, columns.TURN] + 1 - player) // 2 * 2, state.status[g, columns.LIMIT]
    numbers[clock_at] = 0.0 if limit == columns.NO_LIMIT else turns / limit
    if codec.sizes[layout.MAX_ORDERS]:
        numbers[clock_at + layout.CLOCK_WIDTH - 1] = orders / codec.sizes[layout.MAX_ORDERS]


@part
def _write_planets(state, board, g, b, player, planets, slots, visible, numbers):
    """R9: the details of visible planets, nothing of any other."""
    mine, opponents = state.people[g, player], state.people[g, 1 - player]
    _write_owner(mine, opponents, visible, planets, slots, numbers)
    my_people = numbers[layout.MY_PEOPLE * slots : (layout.MY_PEOPLE + 1) * slots]
    their_people = numbers[layout.OPPONENT_PEOPLE * slots : (layout.OPPONENT_PEOPLE + 1) * slots]
    _write_scaled(mine, opponents, visible, planets, layout.PEOPLE_SCALE, layout.PEOPLE_SCALE, my_people, their_people)
    sizes, rates = board.planets[b, columns.SIZE], board.planets[b, columns.HABITABILITY]
    size = numbers[layout.SIZE_FEATURE * slots : (layout.SIZE_FEATURE + 1) * slots]
    habitability = numbers[layout.HABITABILITY_FEATURE * slots : (layout.HABITABILITY_FEATURE + 1) * slots]
    _write_scaled(sizes, rates, visible, planets, layout.PEOPLE_SCALE, layout.HABITABILITY_SCALE, size, habitability)
    my_base, opponent_base = board.info[b, columns.BASE_1 + player], board.info[b, columns.BASE_1 + 1 - player]
    # Both features at both bases: where one agent plays both sides, the row showed the opponent's view before.
    numbers[layout.MY_BASE * slots + my_base] = visible[my_base]
    numbers[layout.MY_BASE * slots + opponent_base] = 0
    numbers[layout.OPPONENT_BASE * slots + opponent_base] = visible[opponent_base]
    numbers[layout.OPPONENT_BASE * slots + my_base] = 0


@part
def _write_owner(mine, opponents, visible, planets, slots, numbers):
    seen = numbers[layout.VISIBLE * slots : (layout.VISIBLE + 1) * slots]
    own = numbers[layout.MINE * slots : (layout.MINE + 1) * slots]
    opponent = numbers[layout.OPPONENT * slots : (layout.OPPONENT + 1) * slots]
    neutral = numbers[layout.NEUTRAL * slots : (layout.NEUTRAL + 1) * slots]
    none = np.float32(0)
    for p in range(planets):
        shown = np.float32(visible[p])
        seen[p] = shown
        own[p] = shown if outnumbers(mine[p], opponents[p]) else none
        opponent[p] = shown if outnumbers(opponents[p], mine[p]) else none
        neutral[p] = shown if opponents[p] == mine[p] else none


@part
def _write_scaled(values, others, visible, planets, scale, others_scale, feature, other):
    """Two features of all planets, 0 where they are not visible.

    Given as slices, because an index with an offset, which might be negative, keeps the compiler from doing several at once.
    """
    for p in range(planets):
        shown = np.float32(visible[p])
        feature[p] = np.float32(values[p]) * (shown * np.float32(scale))
        other[p] = np.float32(others[p]) * (shown * np.float32(others_scale))


@part
def _write_arrivals(state, codec, g, player, planets, slots, visible, numbers):
    """Incoming people by player and turns to go; those beyond the horizon share the last bin."""
    horizon, landings = codec.sizes[layout.HORIZON], state.arrivals.shape[1]
    slot, scale = state.status[g, columns.TURN] % landings, layout.PEOPLE_SCALE
    for to_go in range(1, landings + 1):
        slot = slot + 1 if slot + 1 < landings else 0
        mine, theirs = state.arrivals[g, slot, player], state.arrivals[g, slot, 1 - player]
        feature = layout.ARRIVALS + min(to_go, horizon) - 1
        my_bin = numbers[feature * slots : (feature + 1) * slots]
        their_bin = numbers[(feature + horizon) * slots : (feature + horizon + 1) * slots]
        if to_go <= horizon:
            _write_scaled(mine, theirs, visible, planets, scale, scale, my_bin, their_bin)
            continue
        for p in range(planets):
            my_bin[p] += np.float32(mine[p]) * np.float32(visible[p]) * np.float32(scale)
            their_bin[p] += np.float32(theirs[p]) * np.float32(visible[p]) * np.float32(scale)


@part
def _write_flights(state, board, g, b, player, edges, slots, numbers, scratch):
    """People on their way along every edge, by player, where the planet they fly to is visible.

    Who launches on an edge lands with two turns between, so sums over every other slot tell the players apart.
    """
    landings, turn = state.flights.shape[1], state.status[g, columns.TURN]
    slot, turns, targets = turn % landings, board.edges[b, columns.TURNS], board.edges[b, columns.TARGET]
    visible, even, odd = scratch[0], scratch[1], scratch[2]
    for e in range(edges):
        even[e] = 0
        odd[e] = 0
    for to_go in range(1, landings + 1):
        slot = slot + 1 if slot + 1 < landings else 0
        people = state.flights[g, slot]
        if to_go & 1:
            for e in range(edges):
                odd[e] += people[e]
        else:
            for e in range(edges):
                even[e] += people[e]
    my_flight = numbers[layout.MY_FLIGHT * slots : (layout.MY_FLIGHT + 1) * slots]
    opponent_flight = numbers[layout.OPPONENT_FLIGHT * slots : (layout.OPPONENT_FLIGHT + 1) * slots]
    for e in range(edges):
        my_flight[e] = np.float32(visible[np.uint32(targets[e])])  # apart, since looking it up takes an edge at a time
    for e in range(edges):
        scale, on_even, on_odd = my_flight[e] * np.float32(layout.PEOPLE_SCALE), np.float32(even[e]), np.float32(odd[e])
        even_is_mine = launched_by(turn, 0, turns[e]) == player
        my_flight[e] = (on_even if even_is_mine else on_odd) * scale
        opponent_flight[e] = (on_odd if even_is_mine else on_even) * scale


@part
def write_mask(
    state: State, board: Board, codec: Codec, g: int, player: int, row: int, visible: Array, mask: Array
) -> None:
    """True where R8 allows the move and its source is visible: all edges and fractions of a planet, or none of them.

    The same for each of a planet's sends: whether the earlier ones leave anybody is not known yet. A mask without entries is
    not wanted.
    """
    if mask.shape[1] == 0:
        return
    b = state.status[g, columns.BOARD]
    running, people = state.status[g, columns.PHASE] == columns.RUNNING, state.people[g, player]
    first, choices, flags = board.edge_offsets[b], codec.sizes[layout.FRACTION_COUNT], mask[row]
    # Distance between the beginnings of two planets: so much a planet, and so much for every edge between.
    per_planet, per_edge = 1 + codec.sizes[layout.DEGREE] * choices, 0
    if codec.sizes[layout.MAX_ORDERS]:
        per_planet, per_edge = 0, choices
    per_send, sends = codec.sizes[layout.PLANET_SLOTS] * per_planet, codec.sizes[layout.SENDS]
    for p in range(board.info[b, columns.PLANETS]):
        edge, end = first[p], first[np.uintp(p) + np.uintp(1)]
        start = np.uintp(1 + p * per_planet + edge * per_edge)
        able = running & visible[p] & (people[p] > 0)
        if edge < end and flags[start] != able:
            for send in range(sends):
                at = start + np.uintp(send * per_send)
                for choice in range(at, at + np.uintp((end - edge) * choices)):
                    flags[choice] = able
