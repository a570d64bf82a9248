"""From a game to the numbers an agent sees: observation and action mask, in place (layout: codec/layout.py)."""

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
def write_static(board: Board, codec: Codec, b: int, row: int, observation: Array, edge_index: Array, mask: Array) -> None:
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
    state: State, board: Board, codec: Codec, g: int, player: int, orders: int, row: int, visible: Array, observation: Array
) -> None:
    """What changes: game g as ``player`` (0, 1) sees it, into ``observation[row]``; ``visible`` [P] comes from `look`."""
    b = state.clock[g, BOARD]
    width = ARRIVALS + 2 * codec.sizes[HORIZON]
    for p in range(board.info[b, PLANETS]):
        _write_planet(state, board, codec, g, b, player, p, row, p * width, visible[p], observation)
    edges_at = codec.sizes[PLANET_SLOTS] * width
    _write_flights(state, board, g, b, player, row, edges_at, visible, observation)
    clock_at = edges_at + codec.sizes[EDGE_SLOTS] * EDGE_WIDTH
    observation[row, clock_at] = ((state.clock[g, TURN] + 1) // 2) * 2 / state.clock[g, LIMIT]
    if codec.sizes[MAX_ORDERS]:
        observation[row, clock_at + CLOCK_WIDTH - 1] = orders / codec.sizes[MAX_ORDERS]


@part
def _write_planet(state, board, codec, g, b, player, p, row, at, seen, observation):
    """R9: the details of a visible planet, nothing of any other."""
    observation[row, at + VISIBLE] = seen
    mine, rival = state.people[g, player, p] * seen, state.people[g, 1 - player, p] * seen
    observation[row, at + MINE] = mine > rival
    observation[row, at + RIVAL] = rival > mine
    observation[row, at + NEUTRAL] = seen * (mine == rival)
    observation[row, at + MY_BASE] = seen * (board.info[b, BASE_1 + player] == p)
    observation[row, at + RIVAL_BASE] = seen * (board.info[b, BASE_1 + 1 - player] == p)
    observation[row, at + MY_PEOPLE] = mine * PEOPLE_SCALE
    observation[row, at + RIVAL_PEOPLE] = rival * PEOPLE_SCALE
    observation[row, at + SIZE_FEATURE] = seen * board.planets[b, SIZE, p] * PEOPLE_SCALE
    observation[row, at + GROWTH_FEATURE] = seen * board.planets[b, HABITABILITY, p] * GROWTH_SCALE
    _write_arrivals(state, codec, g, player, p, row, at + ARRIVALS, seen, observation)


@part
def _write_arrivals(state, codec, g, player, p, row, at, seen, observation):
    """Incoming people by player and turns to go; those beyond the horizon share the last bin."""
    horizon, slots = codec.sizes[HORIZON], state.arrivals.shape[1]
    for bin in range(min(horizon, slots)):
        slot = (state.clock[g, TURN] + 1 + bin) % slots
        observation[row, at + bin] = seen * state.arrivals[g, slot, player, p] * PEOPLE_SCALE
        observation[row, at + horizon + bin] = seen * state.arrivals[g, slot, 1 - player, p] * PEOPLE_SCALE
    for to_go in range(horizon + 1, slots + 1):
        slot = (state.clock[g, TURN] + to_go) % slots
        observation[row, at + horizon - 1] += seen * state.arrivals[g, slot, player, p] * PEOPLE_SCALE
        observation[row, at + 2 * horizon - 1] += seen * state.arrivals[g, slot, 1 - player, p] * PEOPLE_SCALE


@part
def _write_flights(state, board, g, b, player, row, edges_at, visible, observation):
    """People on their way along every edge, by player, where the planet they fly to is visible."""
    turn, slots = state.clock[g, TURN], state.flights.shape[1]
    for e in range(board.info[b, EDGES]):
        flight = board.edges[b, TURNS, e]
        mine = rival = 0
        for to_go in range(1, slots + 1):
            people = state.flights[g, (turn + to_go) % slots, e]
            own = launched_by(turn, to_go, flight) == player
            mine += people * own
            rival += people * (1 - own)
        seen = visible[board.edges[b, TARGET, e]]
        observation[row, edges_at + e * EDGE_WIDTH + MY_FLIGHT] = seen * mine * PEOPLE_SCALE
        observation[row, edges_at + e * EDGE_WIDTH + RIVAL_FLIGHT] = seen * rival * PEOPLE_SCALE


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
