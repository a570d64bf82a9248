"""The vector environment: every row is a single environment, and the whole is what Gymnasium's SyncVectorEnv would be."""

import itertools
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import FlattenObservation, RecordEpisodeStatistics

import planetwars_env as pw
from support.arrays import assert_same
from support.environments import (
    FORMS,
    GAMES,
    IDS,
    both_actions,
    every_mode,
    make_form,
    make_vec,
    make_vec_form,
    numbered,
)
from support.opponents import Chancy, Remembering, Rusher
from support.short_games import soon_lost

MIXED = ["random", "ai1", Chancy, "ai2", Rusher, "ai3", "noop"]
PLAYED = [*itertools.product(IDS, ["turn", "order"], ["tensors"], [9])]
PLAYED += [("PlanetWars-v0", "turn", form, 9) for form in FORMS if form != "tensors"]
PLAYED += [("SpaceExplorers-v0", "order", "flat, memory", 9), *itertools.product(IDS, ["turn"], ["tensors"], [1])]


def actions_for(venv: Any, steps: int) -> Iterator[Any]:
    """Masked and unmasked choices; orders end the turn now and then."""
    rng = np.random.default_rng(7)
    width = venv.action_masks().shape[1]
    for step in range(steps):
        masks, games = venv.action_masks(), venv.num_envs
        if venv.single_action_space.shape:
            slots = len(venv.single_action_space.nvec)
            masks = masks.reshape(games, slots, width // slots)
            legal = (masks * rng.random(masks.shape)).argmax(axis=2)
            yield legal if step % 3 else rng.integers(0, width // slots, legal.shape)
        else:
            legal = (masks * rng.random(masks.shape)).argmax(axis=1)
            yield np.where(rng.random(games) < 0.3, 0, legal if step % 3 else rng.integers(0, width, games))


@pytest.mark.parametrize(("name", "actions", "form", "max_turns"), PLAYED)
@every_mode
def test_the_vector_environment_is_what_a_sync_vector_env_of_single_ones_is(
    name: str, actions: str, form: str, max_turns: int, mode: Any
) -> None:
    """Observations, rewards, ends and infos with their masks, final ones too; resets of some games in DISABLED mode.

    Row i has seed + i, in 64 bits. Some games are over before player 2 has moved, and all games of one turn.
    """
    graphs = ["validation", *[soon_lost()] * 25]
    arguments: dict[str, Any] = {"opponent": MIXED, "graphs": graphs, "actions": actions, "max_turns": max_turns}
    arguments |= {"reward": pw.Shaped(0.9), "max_orders": 3}
    native = make_vec_form(form, name, mode=mode, num_threads=2, **arguments)
    sync = SyncVectorEnv([lambda: make_form(form, name, **arguments)] * GAMES, autoreset_mode=mode)
    assert native.observation_space == sync.observation_space and native.action_space == sync.action_space
    assert native.single_observation_space == sync.single_observation_space
    assert native.metadata["autoreset_mode"] == sync.metadata["autoreset_mode"]
    seed = 2**64 - 3
    assert_same(native.reset(seed=seed), numbered(sync.reset(seed=seed), native.unwrapped))
    ends = 0
    for action in actions_for(native, 3 * max_turns + 12):
        ours = native.step(action)
        assert_same(ours, numbered(sync.step(action), native.unwrapped))
        assert ours[0] in native.observation_space
        done = ours[2] | ours[3]
        ends += int(done.sum())
        if mode == AutoresetMode.SAME_STEP and not form.endswith("memory"):
            rows, last = native.unwrapped.final_observations()
            assert rows.tolist() == np.flatnonzero(done).tolist()
            for i, g in enumerate(rows):
                assert_same(ours[-1]["final_obs"][g], row_of(last, i))
        if mode == AutoresetMode.DISABLED and done.any():
            seeds: Any = None if ends % 2 else list(range(GAMES))
            answers = [one.reset(seed=seeds, options={"reset_mask": done.copy()}) for one in (native, sync)]
            assert_same(answers[0], numbered(answers[1], native.unwrapped))
    assert ends > GAMES


def row_of(batch: Any, i: int) -> Any:
    return {key: row_of(part, i) for key, part in batch.items()} if isinstance(batch, dict) else batch[i]


def test_more_threads_than_games_are_no_trouble_and_last_observations_as_one_batch_need_same_step() -> None:
    venv = make_vec(num_envs=2, num_threads=5)
    venv.reset(seed=0)
    venv.step(venv.action_space.sample())
    with pytest.raises(ValueError, match="but with autoreset_mode SAME_STEP"):
        venv.final_observations()


def test_the_step_that_begins_a_new_game_is_worth_nothing_whatever_the_reward() -> None:
    arguments = {"opponent": "random", "graphs": "line", "player": 1, "max_turns": 3}
    venv = make_vec(**arguments, reward=lambda transition: transition.won + 5)
    venv.reset(seed=0)
    nobody = np.zeros(venv.action_space.shape, np.int64)
    rewards = [venv.step(nobody)[1].tolist() for _ in range(6)]
    assert rewards == [[5] * GAMES, [5] * GAMES, [0] * GAMES] * 2


# --- as others use it --------------------------------------------------------------------------------------------


def test_vector_wrappers_of_gymnasium_work() -> None:
    venv: Any = RecordEpisodeStatistics(make_vec(max_turns=6, graphs="rings", observation="flat", opponent="noop"))
    venv.reset(seed=0)
    lengths = []
    for _ in range(8):
        *_, infos = venv.step(np.zeros(venv.action_space.shape, np.int64))
        lengths += infos["episode"]["l"][infos["_episode"]].tolist() if "episode" in infos else []
    assert lengths and set(lengths) == {3}
    flattened = FlattenObservation(make_vec(graphs="rings"))
    assert flattened.reset(seed=0)[0].shape[0] == GAMES


@both_actions
def test_legal_actions_are_drawn_by_the_sample_mask(actions: str) -> None:
    envs = pw.PlanetWarsVectorEnv(3, graphs="rings", actions=actions)
    envs.reset(seed=0)
    envs.action_space.seed(0)
    for _ in range(20):
        masks = envs.action_masks()
        choices = envs.action_space.sample(mask=envs.sample_mask()).reshape(3, -1)
        places = choices + np.arange(choices.shape[1]) * (masks.shape[1] // choices.shape[1])
        assert np.take_along_axis(masks, places, 1).all()
        envs.step(choices if actions == "turn" else choices[:, 0])


def test_two_batches_with_one_seed_are_one_without_a_seed_they_differ_and_none_leaves_a_game_its_generator() -> None:
    one, two, three = (make_vec(num_envs=32, graphs="validation", observation="flat") for _ in range(3))
    assert np.array_equal(one.reset(seed=5)[0], two.reset(seed=list(range(5, 37)))[0])
    assert np.array_equal(one.reset()[0], two.reset()[0])  # the following games of the same generators
    assert not np.array_equal(one.reset()[0], three.reset()[0])
    one, two = (make_vec(num_envs=2, graphs="validation", observation="flat") for _ in range(2))
    one.reset(seed=0)
    two.reset(seed=0)
    first = one.reset(seed=[7, None])[0]
    assert np.array_equal(first[1], two.reset()[0][1])
    assert np.array_equal(first[0], two.reset(seed=7)[0][0])
    with pytest.raises(ValueError, match="2 of them, not 3"):
        one.reset(seed=[1, 2, 3])


def test_options_choose_opponents_graphs_and_players_game_by_game_and_only_for_the_next_game() -> None:
    venv = make_vec(num_envs=3, graphs=["duel", "line", "k4"], opponent=["noop", "ai1", "ai2"], max_turns=2)
    chosen = {"opponent": ["ai2", "noop", "ai1"], "graph": ["k4", "duel", "line"]}
    _, infos = venv.reset(seed=0, options=chosen)
    assert infos["opponent"].tolist() == [2, 0, 1] and infos["graph"].tolist() == [2, 0, 1]
    drawn = [tuple(venv.reset()[1]["opponent"]) for _ in range(20)]
    assert len(set(drawn)) > 5
    observation, infos = venv.reset(seed=0, options={"graph": np.array([2, 0, 1]), "player": np.array([1, 2, 1])})
    assert observation["planets"][:, :, 0].sum(axis=1).tolist() == [4, 2, 5] and infos["player"].tolist() == [1, 2, 1]
    observation, _ = venv.reset(options={"graph": 1, "player": 2, "reset_mask": np.array([True, False, False])})
    assert observation["planets"][:, :, 0].sum(axis=1).tolist() == [5, 2, 5]


@pytest.mark.parametrize("mask", [np.zeros(GAMES, bool), np.ones(GAMES), np.ones(2, bool), [True]])
def test_a_reset_mask_of_another_form_is_refused(mask: Any) -> None:
    venv = make_vec(mode=AutoresetMode.DISABLED)
    venv.reset(seed=0)
    with pytest.raises(ValueError, match="reset_mask must be 6 booleans"):
        venv.reset(options={"reset_mask": mask})


def test_every_game_has_its_own_strategy() -> None:
    Remembering.instances.clear()
    venv = make_vec(opponent=Remembering, graphs="line", max_turns=4, player=2)
    venv.reset(seed=0)
    for _ in range(8):
        venv.step(np.zeros(venv.action_space.shape, np.int64))
    assert len(Remembering.instances) == 3 * GAMES
    assert all(len(strategy.games) == 1 and strategy.turns in ([1, 3], [1]) for strategy in Remembering.instances)
    seeds = [strategy.games[0][3] for strategy in Remembering.instances]
    assert len(set(seeds)) == len(seeds)


def test_a_vector_environment_does_not_render_and_has_a_game_and_a_thread() -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"render_mode": "ansi"}, "do not render"),
        ({"num_envs": 0}, "num_envs must be at least 1"),
        ({"num_threads": 0}, "num_threads must be at least 1, not 0"),
    ]
    for arguments, said in wrong:
        with pytest.raises(ValueError, match=said):
            make_vec(**arguments)


