"""Spaces, and the batch's arrays as observations: the table of features stands in codec/layout.py."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from planetwars_env.codec import layout
from planetwars_env.codec.limits import Limits
from planetwars_env.engine.state import Array
from planetwars_env.sim.setup import BatchSetup

_STATE_PARTS = "planets", "edges", "clock"
"""Parts of the tensors that the fog changes."""


def observation_space(setup: BatchSetup, observation: str) -> spaces.Space[Any]:
    """Of one game: a Dict of Boxes, one Box, or a Graph. The shapes follow from the limits alone.

    Where the setup is privileged, a Dict that also has "state": the same numbers without fog.
    """
    limits, edges = setup.limits, 2 * setup.limits.edges
    if observation == "flat":
        flat, state = _floats(layout.observation_width(limits)), _floats(layout.observation_width(limits))
        return spaces.Dict({"observation": flat, "state": state}) if setup.privileged else flat
    if observation == "graph":
        node = _floats(layout.planet_width(limits.horizon) + layout.CLOCK_WIDTH)
        return spaces.Graph(node, _floats(layout.EDGE_WIDTH))
    parts: dict[str, spaces.Space[Any]] = {
        "planets": _floats(limits.planets, layout.planet_width(limits.horizon)),
        "edges": _floats(edges, layout.EDGE_WIDTH),
        "edge_index": spaces.Box(0, limits.planets - 1, (edges, 2), np.int32),
        "clock": _floats(layout.CLOCK_WIDTH),
        "action_mask": spaces.Box(0, 1, (setup.codec.mask_width,), np.int8),
    }
    if observation == "derived":
        parts["derived_planets"] = _floats(limits.planets, layout.derived_planet_width(limits.horizon))
        parts["derived_edges"] = spaces.Box(-np.inf, np.inf, (edges, layout.DERIVED_EDGE_WIDTH), np.float32)
    if setup.privileged:
        parts["state"] = spaces.Dict({key: parts[key] for key in _STATE_PARTS})
    return spaces.Dict(parts)


def graph_of(parts: Mapping[str, Array]) -> spaces.GraphInstance:
    """Return the "tensors" of one game without unused slots: each planet's features and the clock, the edges, and their ends."""
    planets, edges = parts["planets"], parts["edges"]
    exists, used = planets[:, layout.EXISTS] > 0, edges[:, layout.EDGE_EXISTS] > 0
    clocks = np.tile(parts["clock"], (len(planets), 1))
    nodes = np.concatenate([planets, clocks], axis=1)[exists]
    return spaces.GraphInstance(nodes, edges[used], parts["edge_index"][used])


def with_state(limits: Limits, observation: Any, state: Array) -> Any:
    """An observation of `observation_space` with its "state" [..., L], in the same form."""
    if not isinstance(observation, dict):
        return {"observation": observation, "state": state}
    parts = layout.arrange(limits, state, state, state)
    return {**observation, "state": {key: parts[key] for key in _STATE_PARTS}}


def action_space(setup: BatchSetup) -> spaces.Space[Any]:
    """Of one game: MultiDiscrete with `sends` times a slot for every planet, or Discrete over orders."""
    slots, choices = setup.codec.slots, setup.codec.choices
    return spaces.Discrete(choices) if setup.max_orders else spaces.MultiDiscrete(np.full(slots, choices))


class _BatchOfTurns(spaces.Box):
    """`batch_space` of a MultiDiscrete, which also draws legal actions."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Random actions [N, P]; with ``mask`` [N, P, choices] only those where it is not 0."""
        if mask is None:
            return super().sample(probability=probability)
        draws = self.np_random.random(mask.shape, np.float32)
        return np.where(mask, draws, -1).argmax(-1).astype(self.dtype)


def batched_action_space(space: spaces.Space[Any], games: int) -> spaces.Space[Any]:
    """Of ``games`` games at once."""
    batch = batch_space(space, games)
    return _BatchOfTurns(batch.low, batch.high, dtype=np.int64) if isinstance(batch, spaces.Box) else batch


def _floats(*shape: int) -> spaces.Box:
    return spaces.Box(0.0, np.inf, shape, np.float32)
