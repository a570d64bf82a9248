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
from planetwars_env.engine.kernel import part
from planetwars_env.engine.state import (
    BASE_1,
    BOARD,
    EDGES,
    HABITABILITY,
    LIMIT,
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
from planetwars_env.engine.view import launched_by


@part
def write_static(
    board: Board, codec: Codec, b: int, row: int, observation: Array, edge_index: Array, mask: Array
) -> None:
    """What stays as it is for a whole game: which slots are used, the edges, that waiting is always legal."""
    width = ARRIVALS + 2 * codec.sizes[HORIZON]
    edges_at = codec.sizes[PLANET_SLOTS] * width
    observation[row] = 0
    edge_index[row] = 0
    mask[row] = 0
    for p in range(board.info[b, PLANETS]):
        observation[row, p * width + EXISTS] = 1
    for e in range(board.info[b, EDGES]):
        at = edges_at + e * EDGE_WIDTH
        observation[row, at + EDGE_EXISTS] = 1
        observation[row, at + EDGE_WEIGHT] = board.edges[b, WEIGHT, e] * WEIGHT_SCALE
        edge_index[row, e, 0] = board.edges[b, SOURCE, e]
        edge_index[row, e, 1] = board.edges[b, TARGET, e]
    if codec.sizes[MAX_ORDERS]:
        mask[row, 0] = 1
    else:
        for p in range(codec.sizes[PLANET_SLOTS]):
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
    width = ARRIVALS + 2 * codec.sizes[HORIZON]
    for p in range(board.info[b, PLANETS]):
        _write_planet(state, board, g, b, player, p, row, p * width, scratch[0, p], observation)
    _write_arrivals(state, board, codec, g, b, player, row, width, scratch, observation)
    edges_at = codec.sizes[PLANET_SLOTS] * width
    _write_flights(state, board, g, b, player, row, edges_at, scratch, observation)
    clock_at = edges_at + codec.sizes[EDGE_SLOTS] * EDGE_WIDTH
    observation[row, clock_at] = (state.clock[g, TURN] + 1 - player) // 2 * 2 / state.clock[g, LIMIT]
    if codec.sizes[MAX_ORDERS]:
        observation[row, clock_at + CLOCK_WIDTH - 1] = orders / codec.sizes[MAX_ORDERS]


@part
def _write_planet(state, board, g, b, player, p, row, at, seen, observation):
    """R9: the details of a visible planet, nothing of any other."""
    scale = np.float32(seen) * np.float32(PEOPLE_SCALE)
    mine, rival = state.people[g, player, p], state.people[g, 1 - player, p]
    observation[row, at + VISIBLE] = seen
    observation[row, at + MINE] = seen & (mine > rival)
    observation[row, at + RIVAL] = seen & (rival > mine)
    observation[row, at + NEUTRAL] = seen & (mine == rival)
    observation[row, at + MY_BASE] = seen & (board.info[b, BASE_1 + player] == p)
    observation[row, at + RIVAL_BASE] = seen & (board.info[b, BASE_1 + 1 - player] == p)
    observation[row, at + MY_PEOPLE] = np.float32(mine) * scale
    observation[row, at + RIVAL_PEOPLE] = np.float32(rival) * scale
    observation[row, at + SIZE_FEATURE] = np.float32(board.planets[b, SIZE, p]) * scale
    observation[row, at + GROWTH_FEATURE] = np.float32(board.planets[b, HABITABILITY, p] * seen) * np.float32(
        GROWTH_SCALE
    )


@part
def _write_arrivals(state, board, codec, g, b, player, row, width, scratch, observation):
    """Incoming people by player and turns to go; those beyond the horizon share the last bin."""
    horizon, slots, planets = codec.sizes[HORIZON], state.arrivals.shape[1], board.info[b, PLANETS]
    slot = state.clock[g, TURN] % slots
    for to_go in range(1, slots + 1):
        slot = slot + 1 if slot + 1 < slots else 0
        bin = min(to_go, horizon) - 1
        for p in range(planets):
            scale = np.float32(scratch[0, p]) * np.float32(PEOPLE_SCALE)
            at = p * width + ARRIVALS + bin
            mine = np.float32(state.arrivals[g, slot, player, p]) * scale
            rival = np.float32(state.arrivals[g, slot, 1 - player, p]) * scale
            if to_go > horizon:
                mine += observation[row, at]
                rival += observation[row, at + horizon]
            observation[row, at] = mine
            observation[row, at + horizon] = rival


@part
def _write_flights(state, board, g, b, player, row, edges_at, scratch, observation):
    """People on their way along every edge, by player, where the planet they fly to is visible."""
    slots, edges = state.flights.shape[1], board.info[b, EDGES]
    slot, nobody = state.clock[g, TURN] % slots, state.flights.dtype.type(0)
    for e in range(edges):
        scratch[1, e] = 0
        scratch[2, e] = 0
    for to_go in range(1, slots + 1):
        slot = slot + 1 if slot + 1 < slots else 0
        for e in range(edges):
            people = state.flights[g, slot, e]
            own = launched_by(state.clock[g, TURN], to_go, board.edges[b, TURNS, e]) == player
            scratch[1, e] += people if own else nobody
            scratch[2, e] += nobody if own else people
    for e in range(edges):
        scale = np.float32(scratch[0, np.uint32(board.edges[b, TARGET, e])]) * np.float32(PEOPLE_SCALE)
        at = edges_at + e * EDGE_WIDTH
        observation[row, at + MY_FLIGHT] = np.float32(scratch[1, e]) * scale
        observation[row, at + RIVAL_FLIGHT] = np.float32(scratch[2, e]) * scale


@part
def write_mask(
    state: State, board: Board, codec: Codec, g: int, player: int, row: int, visible: Array, mask: Array
) -> None:
    """True where R8 allows the move and its source is visible: all edges and fractions of a planet, or none of them."""
    b = state.clock[g, BOARD]
    running = state.clock[g, STATUS] == RUNNING
    for p in range(board.info[b, PLANETS]):
        choices = (board.first[b, p + 1] - board.first[b, p]) * codec.sizes[FRACTIONS]
        start = first_choice(board, codec, b, p)
        able = running and visible[p] and state.people[g, player, p] > 0
        if choices and mask[row, start] != able:
            for choice in range(start, start + choices):
                mask[row, choice] = able


@part
def first_choice(board: Board, codec: Codec, b: int, p: int) -> int:
    """The place in the mask of planet p's first edge and fraction; the rest of its choices follow without a gap."""
    if codec.sizes[MAX_ORDERS]:
        return 1 + board.first[b, p] * codec.sizes[FRACTIONS]
    return p * (1 + codec.sizes[DEGREE] * codec.sizes[FRACTIONS]) + 1