@pytest.mark.parametrize("context", ["fork", "spawn", "forkserver"])
def test_single_environments_run_in_processes_of_their_own(context: str) -> None:
    """Forked after kernels have run here, and spawned: both play what the batch plays."""
    arguments: dict[str, Any] = {"graphs": "rings", "opponent": "random", "observation": "flat"}
    native = make_vec(num_envs=2, num_threads=2, **arguments)
    native.reset(seed=3)
    makers = [lambda: gymnasium.make("planetwars_env:PlanetWars-v0", **arguments)] * 2
    apart = AsyncVectorEnv(makers, context=context)
    beside = gymnasium.make_vec("PlanetWars-v0", num_envs=2, vectorization_mode="sync", **arguments)
    try:
        assert np.array_equal(apart.reset(seed=3)[0], native.reset(seed=3)[0])
        assert np.array_equal(beside.reset(seed=3)[0], native.reset(seed=3)[0])
        for _ in range(5):
            action = native.action_space.sample()
            assert np.array_equal(apart.step(action)[0], native.step(action)[0])
    finally:
        apart.close()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_self_play_tells_the_rewards_of_both_players_and_whose_turn_it_is(mode):
    """Of a list of opponents too, where only some games are against the agent itself."""
    for opponent in ("self", ["self", "random"]):
        envs = pw.make_vec(
            "PlanetWars-v0", num_envs=6, opponent=opponent, graphs="fair", autoreset_mode=mode, max_turns=21,
            reward=pw.Shaped(0.9),
        )  # fmt: skip
        envs.action_space.seed(0)
        _, infos = envs.reset(seed=0)
        assert "rewards" not in infos
        nonzero = 0
        for _ in range(21):
            movers = infos["player"].astype(int)
            _, rewards, _, _, infos = envs.step(envs.action_space.sample())
            assert infos["rewards"].shape == (6, 2) and infos["_rewards"].all()
            assert (infos["rewards"][np.arange(6), movers - 1] == rewards).all()
            assert infos["rewards"].sum(1) == pytest.approx(0)
            nonzero += np.count_nonzero(rewards)
        assert nonzero
    envs = pw.make_vec("PlanetWars-v0", num_envs=2, opponent="random")
    envs.reset(seed=0)
    assert "rewards" not in envs.step(envs.action_space.sample())[-1]


def test_rows_are_copied_to_games_and_to_other_rows() -> None:
    envs: Any = pw.make_vec("PlanetWars-v0", num_envs=3, opponent="ai3", graphs="test")
    envs.reset(seed=4)
    for _ in range(12):
        envs.step(np.zeros(envs.action_space.shape, np.int64))
    game = envs.game(2)
    before = game.to_dict()
    observation, mask = game.observe()
    assert np.array_equal(mask, envs.action_masks()[2])
    envs.copy_game(2, 0)
    shown, *_ = envs.step(np.zeros(envs.action_space.shape, np.int64))
    assert game.to_dict() == before and game.graph is envs.game(0).graph
    assert envs.game(0).to_dict() == envs.game(2).to_dict() != before
    for part in shown.values():
        assert np.array_equal(part[0], part[2])
    assert observation["planets"].shape == shown["planets"][0].shape
    for wrong in (-1, 3):
        with pytest.raises(IndexError, match="the row of a game must lie between 0 and 2"):
            envs.game(wrong)
