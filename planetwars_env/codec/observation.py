"""From a game to the numbers an agent sees: observation and action mask, in place (layout: codec/layout.py)."""

import numpy as np

from planetwars_env.codec.layout import (
    ARRIVALS,
    CLOCK_WIDTH,
    DEGREE,
    EDGE_EXISTS,
    EDGE_SLOTS,
    EDGE_WEIGHT,
    EDGE_WIDTH,
    EXISTS,
    FRACTIONS,
    GROWTH_FEATURE,
    GROWTH_SCALE,
    HORIZON,
    MAX_ORDERS,
    MINE,
    MY_BASE,
    MY_FLIGHT,
    MY_PEOPLE,
    NEUTRAL,
    PEOPLE_SCALE,
    PLANET_SLOTS,
    RIVAL,
    RIVAL_BASE,
    RIVAL_FLIGHT,
    RIVAL_PEOPLE,
    SIZE_FEATURE,
    VISIBLE,
    WEIGHT_SCALE,
    Codec,
)
from planetwars_env.engine.flights import launched_by
from planetwars_env.engine.kernel import part
from planetwars_env.engine.population import outnumbers
from planetwars_env.engine.state import (
    BASE_1,
    BOARD,
    EDGES,
    HABITABILITY,
    LIMIT,
    NO_LIMIT,
    PLANETS,
    RUNNING,
    SIZE,
    SOURCE,
    STATUS,
    TARGET,
    TURN,
    TURNS,
    WEIGHT,
    Array,
    Board,
    State,
)


@part
def write_static(
    board: Board, codec: Codec, b: int, row: int, observation: Array, edge_index: Array, mask: Array
) -> None:
    """What stays as it is for a whole game: which slots are used, the edges, that waiting is always legal."""
    slots, edge_slots = codec.sizes[PLANET_SLOTS], codec.sizes[EDGE_SLOTS]
    edges_at = slots * (ARRIVALS + 2 * codec.sizes[HORIZON])
    observation[row] = 0
    edge_index[row] = 0
    mask[row] = 0
    for p in range(board.info[b, PLANETS]):
        observation[row, EXISTS * slots + p] = 1
    for e in range(board.info[b, EDGES]):
        observation[row, edges_at + EDGE_EXISTS * edge_slots + e] = 1
        observation[row, edges_at + EDGE_WEIGHT * edge_slots + e] = board.edges[b, WEIGHT, e] * WEIGHT_SCALE
        edge_index[row, e, 0] = board.edges[b, SOURCE, e]
        edge_index[row, e, 1] = board.edges[b, TARGET, e]
    if codec.sizes[MAX_ORDERS]:
        mask[row, 0] = 1
    else:
        for p in range(slots):
            mask[row, p * (1 + codec.sizes[DEGREE] * codec.sizes[FRACTIONS])] = 1


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
    """What changes: game g as ``player`` (0, 1) sees it, into ``observation[row]``; ``scratch[0]`` comes from `look`."""
    b = state.clock[g, BOARD]
    planets, edges = board.info[b, PLANETS], board.info[b, EDGES]
    slots, edge_slots = codec.sizes[PLANET_SLOTS], codec.sizes[EDGE_SLOTS]
    edges_at = slots * (ARRIVALS + 2 * codec.sizes[HORIZON])
    clock_at = edges_at + edge_slots * EDGE_WIDTH
    numbers = observation[row]
    _write_planets(state, board, g, b, player, planets, slots, scratch[0], numbers)
    _write_arrivals(state, codec, g, player, planets, slots, scratch[0], numbers)
    _write_flights(state, board, g, b, player, edges, edge_slots, numbers[edges_at:clock_at], scratch)
    turns, limit = (state.clock[g, TURN] + 1 - player) // 2 * 2, state.clock[g, LIMIT]
    numbers[clock_at] = 0.0 if limit == NO_LIMIT else turns / limit
    if codec.sizes[MAX_ORDERS]:
        numbers[clock_at + CLOCK_WIDTH - 1] = orders / codec.sizes[MAX_ORDERS]


@part
def _write_planets(state, board, g, b, player, planets, slots, visible, numbers):
    """R9: the details of visible planets, nothing of any other."""
    mine, rivals = state.people[g, player], state.people[g, 1 - player]
    _write_owner(mine, rivals, visible, planets, slots, numbers)
    _write_scaled(mine, visible, PEOPLE_SCALE, planets, numbers, MY_PEOPLE * slots)
    _write_scaled(rivals, visible, PEOPLE_SCALE, planets, numbers, RIVAL_PEOPLE * slots)
    _write_scaled(board.planets[b, SIZE], visible, PEOPLE_SCALE, planets, numbers, SIZE_FEATURE * slots)
    _write_scaled(board.planets[b, HABITABILITY], visible, GROWTH_SCALE, planets, numbers, GROWTH_FEATURE * slots)
    my_base, rival_base = board.info[b, BASE_1 + player], board.info[b, BASE_1 + 1 - player]
    # Both features at both bases: where one agent plays both sides, the row showed the rival's view before.
    numbers[MY_BASE * slots + my_base] = visible[my_base]
    numbers[MY_BASE * slots + rival_base] = 0
    numbers[RIVAL_BASE * slots + rival_base] = visible[rival_base]
    numbers[RIVAL_BASE * slots + my_base] = 0


