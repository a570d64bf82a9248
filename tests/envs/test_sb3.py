"""The native VecEnv under Stable-Baselines3 and sb3-contrib: it behaves as DummyVecEnv of single environments, and learns."""

import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize

import planetwars_env as pw
from support.environments import FORMS, both_actions, both_observations, every_id, make_form
from support.opponents import Chancy, Idle

TINY: dict[str, Any] = {"graphs": "duel", "limits": pw.Limits(2, 1, 1, 4), "opponent": "random", "max_turns": 30}


@every_id
@both_actions
@both_observations
def test_the_checker_of_sb3_passes(name: str, actions: str, observation: str) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(unconventional shape|key .* which is different).*")
        check_env(gymnasium.make(name, actions=actions, observation=observation).unwrapped)


@both_actions
@pytest.mark.parametrize(
    ("form", "max_turns"),
    [*((form, 7) for form in ("tensors", "flat", "flat, state", "tensors, memory", "flat, memory")), ("tensors", 1)],
)
def test_it_is_a_dummy_vec_env_of_single_environments(actions: str, form: str, max_turns: int) -> None:
    """Observations, rewards, ends, last observations and truncations, games drawn from the same seeds.

    At the limit a game of PlanetWars is cut off, and one of SpaceExplorers has ended.
    """
    name = "PlanetWars-v0" if actions == "turn" else "SpaceExplorers-v0"
    arguments = {"actions": actions, "opponent": ["random", Chancy], "max_turns": max_turns, "graphs": "validation"}
    memory = form.endswith("memory")
    native = pw.make_sb3_vec_env(name, 5, memory=memory, **FORMS[form], **arguments)
    dummy = DummyVecEnv([lambda: Monitor(make_form(form, name, **arguments))] * 5)
    assert (native.observation_space, native.action_space) == (dummy.observation_space, dummy.action_space)
    assert native.seed(3) == dummy.seed(3)
    _assert_equal(native.reset(), dummy.reset())
    rng, ends, cut_off = np.random.default_rng(0), 0, 0
    for _ in range(30):
        assert np.array_equal(get_action_masks(native), get_action_masks(dummy))
        action = rng.integers(0, 118, (5, 21)) if actions == "turn" else rng.integers(0, 649, 5)
        rows, rewards, dones, infos = native.step(action)
        theirs, their_rewards, their_dones, their_infos = dummy.step(action)
        _assert_equal(rows, theirs)
        assert rewards.dtype == their_rewards.dtype == np.float32 and np.array_equal(rewards, their_rewards)
        assert dones.dtype == bool and np.array_equal(dones, their_dones)
        for g in np.flatnonzero(dones):
            ends += 1
            cut_off += infos[g]["TimeLimit.truncated"]
            _assert_equal(infos[g]["terminal_observation"], their_infos[g]["terminal_observation"])
            assert infos[g]["episode"].pop("t") >= 0 and their_infos[g]["episode"].pop("t") >= 0
            shared = {key: value for key, value in their_infos[g].items() if key != "terminal_observation"}
            assert shared["is_success"] == (shared["won"] == 1) and shared["graph_name"].startswith("validation/")
            assert {key: value for key, value in infos[g].items() if key != "terminal_observation"} == shared
        assert all(not infos[g] for g in np.flatnonzero(~dones))  # small while games go on
    assert ends and bool(cut_off) == (actions == "turn")


def _assert_equal(ours: Any, theirs: Any) -> None:
    for key in ours if isinstance(ours, dict) else [...]:
        assert np.array_equal(ours[key], theirs[key])


def test_seeds_and_options_are_used_by_the_next_reset() -> None:
    venv = pw.make_sb3_vec_env("PlanetWars-v0", num_envs=16, graphs="validation")
    assert venv.seed(5) == list(range(5, 21))
    first = venv.reset()
    second = venv.reset()
    assert not np.array_equal(first, second)
    venv.seed(5)
    assert np.array_equal(first, venv.reset()) and np.array_equal(second, venv.reset())
    venv = pw.make_sb3_vec_env("PlanetWars-v0", num_envs=2, graphs=["duel", "k4"], observation="tensors")
    venv.set_options({"graph": 1, "player": 2})
    assert venv.reset()["planets"][:, :, 0].sum(axis=1).tolist() == [4, 4]


