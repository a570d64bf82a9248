"""Shapes of observations and actions: ``edge_slots``, the directed edge that an action sends along, and limits."""

import dataclasses

import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.codec.layout import DERIVED_PLANET_FEATURES, mask_width
from planetwars_env.codec.limits import FRACTIONS, TINY
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
    with pytest.raises(ValueError, match="must have 72 rows, as the limits say"):
        pw.edge_slots({**observation, "edges": observation["edges"][:-1]})
    unsorted = {**observation, "edge_index": observation["edge_index"] * 0}
    with pytest.raises(ValueError, match="sorted by source, at most 13 of one planet"):
        pw.edge_slots(unsorted)
    with pytest.raises(ValueError, match="must lie between 0 and 20"):
        pw.edge_slots({**observation, "edge_index": observation["edge_index"] + 50})


def test_a_planet_sends_once_unless_more_is_asked_for() -> None:
    assert mask_width(pw.CLASSIC, len(FRACTIONS), False) == len(make().reset(seed=0)[0]["action_mask"])


def test_logarithms_are_not_scaled_again() -> None:
    assert {feature.scale for feature in DERIVED_PLANET_FEATURES if "ln(" in feature.unit} == {1}


# --- limits ------------------------------------------------------------------------------------------------------


def test_the_limits_are_those_that_checkpoints_were_made_for_and_cannot_be_changed() -> None:
    assert dataclasses.astuple(TINY) == (10, 18, 9, 8)
    assert dataclasses.astuple(pw.CLASSIC) == (21, 36, 13, 8)
    assert dataclasses.astuple(pw.LARGE) == (60, 120, 16, 8)
    with pytest.raises(dataclasses.FrozenInstanceError):
        pw.CLASSIC.planets = 22  # type: ignore[misc]


def test_the_least_limits_are_two_planets_and_one_of_everything_else() -> None:
    least = pw.Limits(2, 1, 1, 1)
    for name, number in dataclasses.asdict(least).items():
        with pytest.raises(ValueError, match=f"limits: {name} must be at least {number}, not {number - 1}"):
            dataclasses.replace(pw.CLASSIC, **{name: number - 1})


def test_a_board_fits_up_to_the_limit_itself_and_the_first_that_does_not_is_named() -> None:
    k4, duel = pw.load_graph("k4"), pw.load_graph("duel")
    pw.Limits(4, 6, 3, 1).check([k4, duel])
    with pytest.raises(ValueError, match="graph k4 has degree 3, the limits allow 2: pass limits="):
        pw.Limits(4, 6, 2, 1).check([duel, k4])
