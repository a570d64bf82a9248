"""Ownership of arrays: returned arrays stay as they are, and copies of a batch are independent."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode

from support.arrays import arrays_in, assert_same
from support.environments import GAMES, every_form, every_mode, make_vec, make_vec_form
from support.opponents import Chancy


@every_form
def test_writing_into_what_was_returned_changes_no_game(form: str) -> None:
    clean, scribbled = (make_vec_form(form, opponent="random", graphs="rings", max_turns=9) for _ in range(2))
    clean.reset(seed=0)
    answer: Any = scribbled.reset(seed=0)
    rng, held = np.random.default_rng(0), list[Any]()
    for _ in range(20):
        held += [*arrays_in(answer), scribbled.action_masks()]
        for array in held:
            array[...] = 1
        action = rng.integers(0, 118, (GAMES, 21))
        expected, answer = clean.step(action), scribbled.step(action)
        assert_same(answer, expected)
        assert all((array == 1).all() for array in held)


@pytest.mark.parametrize("observation", ["tensors", "flat"])
def test_without_copy_the_observation_is_the_batchs_own(observation: str) -> None:
    """The values are the same; the arrays are the same ones at every step, and only rewards and ends are the caller's."""
    copied, shared = (make_vec(copy=own, observation=observation, graphs="rings") for own in (True, False))
    assert_same(copied.reset(seed=0), (first := shared.reset(seed=0)))
    kept = [first]
    rng = np.random.default_rng(0)
    for _ in range(5):
        action = rng.integers(0, 118, (GAMES, 21))
        expected, answer = copied.step(action), shared.step(action)
        assert_same(answer, expected)
        for ours, theirs in zip(arrays_in(kept[-1][0]), arrays_in(answer[0]), strict=True):
            assert np.shares_memory(ours, theirs)
        assert not any(np.shares_memory(a, b) for a in arrays_in(kept[-1][1:]) for b in arrays_in(answer[1:]))
        kept.append(answer)


@pytest.mark.parametrize("observation", ["tensors", "flat"])
@pytest.mark.parametrize("copied", [True, False])
@pytest.mark.parametrize(
    "doubled", [copy.deepcopy, lambda venv: pickle.loads(pickle.dumps(venv))], ids=["copy", "pickle"]
)
def test_a_copy_of_a_batch_goes_its_own_way(observation: str, copied: bool, doubled: Any) -> None:
    """Both play the same actions, one after the other: neither sees what the other does."""
    venv = make_vec(graphs="rings", opponent=["random", Chancy], observation=observation, copy=copied, num_threads=2)
    venv.reset(seed=3)
    venv.step(venv.action_space.sample())
    twin = doubled(venv)
    actions = [venv.action_space.sample() for _ in range(10)]
    story, again = ([copy.deepcopy(one.step(action)) for action in actions] for one in (venv, twin))
    for ours, theirs in zip(story, again, strict=True):
        assert_same(ours, theirs)


@every_mode
def test_what_the_caller_still_holds_in_any_way_is_never_written_to(mode: Any) -> None:
    """A list, a slice of a part, a tensor, a memoryview: each keeps its numbers while the batch goes on."""
    venv = make_vec(mode=mode, observation="tensors", max_turns=4, graphs="line")
    holders = [
        lambda observation: observation["planets"],
        lambda observation: observation["planets"][2:3, 0, 5:],
        lambda observation: observation["clock"].T.reshape(-1)[::2],
        lambda observation: torch.from_numpy(observation["edges"]),
        lambda observation: memoryview(observation["action_mask"]),
        lambda observation: iter(observation["edge_index"]),
    ]
    held = []
    answer = venv.reset(seed=0)[0]
    for step in range(24):
        holder = holders[step % len(holders)](answer)
        held.append((holder, _numbers(holder)))
        answer = venv.step(venv.action_space.sample())[0]
        if mode == AutoresetMode.DISABLED and step % 5 == 4:
            answer = venv.reset()[0]
    for holder, numbers in held:
        assert np.array_equal(_numbers(holder), numbers)


def _numbers(holder: Any) -> np.ndarray:
    """A copy of the arrays held; an iterator is left where it stands."""
    return np.array(holder.tolist() if hasattr(holder, "tolist") else list(copy.copy(holder)))
