"""Layout of observations: the one table of features, and the sizes that kernels and spaces share.

An observation is one row of float32: the first feature of all planets, their second, ...; the same of all edges; the
clock. Feature by feature, because whole rows of planets are written faster than single numbers (docs/decisions.md).
``"tensors"`` shows its parts as views, planets and edges transposed, ``"flat"`` the row itself. Changing this file
changes what every checkpoint has learned.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from planetwars_env.codec.limits import CLASSIC, Limits
from planetwars_env.engine.state import Array


class Feature(NamedTuple):
    """One number of an observation: the value in ``unit`` times ``scale``."""

    name: str
    unit: str
    scale: float
    meaning: str


PEOPLE_SCALE, HABITABILITY_SCALE, WEIGHT_SCALE = 0.01, 0.1, 0.1

PLANET_FEATURES = (
    Feature("exists", "0 or 1", 1, "the slot holds a planet of this graph"),
    Feature("visible", "0 or 1", 1, "its details are known (R9); where this is 0, all that follow are 0"),
    Feature("mine", "0 or 1", 1, "owned by the viewer"),
    Feature("opponent", "0 or 1", 1, "owned by the opponent"),
    Feature("neutral", "0 or 1", 1, "owned by nobody"),
    Feature("my_base", "0 or 1", 1, "where the viewer began"),
    Feature("opponent_base", "0 or 1", 1, "where the opponent began"),
    Feature("my_people", "people", PEOPLE_SCALE, "people of the viewer living here"),
    Feature("opponent_people", "people", PEOPLE_SCALE, "people of the opponent living here"),
    Feature("size", "people", PEOPLE_SCALE, "population it supports"),
    Feature("habitability", "per cent a turn", HABITABILITY_SCALE, "growth of the population"),
    Feature(
        "my_arrivals", "people", PEOPLE_SCALE, "of the viewer, landing in 1, 2, ... horizon or more turns: one a turn"
    ),
    Feature("opponent_arrivals", "people", PEOPLE_SCALE, "of the opponent, the same"),
)
EXISTS, VISIBLE, MINE, OPPONENT, NEUTRAL, MY_BASE, OPPONENT_BASE = range(7)
MY_PEOPLE, OPPONENT_PEOPLE, SIZE_FEATURE, HABITABILITY_FEATURE, ARRIVALS = range(7, 12)

EDGE_FEATURES = (
    Feature("exists", "0 or 1", 1, "the slot holds a directed edge of this graph"),
    Feature("weight", "weight", WEIGHT_SCALE, "of the edge, as on the graph"),
    Feature("my_flight", "people", PEOPLE_SCALE, "of the viewer on their way along it to a visible planet"),
    Feature("opponent_flight", "people", PEOPLE_SCALE, "of the opponent, the same"),
)
EDGE_EXISTS, EDGE_WEIGHT, MY_FLIGHT, OPPONENT_FLIGHT = range(4)
EDGE_WIDTH = len(EDGE_FEATURES)

CLOCK_FEATURES = (
    Feature(
        "elapsed",
        "0 to 1",
        1,
        "2 x own turns, the present one included, by max_turns: 1 on the last; 0 without a limit",
    ),
    Feature("orders", "orders", 1, 'orders given this turn by max_orders; 0 with actions="turn"'),
)
CLOCK_WIDTH = len(CLOCK_FEATURES)

_LOG_PEOPLE = "0.2 ln(1 + people)"
DERIVED_PLANET_FEATURES = (
    Feature("log_my_people", _LOG_PEOPLE, 1, "my_people"),
    Feature("log_opponent_people", _LOG_PEOPLE, 1, "opponent_people"),
    Feature("log_size", _LOG_PEOPLE, 1, "size"),
    Feature("log_habitability", "0.2 ln(1 + 10 x per cent)", 1, "habitability"),
    Feature("log_my_arrivals", _LOG_PEOPLE, 1, "my_arrivals, one column a turn"),
    Feature("log_opponent_arrivals", _LOG_PEOPLE, 1, "opponent_arrivals, one column a turn"),
    Feature("my_forecast", _LOG_PEOPLE, 1, "people of the viewer at the end of the forecast (R3 to R7)"),
    Feature("opponent_forecast", _LOG_PEOPLE, 1, "people of the opponent at the end of the forecast (R3 to R7)"),
    Feature("my_fewest", _LOG_PEOPLE, 1, "the fewest people of the viewer during the forecast"),
    Feature("opponent_most", _LOG_PEOPLE, 1, "the most people of the opponent during the forecast"),
    Feature("front_distance", "weight", WEIGHT_SCALE / 3, "shortest path to the front (R9), 30 and more as 30: 0 to 1"),
    Feature("free_distance", "weight", WEIGHT_SCALE / 3, "shortest path to free land (R9), 30 and more as 30: 0 to 1"),
)
DERIVED_EDGE_FEATURES = (
    Feature("to_front", "-1 to 1", 1, "front_distance lost along the edge, by its weight: 1 on a shortest path"),
    Feature("to_free", "-1 to 1", 1, "free_distance lost along the edge, by its weight"),
    Feature(
        "my_landing", _LOG_PEOPLE, 1, "forecast people of the viewer at the target when a shuttle launched now lands"
    ),
    Feature("opponent_landing", _LOG_PEOPLE, 1, "the same of the opponent"),
    Feature("margin", _LOG_PEOPLE, 1, "log_my_people of the source less 1.1 times the people of opponent_landing (R5)"),
)
PROSPECTS = 6
"""Columns of a planet behind the logarithms: forecast and distances."""
DERIVED_EDGE_WIDTH = len(DERIVED_EDGE_FEATURES)

FEATURES = {
    "planets": PLANET_FEATURES,
    "edges": EDGE_FEATURES,
    "clock": CLOCK_FEATURES,
    "derived_planets": DERIVED_PLANET_FEATURES,
    "derived_edges": DERIVED_EDGE_FEATURES,
}
"""The features of each part of an observation, in the order of its columns; arrivals take one column a turn."""

# columns of Codec.sizes
PLANET_SLOTS, EDGE_SLOTS, DEGREE, FRACTION_COUNT, HORIZON, MAX_ORDERS, SENDS = range(7)


MOST_SENDS = 8
"""Largest ``sends``: slots of a planet in an action."""


class Codec(NamedTuple):
    """The sizes of observations and actions, as kernels read them."""

    sizes: Array
    """[7] int64: planet slots, directed edge slots, edge slots of a planet, fractions, horizon (turns), the orders of a
    turn, 0 where one action is a whole turn, and the sends of a planet where it is."""
    fractions: Array
    """[K] float64: the shares of a planet's people that can be sent."""