def test_attributes_and_methods_answer_as_sb3_asks_for_them() -> None:
    venv = pw.make_sb3_vec_env("PlanetWars-v0", num_envs=4)
    venv.reset()
    assert is_masking_supported(venv) and venv.has_attr("action_masks") and not venv.has_attr("nonsense")
    assert venv.env_method("action_masks", indices=[1, 3])[1].shape == (21 * 118,)
    assert np.array_equal(np.stack(venv.env_method("action_masks")), venv.action_masks())
    assert venv.action_masks().dtype == bool
    assert venv.get_attr("graphs", indices=2)[0][0].name == "train/0"
    assert venv.env_is_wrapped(VecMonitor) == [False] * 4
    with pytest.raises(AttributeError):
        venv.get_attr("nonsense")
    with pytest.raises(AttributeError, match="cannot be set"):
        venv.set_attr("player", 2)
    with pytest.raises(AttributeError, match="no method render: call action_masks"):
        venv.env_method("render")
    venv.close()
    venv.close()


def test_wrong_arguments_are_told() -> None:
    with pytest.raises(ValueError, match="unknown environment id 'Chess-v0': choose one of PlanetWars-v0"):
        pw.make_sb3_vec_env("Chess-v0")
    with pytest.raises(ValueError, match="pass the class Idle"):
        pw.make_sb3_vec_env(opponent=Idle())
    assert pw.make_sb3_vec_env("planetwars_env:SpaceExplorers-v0", num_envs=2).num_envs == 2
    with pytest.raises(ValueError, match='privileged=True needs observation="flat"'):
        pw.make_sb3_vec_env(privileged=True, observation="tensors")


@pytest.mark.parametrize("opponent", ["self", ["random", "SELF"]])
def test_self_play_is_refused_since_it_would_mix_the_values_of_two_players(opponent: Any) -> None:
    with pytest.raises(ValueError, match=r"call set_opponents with pw\.SB3Policy"):
        pw.make_sb3_vec_env(opponent=opponent)
    venv = pw.make_sb3_vec_env(num_envs=2, opponent="random")
    with pytest.raises(ValueError, match=r"call set_opponents with pw\.SB3Policy"):
        venv.set_opponents(opponent)


def test_opponents_and_graphs_of_later_games_are_chosen() -> None:
    """Frozen copies of a model are opponents as well."""
    venv = pw.make_sb3_vec_env(num_envs=3, **TINY)
    model = PPO("MlpPolicy", venv, n_steps=4, batch_size=12)
    planets = pw.load_graph("duel").planets
    shorter = pw.Graph("shorter", planets, [pw.Edge(1, 2, 1)])
    venv.set_opponents(["random", pw.SB3Policy(model, limits=TINY["limits"])], weights=[0, 1])
    venv.env_method("set_graphs", shorter, indices=[1])
    venv.seed(0)
    venv.reset()
    infos: list[dict[str, Any]] = [{}] * 3
    while not all(infos):
        _, _, _, news = venv.step(np.zeros((3, 2), np.int64))
        infos = [new or old for new, old in zip(news, infos, strict=True)]
    assert {info["opponent"] for info in infos} == {venv.get_attr("opponents")[0][1]} != {"random"}
    assert [info["graph_name"] for info in infos] == ["duel", "shorter", "duel"]


@both_observations
@pytest.mark.parametrize("actions", ["turn", "order"])
def test_wrappers_of_sb3_work(actions: str, observation: str) -> None:
    venv = VecMonitor(pw.make_sb3_vec_env(num_envs=4, actions=actions, observation=observation, **TINY))
    keys = ["planets", "edges", "clock"] if observation == "tensors" else None
    normal = VecNormalize(venv, norm_obs_keys=keys)
    rows: Any = normal.reset()
    episodes = []
    for _ in range(60):
        action = np.array([normal.action_space.sample() for _ in range(4)])
        rows, _, dones, infos = normal.step(action)
        episodes += [infos[g]["episode"] for g in np.flatnonzero(dones)]
    assert episodes and all(0 < episode["l"] <= 15 * 8 and episode["r"] in (-1, 0, 1) for episode in episodes)
    if observation == "tensors":
        assert rows["action_mask"].dtype == np.int8 and set(np.unique(rows["action_mask"])) <= {0, 1}
    assert is_masking_supported(normal) and get_action_masks(normal).shape[0] == 4


