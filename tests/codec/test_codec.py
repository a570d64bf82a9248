"""Observations, masks and the meaning of actions, compared with a second reading over whole games."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.envs.arguments import EnvArguments
from planetwars_env.sim.setup import Autoreset
from scripts.verification.audit import AuditedBatch
from support.encoding import encode
from support.presets import BY_PRESET

pytestmark = pytest.mark.kernels

every_rules = pytest.mark.parametrize("rules", BY_PRESET.values(), ids=BY_PRESET)
both_action_spaces = pytest.mark.parametrize("actions", ["turn", "order"])

# Limits larger than any board, a horizon of one turn and one shorter than most flights, unusual fractions, larger boards.
SETTINGS: dict[str, dict[str, Any]] = {
    "usual": {"graphs": ["validation", "fair"], "max_turns": 60},
    "roomy": {"limits": pw.Limits(30, 50, 20, 20), "graphs": "k4", "fractions": (0.1, 1.0)},
    "horizon 1": {"limits": pw.Limits(21, 36, 13, 1), "graphs": "test", "fractions": (1 / 3,)},
    "horizon 3": {"limits": pw.Limits(21, 36, 13, 3), "graphs": ["rings", "test/3"], "max_turns": 37},
    "exact": {"limits": pw.Limits(2, 1, 1, 2), "graphs": "duel", "fractions": (0.01, 0.99)},
    "large": {"limits": pw.LARGE, "graphs": "large"},
}


def play_audited(rules: pw.Rules, steps: int, **arguments: Any) -> None:
    """Two games by masked and unmasked actions; the audit (scripts/verification) reads every number a second time."""
    setup = EnvArguments(rules, ["random", "ai1", "ai3"], **arguments).setup(Autoreset.NEXT_STEP)
    audited, rng = AuditedBatch(2, setup, seed=5), np.random.default_rng(5)
    audited.reset()
    choices = audited.batch.current.mask.shape[1] // audited.batch.actions.shape[1]
    for step in range(steps):
        anything = rng.integers(0, choices, audited.batch.actions.shape)
        audited.step(audited.legal(rng) if step % 3 else anything)


@every_rules
@both_action_spaces
@pytest.mark.parametrize("setting", SETTINGS)
def test_what_is_shown_and_done_is_what_the_second_reading_says(rules: pw.Rules, actions: str, setting: str) -> None:
    play_audited(rules, 12 if setting == "large" else 40, actions=actions, **SETTINGS[setting])


@every_rules
def test_a_planet_sends_several_times_a_fraction_of_what_is_left(rules: pw.Rules) -> None:
    play_audited(rules, 60, sends=3, fractions=(0.3, 1.0), graphs="test")


@both_action_spaces
def test_the_three_forms_of_a_mask_are_the_same(actions: str) -> None:
    env: Any = gymnasium.make("PlanetWars-v0", actions=actions).unwrapped
    mask = env.reset(seed=0)[0]["action_mask"]
    pieces = env.sample_mask()
    assert np.array_equal(np.concatenate(pieces) if isinstance(pieces, tuple) else pieces, mask)
    assert np.array_equal(env.action_masks(), mask) and env.action_masks().dtype == bool


def test_the_flat_observation_is_planets_edges_and_clock_in_one() -> None:
    flat, tensors = (gymnasium.make("SpaceExplorers-v0", observation=kind) for kind in ("flat", "tensors"))
    row, parts = flat.reset(seed=4)[0], tensors.reset(seed=4)[0]
    for _ in range(40):
        joined = np.concatenate(
            [parts[key].T.reshape(-1) for key in ("planets", "edges", "clock")]
        )  # feature by feature
        assert np.array_equal(row, joined)
        action = tensors.action_space.sample()
        row, parts = flat.step(action)[0], tensors.step(action)[0]


@pytest.mark.parametrize(("max_orders", "legal"), [(0, [*range(11), 20]), (3, [*range(10)])])
def test_a_last_planet_without_edges_has_no_place_in_a_mask_that_the_board_fills(
    max_orders: int, legal: list[int]
) -> None:
    board = pw.load_graph("duel").to_dict()
    lonely = {**board["planets"][0], "id": 9, "base": 0}
    game = pw.Game(pw.Graph.from_dict({**board, "planets": [*board["planets"], lonely]}))
    mask = encode(game, 1, max_orders, pw.Limits(3, 1, 1, 1))["action_mask"].ravel()
    assert mask.size == (19 if max_orders else 30)
    assert mask.nonzero()[0].tolist() == legal