@part
def _write_owner(mine, rivals, visible, planets, slots, numbers):
    seen = numbers[VISIBLE * slots : (VISIBLE + 1) * slots]
    own = numbers[MINE * slots : (MINE + 1) * slots]
    rival = numbers[RIVAL * slots : (RIVAL + 1) * slots]
    neutral = numbers[NEUTRAL * slots : (NEUTRAL + 1) * slots]
    for p in range(planets):
        seen[p] = visible[p]
    for p in range(planets):
        own[p] = visible[p] & outnumbers(mine[p], rivals[p])
    for p in range(planets):
        rival[p] = visible[p] & outnumbers(rivals[p], mine[p])
    for p in range(planets):
        neutral[p] = visible[p] & (rivals[p] == mine[p])


@part
def _write_scaled(values, visible, scale, planets, numbers, at):
    """One feature of all planets, 0 where they are not visible.

    A slice, because an index with an offset, which might be negative, keeps the compiler from doing several at once.
    """
    feature = numbers[at : at + planets]
    for p in range(planets):
        feature[p] = np.float32(values[p]) * np.float32(visible[p]) * np.float32(scale)


@part
def _write_arrivals(state, codec, g, player, planets, slots, visible, numbers):
    """Incoming people by player and turns to go; those beyond the horizon share the last bin."""
    horizon, landings = codec.sizes[HORIZON], state.arrivals.shape[1]
    slot = state.clock[g, TURN] % landings
    for to_go in range(1, landings + 1):
        slot = slot + 1 if slot + 1 < landings else 0
        for side in range(2):
            people = state.arrivals[g, slot, player if side == 0 else 1 - player]
            at = (ARRIVALS + min(to_go, horizon) - 1 + side * horizon) * slots
            if to_go <= horizon:
                _write_scaled(people, visible, PEOPLE_SCALE, planets, numbers, at)
            else:
                feature = numbers[at : at + planets]
                for p in range(planets):
                    feature[p] += np.float32(people[p]) * np.float32(visible[p]) * np.float32(PEOPLE_SCALE)


@part
def _write_flights(state, board, g, b, player, edges, slots, numbers, scratch):
    """People on their way along every edge, by player, where the planet they fly to is visible.

    Who launches on an edge lands with two turns between, so sums over every other slot tell the players apart.
    """
    landings, turn = state.flights.shape[1], state.clock[g, TURN]
    slot, turns, targets = turn % landings, board.edges[b, TURNS], board.edges[b, TARGET]
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
    my_flight = numbers[MY_FLIGHT * slots : (MY_FLIGHT + 1) * slots]
    rival_flight = numbers[RIVAL_FLIGHT * slots : (RIVAL_FLIGHT + 1) * slots]
    for e in range(edges):
        scale = np.float32(visible[np.uint32(targets[e])]) * np.float32(PEOPLE_SCALE)
        even_is_mine = launched_by(turn, 0, turns[e]) == player
        my_flight[e] = np.float32(even[e] if even_is_mine else odd[e]) * scale
        rival_flight[e] = np.float32(odd[e] if even_is_mine else even[e]) * scale


@part
def write_mask(
    state: State, board: Board, codec: Codec, g: int, player: int, row: int, visible: Array, mask: Array
) -> None:
    """True where R8 allows the move and its source is visible: all edges and fractions of a planet, or none of them."""
    b = state.clock[g, BOARD]
    running, people = state.clock[g, STATUS] == RUNNING, state.people[g, player]
    first, choices, flags = board.first[b], codec.sizes[FRACTIONS], mask[row]
    per_planet, per_edge = _spacing(codec)
    for p in range(board.info[b, PLANETS]):
        edge, end = first[p], first[np.uintp(p) + np.uintp(1)]
        start = np.uintp(1 + p * per_planet + edge * per_edge)
        able = running & visible[p] & (people[p] > 0)
        if edge < end and flags[start] != able:
            for choice in range(start, start + np.uintp((end - edge) * choices)):
                flags[choice] = able


@part
def first_choice(board: Board, codec: Codec, b: int, p: int) -> int:
    """The place in the mask of planet p's first edge and fraction; the rest of its choices follow without a gap."""
    per_planet, per_edge = _spacing(codec)
    return 1 + p * per_planet + board.first[b, p] * per_edge


@part
def _spacing(codec):
    """How far apart in the mask two planets begin: so much a planet, and so much for every edge between them."""
    if codec.sizes[MAX_ORDERS]:
        return 0, codec.sizes[FRACTIONS]
    return 1 + codec.sizes[DEGREE] * codec.sizes[FRACTIONS], 0
