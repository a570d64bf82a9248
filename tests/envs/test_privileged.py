"""``privileged=True``: the same numbers without fog under "state", and nothing of them in the rest of the observation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import planetwars_env as pw
from planetwars_env.codec.layout import VISIBLE
from support.arrays import assert_same
from support.environments import both_actions, every_mode, make, make_vec, numbered

every_observation = pytest.mark.parametrize("observation", ["tensors", "flat", "derived"])


def fogged(observation: dict[str, Any]) -> Any:
    rest = {key: value for key, value in observation.items() if key != "state"}
    return rest.get("observation", rest)


@every_observation
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


@every_mode
@every_observation
def test_rows_of_a_vector_environment_have_the_state_of_single_ones(mode: Any, observation: str) -> None:
    """Last states of games included, which SAME_STEP replaces within the step."""
    arguments: dict[str, Any] = {"opponent": ["random", "ai2"], "graphs": "validation", "max_turns": 8}
    arguments |= {"observation": observation, "privileged": True}
    native = make_vec(num_envs=3, mode=mode, **arguments)
    sync = SyncVectorEnv([lambda: make(**arguments)] * 3, autoreset_mode=mode)
    assert native.observation_space == sync.observation_space
    assert_same(native.reset(seed=2), numbered(sync.reset(seed=2), native))
    for _ in range(14):
        action = native.action_space.sample()
        answer = native.step(action)
        assert_same(answer, numbered(sync.step(action), native))
        assert answer[0] in native.observation_space
        done = answer[2] | answer[3]
        if mode == AutoresetMode.SAME_STEP:
            rows, last = native.final_observations()
            assert rows.tolist() == np.flatnonzero(done).tolist()
            for i, g in enumerate(rows):
                assert_same(answer[-1]["final_obs"][g]["state"], _row(last["state"], i))
        elif mode == AutoresetMode.DISABLED and done.any():
            native.reset(options={"reset_mask": done.copy()})
            sync.reset(options={"reset_mask": done.copy()})


def _row(batch: Any, i: int) -> Any:
    return {key: part[i] for key, part in batch.items()} if isinstance(batch, dict) else batch[i]


def test_last_observations_as_one_batch_need_same_step() -> None:
    venv = make_vec(num_envs=2, max_turns=4)
    venv.reset(seed=0)
    with pytest.raises(ValueError, match="but with autoreset_mode SAME_STEP"):
        venv.final_observations()


@every_observation
def test_checkers_and_memory_take_it(observation: str) -> None:
    check_env(make(privileged=True, observation=observation), skip_render_check=True)
    env = pw.MemoryWrapper(pw.make(privileged=True, observation=observation, graphs="rings"))
    shown, _ = env.reset(seed=0)
    assert {"state", "memory"} <= set(shown) and env.observation_space.contains(shown)
    shown = env.step(env.action_space.sample())[0]
    assert env.observation_space.contains(shown)


def test_wrong_values_are_told() -> None:
    with pytest.raises(ValueError, match="privileged must be True or False, not 1"):
        make(privileged=1)
    with pytest.raises(TypeError, match="no argument 'privileged'"):
        pw.pettingzoo_env(privileged=True)  # pyright: ignore[reportCallIssue]
