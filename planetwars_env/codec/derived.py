"""Derived features of observations: logarithms of people, a forecast of every planet, ways to the front, and margins.

They follow from the "tensors" of an observation and from the rules alone, so that they show nothing that the fog hides.
The graph network of learn/ is fed by the same compiled parts. Layout: the tables in codec/layout.py.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from planetwars_env.codec import layout
from planetwars_env.codec.layout import arrange
from planetwars_env.codec.limits import Limits
from planetwars_env.engine.coexistence import coexist
from planetwars_env.engine.columns import SIZE
from planetwars_env.engine.conquest import battle
from planetwars_env.engine.kernel import kernel, part
from planetwars_env.engine.rules import DEFENCE, Rules
from planetwars_env.engine.state import Array, Board, State

_TARGETS = 2
"""Distances of a planet: to the front (the opponent's planets; while none is visible, hidden planets) and to free land
(neutral or hidden planets)."""
_MAX_DISTANCE = np.float32(3)
"""Bound of a planet's distance features, in the unit of weights in observations; edges use distances without a bound."""
_UNREACHABLE = np.float32(1e9)
_FORECAST_TURNS = 8
"""Length of the forecast in units of edge weight."""
_MAX_PEOPLE = 1 << 28


def with_derived(parts: Mapping[str, Array], coexistence: bool, turns_per_weight: int) -> dict[str, Array]:
    """Return the "tensors" of one game or of many with "derived_planets" and "derived_edges"; flags: those of `Rules`."""
    planets, edges, index = (
        np.ascontiguousarray(parts[name]).reshape(-1, *parts[name].shape[-2:])
        for name in ("planets", "edges", "edge_index")
    )
    (B, P, F), E, lead = planets.shape, edges.shape[1], parts["planets"].shape[:-2]
    width = layout.derived_planet_width((F - layout.ARRIVALS) // 2)
    derived_planets = np.zeros((B, P, width), np.float32)
    derived_edges = np.zeros((B, E, layout.DERIVED_EDGE_WIDTH), np.float32)
    workspace = make_workspace(P, F, turns_per_weight)
    _derive(planets, edges, index, coexistence, turns_per_weight, *workspace, derived_planets, derived_edges)
    return {
        **parts,
        "derived_planets": derived_planets.reshape(*lead, P, width),
        "derived_edges": derived_edges.reshape(*lead, E, layout.DERIVED_EDGE_WIDTH),
    }


def make_workspace(planets: int, features: int, turns_per_weight: int) -> tuple[State, Board, Array, Array]:
    """Allocate arrays for one graph: state and board to play on, people [turn, side, planet], distances [target, planet]."""
    none, H = np.zeros((1, 1), np.int32), (features - layout.ARRIVALS) // 2
    people, arrivals = np.zeros((1, 2, planets), np.int32), np.zeros((1, H + 1, 2, planets), np.int32)
    state = State(people, arrivals, none[None], none, none, np.zeros(1, np.uint64))
    board = Board(none, np.zeros((1, 2, planets), np.int32), np.zeros((1, planets)), none[None], none)
    forecast = np.zeros((_FORECAST_TURNS * turns_per_weight, 2, planets), np.int32)
    return state, board, forecast, np.zeros((_TARGETS, planets), np.float32)


@kernel
def _derive(
    planets, edges, index, coexistence, turns_per_weight, state, board, forecast, distances, o_planets, o_edges
):
    """Fill the derived features of all planets and edges that exist."""
    logs = planets.shape[2] - layout.MY_PEOPLE
    for b in range(planets.shape[0]):
        look_ahead(planets[b], edges[b], index[b], coexistence, state, board, forecast, distances)
        for p in range(planets.shape[1]):
            if planets[b, p, layout.EXISTS] > 0:
                write_logarithms(planets[b, p], o_planets[b, p], 0)
                write_prospects(forecast, distances, p, o_planets[b, p], logs)
        for e in range(edges.shape[1]):
            if edges[b, e, layout.EDGE_EXISTS] == 0:
                break
            source, target = index[b, e, 0], index[b, e, 1]
            people = planets[b, source, layout.MY_PEOPLE]
            derived = edge_prospects(edges[b, e], people, forecast, distances, turns_per_weight, source, target)
            for f in range(layout.DERIVED_EDGE_WIDTH):
                o_edges[b, e, f] = derived[f]


@part
def look_ahead(
    planets: Array,
    edges: Array,
    index: Array,
    coexistence: bool,
    state: State,
    board: Board,
    forecast: Array,
    distances: Array,
) -> None:
    """Fill forecast and distances of one graph."""
    _forecast(planets, coexistence, state, board, forecast)
    _measure_distances(planets, edges, index, distances)


@part
def write_logarithms(features: Array, out: Array, at: int) -> None:
    """Write the people of one planet on a logarithmic scale, from ``out[at]`` on."""
    for f in range(features.shape[0] - layout.MY_PEOPLE):
        out[at + f] = _log_observed_people(features[layout.MY_PEOPLE + f])


@part
def write_prospects(forecast: Array, distances: Array, p: int, out: Array, at: int) -> None:
    """Write forecast and distances of planet ``p``, from ``out[at]`` on."""
    last = forecast.shape[0] - 1
    fewest, most = forecast[0, 0, p], forecast[0, 1, p]
    for t in range(1, last + 1):
        fewest, most = min(fewest, forecast[t, 0, p]), max(most, forecast[t, 1, p])
    out[at] = _log_people(forecast[last, 0, p])
    out[at + 1] = _log_people(forecast[last, 1, p])
    out[at + 2] = _log_people(fewest)
    out[at + 3] = _log_people(most)
    for kind in range(_TARGETS):
        out[at + 4 + kind] = min(_MAX_DISTANCE, distances[kind, p]) / _MAX_DISTANCE


@part
def edge_prospects(
    features: Array,
    at_source: float,
    forecast: Array,
    distances: Array,
    turns_per_weight: int,
    source: int,
    target: int,
) -> tuple[Any, ...]:
    """Return the derived features of one edge; ``at_source``: the viewer's people there, as observed."""
    weight = features[layout.EDGE_WEIGHT]
    turns = min(forecast.shape[0], turns_per_weight * _round_to_int(weight, layout.WEIGHT_SCALE))
    mine, theirs = forecast[turns - 1, 0, target], forecast[turns - 1, 1, target]
    return (
        (distances[0, source] - distances[0, target]) / weight,
        (distances[1, source] - distances[1, target]) / weight,
        _log_people(mine),
        _log_people(theirs),
        _log_observed_people(at_source) - _log_people(DEFENCE * theirs),
    )


@part
def _forecast(planets, coexistence, state, board, forecast):
    """Apply R3 to R7 with the visible shuttles in flight and no new orders; slots without a planet come last."""
    H = state.arrivals.shape[1] - 1
    count = 0
    for p in range(planets.shape[0]):
        if planets[p, layout.EXISTS] == 0:
            continue
        count = p + 1
        board.planets[0, SIZE, p] = _round_to_int(planets[p, layout.SIZE_FEATURE], layout.PEOPLE_SCALE)
        board.growth[0, p] = 1 + _round_to_int(planets[p, layout.HABITABILITY_FEATURE], layout.HABITABILITY_SCALE) / 100
        state.people[0, 0, p] = _round_to_int(planets[p, layout.MY_PEOPLE], layout.PEOPLE_SCALE)
        state.people[0, 1, p] = _round_to_int(planets[p, layout.OPPONENT_PEOPLE], layout.PEOPLE_SCALE)
        for h in range(H):
            state.arrivals[0, h, 0, p] = _round_to_int(planets[p, layout.ARRIVALS + h], layout.PEOPLE_SCALE)
            state.arrivals[0, h, 1, p] = _round_to_int(planets[p, layout.ARRIVALS + H + h], layout.PEOPLE_SCALE)
    for t in range(forecast.shape[0]):
        slot = t if t < H else H
        if coexistence:
            coexist(state, board, 0, 0, slot, count)
        else:
            battle(state, board, 0, 0, slot, count)
        for side in range(2):
            for p in range(count):
                forecast[t, side, p] = state.people[0, side, p]


@part
def _round_to_int(value, scale):
    return int(min(np.float32(_MAX_PEOPLE), value / np.float32(scale) + np.float32(0.5)))


@part
def _measure_distances(planets, edges, index, distances):
    """Write the shortest distances from every planet to both targets: Bellman and Ford, until nothing gets shorter."""
    opponent_seen = False
    for p in range(planets.shape[0]):
        opponent_seen |= planets[p, layout.OPPONENT] > 0
    for p in range(planets.shape[0]):
        hidden = planets[p, layout.EXISTS] > 0 and planets[p, layout.VISIBLE] == 0
        distances[0, p] = 0 if planets[p, layout.OPPONENT] > 0 or (hidden and not opponent_seen) else _UNREACHABLE
        distances[1, p] = 0 if planets[p, layout.NEUTRAL] > 0 or hidden else _UNREACHABLE
    for kind in range(_TARGETS):
        shorter = True
        while shorter:
            shorter = False
            for e in range(edges.shape[0]):
                if edges[e, layout.EDGE_EXISTS] == 0:
                    break
                distance = distances[kind, index[e, 1]] + edges[e, layout.EDGE_WEIGHT]
                if distance < distances[kind, index[e, 0]]:
                    distances[kind, index[e, 0]] = distance
                    shorter = True


@part
def _log_people(people):
    """Return people on a logarithmic scale: 5 and 10 differ as much as 500 and 1000."""
    return np.float32(0.2) * np.float32(np.log1p(np.float32(people))) if people > 0 else np.float32(0)


@part
def _log_observed_people(hundreds):
    """Return `_log_people` of people in the unit of observations, hundreds."""
    return _log_people(np.float32(100) * hundreds)


OBSERVATION_FORMS = ("tensors", "flat", "derived")


def in_form(form: str, limits: Limits, rules: Rules, observation: Array, edge_index: Array, mask: Array) -> Any:
    """Return one observation or many in one of `OBSERVATION_FORMS`; all but the derived features are views."""
    if form == "flat":
        return observation
    parts = arrange(limits, observation, edge_index, mask)
    return with_derived(parts, rules.coexistence, rules.turns_per_weight) if form == "derived" else parts
