"""``edge_slots``: the directed edge that an action of a turn sends along."""

from __future__ import annotations

import numpy as np
import pytest

import planetwars_env as pw
from support.environments import make, make_vec


def test_every_slot_leads_where_an_action_sends() -> None:
    """The heaviest edge that leaves the base, so that the people are still on their way after the step."""
    env = make(graphs="fair", opponent="noop", fractions=(1.0,))
    observation, _ = env.reset(seed=3)
    table = pw.edge_slots(observation)
    assert table.shape == (21, 13)
    legal = observation["action_mask"].reshape(21, -1)[:, 1:].astype(bool)
    assert (table[legal] >= 0).all()
    planet, slot = max(np.argwhere(legal), key=lambda place: observation["edges"][table[tuple(place)], 1])
    action = np.zeros(21, np.int64)
    action[planet] = 1 + slot
    env.step(action)
    (shuttle,) = env.game.shuttles()
    ends = [env.game.graph.planets[i].id for i in observation["edge_index"][table[planet, slot]]]
    assert [shuttle.source, shuttle.destination] == ends


def test_a_batch_has_the_tables_of_its_games() -> None:
    envs = make_vec(num_envs=5, graphs="validation")
    observations, _ = envs.reset(seed=0)
    tables = pw.edge_slots(observations)
    for g, table in enumerate(tables):
        assert np.array_equal(table, pw.edge_slots({key: part[g] for key, part in observations.items()}))
        planets, slots = np.nonzero(table >= 0)
        assert len(planets) == observations["edges"][g, :, 0].sum()
        assert np.array_equal(observations["edge_index"][g, table[planets, slots], 0], planets)
        assert (np.diff(table[planets, slots]) == 1).all()


def test_other_shapes_are_refused() -> None:
    observation, _ = make().reset(seed=0)
    with pytest.raises(ValueError, match="must have 240 rows, as the limits say"):
        pw.edge_slots(observation, pw.LARGE)
    unsorted = {**observation, "edge_index": observation["edge_index"] * 0}
    with pytest.raises(ValueError, match="sorted by source, at most 13 of one planet"):
        pw.edge_slots(unsorted)
    with pytest.raises(ValueError, match="must lie between 0 and 20"):
        pw.edge_slots({**observation, "edge_index": observation["edge_index"] + 50})