def make_codec(limits: Limits, fractions: Sequence[float], max_orders: int, sends: int = 1) -> Codec:
    """The codec of ``limits``; ``max_orders`` 0 means actions="turn". ValueError for fractions outside (0, 1] and for
    ``sends`` that no action space has."""
    if isinstance(sends, bool) or not isinstance(sends, int) or not 1 <= sends <= MOST_SENDS:
        raise ValueError(f"sends must be a whole number from 1 to {MOST_SENDS}, not {sends!r}")
    if sends > 1 and max_orders:
        raise ValueError('sends is for actions="turn": with actions="order" a turn has up to max_orders orders anyway')
    if not fractions or not all(0 < fraction <= 1 for fraction in fractions):
        raise ValueError(f"fractions must be a non-empty sequence of numbers above 0 and up to 1, not {fractions!r}")
    sizes = (limits.planets, 2 * limits.edges, limits.degree, len(fractions), limits.horizon, max_orders, sends)
    return Codec(np.array(sizes, np.int64), np.array(fractions, np.float64))


def planet_width(horizon: int) -> int:
    """Features of one planet."""
    return ARRIVALS + 2 * horizon


def derived_planet_width(horizon: int) -> int:
    """Derived features of one planet: logarithms and prospects."""
    return planet_width(horizon) - MY_PEOPLE + PROSPECTS


