"""What callers, policies and files hand in is checked before a kernel reads it: shapes, kinds and ranges."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.arena.evaluation import evaluate
from planetwars_env.envs.vector import PlanetWarsVectorEnv

WRONG_SHAPES_AND_KINDS = {
    "transposed": lambda right: right.T if right.ndim > 1 else right[:, None],
    "one too few": lambda right: right[..., :-1],
    "one number": lambda right: np.int64(0),
    "empty": lambda right: right[:0],
    "floats": lambda right: right.astype(float),
    "not a number": lambda right: np.full(right.shape, np.nan),
    "booleans": lambda right: right.astype(bool),
    "objects": lambda right: right.astype(object),
    "beyond 64 bits": lambda right: np.full(right.shape, 2**80, object),
    "texts": lambda right: right.astype(str),
}
WRONG_NUMBERS = {
    "below 0": lambda right: right - 1,
    "far below 0": lambda right: np.full(right.shape, -(2**63)),
    "too large": lambda right: right + 10_000,
    "far too large": lambda right: np.full(right.shape, 2**64 - 1, np.uint64),
}
WIDTHS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]


class Answering:
    """A policy that waits, its answer changed by a function."""

    name = "answering"
    compete = False
    limits = pw.CLASSIC
    fractions = (0.5, 1.0)

    def __init__(self, change, max_orders=0):
        self.change, self.max_orders = change, max_orders

    def act(self, observation):
        games = len(observation["clock"])
        return self.change(np.zeros(games if self.max_orders else (games, 21), np.int64))


def as_opponent(policy):
    envs = PlanetWarsVectorEnv(3, opponent=policy, graphs="rings", player=1)
    envs.reset(seed=0)
    for _ in range(3):
        envs.step(np.zeros((3, 21), int))


def in_evaluation(policy):
    evaluate(policy, ["noop"], "rings", 4, pw.SPACE_EXPLORERS)


def in_a_match(policy):
    pw.play_match(policy, "noop", "rings", max_turns=10)


FACES = [as_opponent, in_evaluation, in_a_match]


@pytest.mark.parametrize("max_orders", [0, 3])
@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("change", [*WRONG_SHAPES_AND_KINDS, *WRONG_NUMBERS])
def test_a_wrong_answer_of_a_policy_is_refused_by_name(face, change, max_orders) -> None:
    if max_orders and face is in_a_match and change == "one too few":
        change = "empty"
    with pytest.raises(ValueError, match="the actions of policy 'answering' must") as caught:
        face(Answering({**WRONG_SHAPES_AND_KINDS, **WRONG_NUMBERS}[change], max_orders))
    if change in WRONG_SHAPES_AND_KINDS:
        assert "integers of shape (" in str(caught.value)


@pytest.mark.parametrize("max_orders", [0, 3])
@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("width", WIDTHS)
def test_integers_of_any_width_and_lists_are_answers(face, width, max_orders) -> None:
    face(Answering(lambda right: right.astype(width), max_orders))
    face(Answering(lambda right: right.tolist(), max_orders))


def environments(actions):
    single = gymnasium.make("PlanetWars-v0", graphs="rings", actions=actions, disable_env_checker=True)
    return {"single": single.unwrapped, "vector": PlanetWarsVectorEnv(2, graphs="rings", actions=actions)}


@pytest.mark.parametrize("face", ["single", "vector"])
@pytest.mark.parametrize("actions", ["turn", "order"])
@pytest.mark.parametrize("change", WRONG_SHAPES_AND_KINDS)
def test_actions_of_a_wrong_shape_or_kind_are_refused(face, actions, change) -> None:
    env = environments(actions)[face]
    env.reset(seed=0)
    right = np.zeros(env.action_space.shape, np.int64)
    if right.ndim == 0 and change in ("transposed", "one too few", "one number", "empty"):
        wrong = np.zeros((1,), int)
    elif change == "transposed" and right.ndim == 1:
        wrong = right[:, None]
    else:
        wrong = WRONG_SHAPES_AND_KINDS[change](right)
    before = env.action_masks().copy()
    with pytest.raises(ValueError, match=r"the actions? must be integers of shape \("):
        env.step(wrong)
    np.testing.assert_array_equal(env.action_masks(), before)


@pytest.mark.parametrize("face", ["single", "vector"])
@pytest.mark.parametrize("actions", ["turn", "order"])
@pytest.mark.parametrize("change", WRONG_NUMBERS)
def test_an_illegal_choice_does_nothing_in_an_environment(face, actions, change) -> None:
    envs = [environments(actions)[face] for _ in range(2)]
    seen = []
    for env in envs:
        env.reset(seed=0)
        waiting = np.zeros(env.action_space.shape, np.int64)
        illegal = WRONG_NUMBERS[change](waiting) if env is envs[0] else waiting
        for _ in range(20):
            env.step(illegal)
            if actions == "order" and env is envs[0]:
                env.step(waiting)  # an illegal order leaves the turn open
        seen.append(env.step(waiting)[0])
    for key in seen[0]:
        if key != "clock":
            np.testing.assert_array_equal(seen[0][key], seen[1][key])
