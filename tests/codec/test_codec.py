"""Observations, masks and the meaning of actions, held against the naive codec over whole games."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import planetwars_env as pw
from support.encoding import encode
from support.naive_codec import NaiveCodec
from support.opponents import Chancy
from support.presets import IDS

pytestmark = pytest.mark.kernels

every_id = pytest.mark.parametrize("name", IDS.values())
both_action_spaces = pytest.mark.parametrize("actions", ["turn", "order"])

# Limits larger than any board, a horizon of one turn and one shorter than most flights, unusual fractions, larger boards.
ODD_SETTINGS: dict[str, dict[str, Any]] = {
    "roomy": {"limits": pw.Limits(30, 50, 20, 20), "graphs": "k4", "fractions": (0.1, 1.0)},
    "horizon 1": {"limits": pw.Limits(21, 36, 13, 1), "graphs": "test", "fractions": (1 / 3,)},
    "horizon 3": {"limits": pw.Limits(21, 36, 13, 3), "graphs": ["rings", "test/3"], "max_turns": 37},
    "exact": {"limits": pw.Limits(2, 1, 1, 2), "graphs": "duel", "fractions": (0.01, 0.99)},
    "large": {"limits": pw.LARGE, "graphs": "large"},
}


def codec_of(env: Any, actions: str, max_orders: int = 8, **arguments: Any) -> NaiveCodec:
    chosen = {key: arguments[key] for key in ("limits", "fractions", "sends") if key in arguments}
    return NaiveCodec(max_orders=max_orders if actions == "order" else 0, max_turns=env.game.max_turns, **chosen)


def assert_shown(env: Any, codec: NaiveCodec, observation: dict[str, Any], orders: int) -> None:
    """The observation and all three forms of the mask are what the naive codec makes of the view."""
    view = env.game.view(env.player)
    expected = codec.observe(view, orders)
    for key, value in expected.items():
        assert observation[key].dtype == value.dtype
        np.testing.assert_allclose(observation[key], value, rtol=1e-6, err_msg=key)
    mask = codec.mask(view, running=not env.game.over)
    assert np.array_equal(observation["action_mask"], mask)
    assert np.array_equal(env.action_masks(), mask) and env.action_masks().dtype == bool
    pieces = env.sample_mask()
    assert np.array_equal(np.concatenate(pieces) if isinstance(pieces, tuple) else pieces, mask)


def play_beside(env: Any, codec: NaiveCodec, steps: int, opponent: Any = None) -> int:
    """Plays unmasked and masked actions; with ``opponent``, a copy of the game is played beside by decoded moves.

    Returns how many games came to their end.
    """
    rng, ended, orders = np.random.default_rng(5), 0, 0
    observation, _ = env.reset(seed=5)
    for step in range(steps):
        assert_shown(env, codec, observation, orders)
        twin, running, view = env.game.copy(), not env.game.over, env.game.view(env.player)
        action = env.action_space.sample(mask=env.sample_mask()) if step % 3 else env.action_space.sample()
        if codec.max_orders and rng.random() < 0.2:
            action = 0
        observation, _, terminated, truncated, _ = env.step(action)
        orders = orders + 1 if codec.max_orders and action and orders + 1 < codec.max_orders else 0
        if running and opponent is not None:
            _play_twin(twin, codec.moves(view, action), orders == 0, opponent)
            assert twin.to_dict() == env.game.to_dict()
        if terminated or truncated:
            assert_shown(env, codec, observation, 0)
            ended, orders = ended + 1, 0
            observation, _ = env.reset()
    return ended


def _play_twin(twin: pw.Game, moves: list[pw.Move], turn_over: bool, opponent: Any) -> None:
    twin.submit(moves)
    if turn_over:
        twin.advance()
        if not twin.over:
            twin.play(opponent().take_turn(twin.view(twin.player)))


@every_id
@both_action_spaces
def test_what_is_shown_and_done_is_what_the_naive_codec_says(name: str, actions: str) -> None:
    env: Any = gymnasium.make(name, actions=actions, opponent=Chancy, graphs="validation", max_turns=60).unwrapped
    env.action_space.seed(1)
    assert play_beside(env, codec_of(env_after_reset(env), actions), 150, Chancy) > 0 or actions == "order"


@pytest.mark.parametrize("setting", ODD_SETTINGS)
@every_id
@both_action_spaces
def test_the_same_holds_under_unusual_limits_and_fractions(name: str, setting: str, actions: str) -> None:
    arguments = ODD_SETTINGS[setting]
    env: Any = gymnasium.make(name, actions=actions, opponent=Chancy, **arguments).unwrapped
    env.action_space.seed(2)
    codec = codec_of(env_after_reset(env), actions, **arguments)
    play_beside(env, codec, 12 if setting == "large" else 40, Chancy)


@every_id
def test_a_planet_sends_several_times_a_fraction_of_what_is_left(name: str) -> None:
    env: Any = gymnasium.make(name, sends=3, fractions=(0.3, 1.0), opponent=Chancy, graphs="test").unwrapped
    env.action_space.seed(4)
    play_beside(env, codec_of(env_after_reset(env), "turn", sends=3, fractions=(0.3, 1.0)), 60, Chancy)


@every_id
def test_games_against_the_compiled_opponent_are_shown_alike(name: str) -> None:
    env: Any = gymnasium.make(name, graphs="fair", opponent=["random", "ai1", "ai2", "ai3"]).unwrapped
    env.action_space.seed(3)
    play_beside(env, codec_of(env_after_reset(env), "turn"), 120)


def env_after_reset(env: Any) -> Any:
    env.reset(seed=0)
    return env


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


@both_action_spaces
def test_numbers_that_are_no_choice_at_all_do_nothing(actions: str) -> None:
    env: Any = gymnasium.make("PlanetWars-v0", graphs="rings", player=1, opponent="noop", actions=actions).unwrapped
    env.reset(seed=0)
    choices = env.action_masks().size if actions == "order" else int(env.action_space.nvec[0])
    for wrong in (-1, choices, choices + 7, 2**40, -(2**40)):
        env.step(wrong if actions == "order" else np.full(env.action_space.shape, wrong))
    assert env.game.shuttles() == ()


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