def observation_width(limits: Limits) -> int:
    """Numbers in a flat observation."""
    return limits.planets * planet_width(limits.horizon) + 2 * limits.edges * EDGE_WIDTH + CLOCK_WIDTH


def mask_width(limits: Limits, fractions: int, orders: bool, sends: int = 1) -> int:
    """Entries of a flat action mask: every choice of every slot with actions="turn", of the one slot with "order"."""
    return choices_of_slot(limits, fractions, orders) * slots_of_action(limits, orders, sends)


def slots_of_action(limits: Limits, orders: bool, sends: int = 1) -> int:
    """Choices in an action: ``sends`` times one for every planet slot with actions="turn", one with "order"."""
    return 1 if orders else sends * limits.planets


def choices_of_slot(limits: Limits, fractions: int, orders: bool) -> int:
    """Choices of every slot with actions="turn", of the one slot with "order"; the first one waits or ends the turn."""
    return 1 + (2 * limits.edges if orders else limits.degree) * fractions


def arrange(limits: Limits, observation: Array, edge_index: Array, mask: Array) -> dict[str, Array]:
    """The parts of an observation [..., L] as views of it, with the edges and the mask that go with it."""
    lead = observation.shape[:-1]
    width, edges = planet_width(limits.horizon), 2 * limits.edges
    edges_at = limits.planets * width
    clock_at = edges_at + edges * EDGE_WIDTH
    return {
        "planets": observation[..., :edges_at].reshape(*lead, width, limits.planets).swapaxes(-1, -2),
        "edges": observation[..., edges_at:clock_at].reshape(*lead, EDGE_WIDTH, edges).swapaxes(-1, -2),
        "edge_index": edge_index,
        "clock": observation[..., clock_at:],
        "action_mask": mask,
    }


def edge_slots(observation: Mapping[str, Any], limits: Limits = CLASSIC) -> Array:
    """Return the directed edge [..., P, D] int64 of every edge slot of every planet; -1 where there is none.

    ``observation``: the "tensors" of one game or of many, with or without a batch axis. ValueError for edges that do not
    fit ``limits``.

    >>> import planetwars_env as pw
    >>> env = pw.make("PlanetWars-v0", graphs="rings")
    >>> observation, info = env.reset(seed=0)
    >>> edge = pw.edge_slots(observation)[2, 0]  # the first edge that leaves planet slot 2
    >>> int(observation["edge_index"][edge][0])
    2
    """
    edges, edge_index = np.asarray(observation["edges"]), np.asarray(observation["edge_index"])
    if edge_index.shape[-2:] != (2 * limits.edges, 2) or edges.shape[:-1] != edge_index.shape[:-1]:
        raise ValueError(
            f"edges and edge_index must have {2 * limits.edges} rows, as the limits say, not the shapes {edges.shape} "
            f"and {edge_index.shape}"
        )
    lead = edge_index.shape[:-2]
    games, edge = np.nonzero(edges[..., EDGE_EXISTS].reshape(-1, 2 * limits.edges))
    source = edge_index.reshape(-1, 2 * limits.edges, 2)[games, edge, 0]
    if source.size and not (source.min() >= 0 and source.max() < limits.planets):
        raise ValueError(f"the sources in edge_index must lie between 0 and {limits.planets - 1}")
    first = np.full((int(np.prod(lead)), limits.planets), 2 * limits.edges)
    np.minimum.at(first, (games, source), edge)
    slot = edge - first[games, source]
    if slot.size and slot.max() >= limits.degree:
        raise ValueError(f"edges must be sorted by source, at most {limits.degree} of one planet, as the limits say")
    table = np.full((len(first), limits.planets, limits.degree), -1)
    table[games, source, slot] = edge
    return table.reshape(*lead, limits.planets, limits.degree)
