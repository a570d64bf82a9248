"""``privileged=True``: the same numbers without fog under "state", and nothing of them in the rest of the observation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.codec.layout import VISIBLE
from support.arrays import assert_same
from support.environments import both_actions, make


def fogged(observation: dict[str, Any]) -> Any:
    rest = {key: value for key, value in observation.items() if key != "state"}
    return rest.get("observation", rest)


@pytest.mark.parametrize("observation", ["tensors", "flat", "derived"])
@both_actions
def test_the_rest_of_the_observation_stays_as_it_is_and_the_state_is_the_game(observation: str, actions: str) -> None:
    arguments = {"opponent": "ai3", "graphs": "fair", "observation": observation, "actions": actions, "max_turns": 40}
    plain, env = make(**arguments), make(privileged=True, **arguments)
    (seen, _), (shown, _) = plain.reset(seed=4), env.reset(seed=4)
    env.action_space.seed(1)
    hidden = 0
    for _ in range(60):
        assert env.observation_space.contains(shown)
        assert_same(seen, fogged(shown))
        state = shown["state"]
        planets = state["planets"] if observation != "flat" else state[: 21 * 27].reshape(27, 21).T
        people = np.array(env.game.people())
        me = env.player - 1
        assert planets[: len(people), 7] == pytest.approx(people[:, me] * 0.01)
        assert planets[: len(people), 8] == pytest.approx(people[:, 1 - me] * 0.01)
        assert (planets[: len(people), VISIBLE] == 1).all() and not planets[len(people) :].any()
        if observation != "flat":
            hidden += int((seen["planets"][:, VISIBLE] < planets[:, VISIBLE]).sum())
        action = env.action_space.sample(mask=env.sample_mask())
        seen, *_, ended, cut, _ = plain.step(action)
        shown = env.step(action)[0]
        if ended or cut:
            (seen, _), (shown, _) = plain.reset(), env.reset()
    assert hidden or observation == "flat"


def test_wrong_values_are_told() -> None:
    with pytest.raises(ValueError, match="privileged must be True or False, not 1"):
        make(privileged=1)
    with pytest.raises(TypeError, match="no argument 'privileged'"):
        pw.pettingzoo_env(privileged=True)  # pyright: ignore[reportCallIssue]