@both_actions
@pytest.mark.parametrize("form", ["tensors", "flat", "flat, state", "flat, memory"])
def test_maskable_ppo_learns_and_is_evaluated(actions: str, form: str, tmp_path: Any) -> None:
    shown = {"actions": actions, "memory": form.endswith("memory"), **FORMS[form]}
    venv = VecMonitor(pw.make_sb3_vec_env(num_envs=8, reward=pw.Shaped(0.99), **shown, **TINY))
    policy = "MlpPolicy" if form in ("flat", "flat, memory") else "MultiInputPolicy"
    model = MaskablePPO(policy, venv, n_steps=16, batch_size=64, n_epochs=1, seed=0, device="cpu")
    judged = VecMonitor(pw.make_sb3_vec_env(num_envs=4, **shown, **TINY))
    callback = MaskableEvalCallback(
        judged, eval_freq=16, n_eval_episodes=4, best_model_save_path=str(tmp_path), verbose=0
    )
    model.learn(256, callback=callback)
    returns: Any = evaluate_policy(model, judged, n_eval_episodes=8, return_episode_rewards=True)[0]
    assert len(returns) == 8 and set(returns) <= {-1, 0, 1}
    rows: Any = judged.reset()
    masks = get_action_masks(judged)
    chosen, _ = model.predict(rows, action_masks=masks)
    flat = masks.reshape(4, 2, -1) if actions == "turn" else masks
    assert np.take_along_axis(flat, np.asarray(chosen)[..., None], axis=-1).all()
    again = MaskablePPO.load(tmp_path / "best_model.zip")
    assert again.predict(rows, action_masks=masks)[0].shape == chosen.shape


@pytest.mark.long
def test_the_network_policy_agrees_with_the_distribution_of_sb3_and_is_kept(tmp_path: Path) -> None:
    """On the limits and fractions of its environment, which it is told by ``limits`` alone."""
    limits = pw.Limits(8, 9, 3, 8)
    venv = pw.make_sb3_vec_env(
        num_envs=8, observation="tensors", graphs="rings", limits=limits, fractions=(0.5, 0.9, 1.0)
    )
    network = {"limits": limits, "width": 8, "rounds": 1}
    ppo = MaskablePPO(
        pw.NetworkPolicy, venv, n_steps=16, batch_size=64, n_epochs=1, seed=0, policy_kwargs=network, device="cpu"
    )
    ppo.learn(128)
    policy: Any = ppo.policy
    seen: Any = venv.reset()
    tensors = {name: torch.as_tensor(part) for name, part in seen.items()}
    actions, _, log_prob = policy.forward(tensors)
    theirs = policy.get_distribution(tensors)
    assert torch.allclose(theirs.log_prob(actions), log_prob, atol=1e-5)
    _, again, entropy = policy.evaluate_actions(tensors, actions, seen["action_mask"])
    assert torch.allclose(again, log_prob, atol=1e-6)
    assert torch.allclose(theirs.entropy(), entropy, atol=1e-4)
    chosen, _ = ppo.predict(seen, deterministic=True, action_masks=seen["action_mask"])
    ppo.save(tmp_path / "model.zip")
    kept, _ = MaskablePPO.load(tmp_path / "model.zip").predict(
        seen, deterministic=True, action_masks=seen["action_mask"]
    )
    assert np.array_equal(chosen, kept)


@pytest.mark.parametrize(
    ("made", "network", "said"),
    [
        ({"observation": "flat"}, {}, 'observation="tensors"'),
        ({"observation": "tensors", "actions": "order"}, {}, 'actions="turn"'),
        ({"observation": "tensors", "limits": pw.LARGE}, {}, "limits"),
        ({"observation": "tensors"}, {"limits": pw.Limits(21, 36, 10, 8)}, "limits"),
    ],
)
def test_a_network_policy_of_another_environment_is_refused(
    made: dict[str, Any], network: dict[str, Any], said: str
) -> None:
    venv = pw.make_sb3_vec_env(num_envs=2, **made)
    with pytest.raises(ValueError, match=said):
        MaskablePPO(pw.NetworkPolicy, venv, n_steps=16, batch_size=16, policy_kwargs=network, device="cpu")
