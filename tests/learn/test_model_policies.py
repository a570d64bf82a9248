"""Models of Stable-Baselines3 and torch as players: they act as their own libraries let them act."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO, RecurrentPPO
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.callbacks import ConvertCallback
from stable_baselines3.common.logger import Logger, make_output_format
from stable_baselines3.common.vec_env import VecFrameStack, VecNormalize

import planetwars_env as pw
from planetwars_env.codec.layout import observation_width
from support.command_line import run

SMALL = {"n_steps": 8, "batch_size": 16, "n_epochs": 1, "seed": 0, "policy_kwargs": {"net_arch": [8]}}
SHORT = {"graphs": "duel", "max_turns": 12}


def made(algorithm: Any, venv: Any, policy: str = "MlpPolicy", **more: Any) -> Any:
    return algorithm(policy, venv, **(SMALL | more)).learn(16)


def plays(policy: Any, opponent: Any = "noop") -> bool:
    return pw.play_match(policy, opponent, "duel", max_turns=12).turns > 0


@pytest.fixture(scope="module")
def ppo() -> Any:
    return made(PPO, pw.make_sb3_vec_env(num_envs=2, fractions=(0.5, 1.0), **SHORT))


def test_frames_and_normalisation_are_those_of_the_training() -> None:
    normal: Any = VecNormalize(pw.make_sb3_vec_env(num_envs=3, fractions=(0.5, 1.0), **SHORT))
    for venv in (VecFrameStack(normal, 3), VecNormalize(VecFrameStack(normal.venv, 3))):
        model = made(PPO, venv)
        normalize = normal if isinstance(venv, VecFrameStack) else venv
        normalize.training = False
        policy = pw.SB3Policy(model, vecnormalize=normalize, fractions=(0.5, 1.0))
        stacked, starts, games = venv.reset(), np.ones(3, bool), np.array([5, 0, 9])
        for _ in range(20):
            original: Any = normalize.get_original_obs()
            raw = original[:, -observation_width(pw.CLASSIC) :]
            expected, _ = model.predict(stacked, deterministic=True)
            assert (policy.act(raw, games, starts) == expected).all()
            stacked, _, starts, _ = venv.step(expected)


def test_a_recurrent_model_with_memory_plays_every_game_by_its_own_state() -> None:
    venv = pw.make_sb3_vec_env(num_envs=3, memory=True, fractions=(0.5, 1.0), **SHORT)
    model = made(RecurrentPPO, venv, "MlpLstmPolicy", policy_kwargs={"lstm_hidden_size": 8, "net_arch": [8]})
    with torch.no_grad():
        for part in model.policy.parameters():
            part.mul_(4)  # so that the state decides something
    policy = pw.SB3Policy(model, fractions=(0.5, 1.0))
    observation, state, starts = venv.reset(), None, np.ones(3, bool)
    games, width = np.array([2, 7, 0]), observation_width(pw.CLASSIC)
    for _ in range(20):
        expected, state = model.predict(observation, state, starts, deterministic=True)
        order = np.random.default_rng(0).permutation(3)
        answer = policy.act(observation[order, :width], games[order], starts[order])
        assert (answer == expected[order]).all()
        observation, _, starts, _ = venv.step(expected)
    with pytest.raises(ValueError, match=r"has a memory: call act\(observation, games=\.\.\., starts=\.\.\.\)"):
        policy.act(observation[:, :width])
    assert pw.tournament([policy, "noop"], graphs="duel", games=2, max_turns=6, jobs=1).standings.played == 2


def test_masks_tensors_and_orders_are_derived(tmp_path: Path) -> None:
    venv = pw.make_sb3_vec_env(num_envs=2, observation="tensors", actions="order", **SHORT)
    small = {"n_steps": 8, "batch_size": 16, "policy_kwargs": {"net_arch": [8]}}
    model = MaskablePPO("MultiInputPolicy", venv, **small)
    model.save(tmp_path / "orders.zip")
    policy = pw.SB3Policy(tmp_path / "orders.zip", max_orders=3)
    assert (policy.name, policy.observation, policy.max_orders, len(policy.fractions)) == ("orders", "tensors", 3, 9)
    same = [pw.evaluate(policy, "ai1", graphs="duel", games=4, sample=True) for _ in range(2)]
    assert same[0] == same[1]
    venv = pw.make_sb3_vec_env(num_envs=2, sends=2, observation="tensors", **SHORT)
    network = MaskablePPO(pw.NetworkPolicy, venv, n_steps=8, batch_size=16, policy_kwargs={"width": 8}).learn(16)
    flat = MaskablePPO("MlpPolicy", pw.make_sb3_vec_env(num_envs=2, sends=2, **SHORT), **small)
    assert pw.SB3Policy(flat).sends == 2 and plays(pw.SB3Policy(flat)) and plays(pw.SB3Policy(network))
    large = pw.make_sb3_vec_env(num_envs=1, limits=pw.LARGE, fractions=(1.0,), **SHORT)
    assert pw.SB3Policy(PPO("MlpPolicy", large, **SMALL), fractions=[1.0]).limits == pw.LARGE


def test_what_does_not_fit_is_one_clear_error(ppo: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"chooses among 2 fractions: pass fractions="):
        pw.SB3Policy(ppo)
    with pytest.raises(ValueError, match=r"2 fractions, not 3"):
        pw.SB3Policy(ppo, fractions=(0.1, 0.2, 0.3))
    with pytest.raises(ValueError, match=r"fits none of the limits .*pass limits="):
        pw.SB3Policy(ppo, limits=pw.LARGE, fractions=(0.5, 1.0))
    with pytest.raises(
        ValueError, match=r"^the model has the action space Box.*, which no PlanetWars environment has$"
    ):
        pw.SB3Policy(PPO("MlpPolicy", "Pendulum-v1"))
    with pytest.raises(ValueError, match=r"takes a model of Stable-Baselines3 or its \.zip file, not dict"):
        pw.SB3Policy({})
    with pytest.raises(ValueError, match=r"wrap it, as in pw\.SB3Policy\(model\)"):
        pw.evaluate(ppo, "noop", graphs="duel", games=2)
    with pytest.raises(ValueError, match=r"Logits has no act\(observation\): wrap it, as in pw\.TorchPolicy\(module\)"):
        pw.evaluate(Logits(), "noop", graphs="duel", games=2)
    (tmp_path / "model.zip").write_text("no model")
    with pytest.raises(ValueError, match=r"model\.zip is not a model of Stable-Baselines3"):
        pw.SB3Policy(tmp_path / "model.zip")
    dqn = DQN("MlpPolicy", pw.make_sb3_vec_env(num_envs=1, actions="order", **SHORT), buffer_size=10)
    assert plays(pw.SB3Policy(dqn))
    with pytest.raises(ValueError, match=r"no probabilities to sample from: DQNPolicy has none"):
        pw.evaluate(pw.SB3Policy(dqn), "noop", graphs="duel", games=2, sample=True)
    with torch.no_grad():
        next(dqn.policy.parameters()).fill_(float("nan"))
    with pytest.raises(ValueError, match=r"not finite in q_net"):
        pw.SB3Policy(dqn)


def test_a_models_file_is_evaluated_only_where_it_is_trusted(ppo: Any, tmp_path: Path) -> None:
    ppo.save(tmp_path / "model.zip")
    words = ["--opponents", "noop", "--graphs", "duel", "--games", "2"]
    refused = run("evaluate", tmp_path / "model.zip", *words)
    assert refused.exit_code == 1 and "--trust-pickle" in refused.output
    trusted = ["evaluate", "--trust-pickle", str(tmp_path / "model.zip"), "--set", "fractions=0.5,1"]
    done = run(*trusted, "--actions", "sampled", *words)
    assert done.exit_code == 0 and "model, sampled," in done.output, done.output
    other = run("evaluate", "--trust-pickle", "ai1", *words)
    assert other.exit_code == 1 and "needs the .zip file of a model, not ai1" in other.output


def test_the_callback_logs_win_rates_with_intervals_and_keeps_the_best_model(tmp_path: Path) -> None:
    venv = pw.make_sb3_vec_env(num_envs=2, fractions=(0.5, 1.0), **SHORT)
    callback = pw.EvaluationCallback(
        "noop", graphs="duel", games=2, eval_freq=32, policy={"fractions": (0.5, 1.0)}, best_model_save_path=tmp_path
    )
    model = PPO("MlpPolicy", venv, **SMALL)
    model.set_logger(Logger(str(tmp_path), [make_output_format("json", str(tmp_path))]))
    model.learn(64, callback=callback)
    assert [steps for steps, *_ in callback.results] == [32, 64]
    log = (tmp_path / "progress.json").read_text()
    assert all(f'"validation/noop{end}"' in log for end in ("", "_low", "_high", "_sampled", "_sampled_low"))
    assert pw.SB3Policy(tmp_path / "best_model.zip", fractions=(0.5, 1.0)).name == "best_model"
    with pytest.raises(ValueError, match="2 fractions"):
        PPO("MlpPolicy", venv, **SMALL).learn(16, callback=pw.EvaluationCallback())


class Logits(torch.nn.Module):
    """Returns the same for every observation."""

    def __init__(self, value: float = 0.0, shape: tuple[int, ...] = (21, 118)) -> None:
        super().__init__()
        self.value, self.shape = value, shape

    def forward(self, observation: Any, state: Any = None) -> Any:
        count = len(observation["planets"] if isinstance(observation, dict) else observation)
        logits = torch.full((count, *self.shape), self.value)
        return logits if state is None else (logits, state + 1)


def test_a_torch_module_chooses_among_legal_actions_only() -> None:
    policy = pw.TorchPolicy(Logits())
    found = pw.evaluate(policy, "noop", graphs="duel", games=4, sample=True)
    assert found == pw.evaluate(policy, "noop", graphs="duel", games=4, sample=True)
    memory = pw.TorchPolicy(Logits(), observation="flat", state=torch.zeros(3), memory=True, frames=2)
    assert plays(memory, memory)
    env = pw.make_vec("PlanetWars-v0", num_envs=2, observation="flat", **SHORT)
    observation, _ = env.reset(seed=0)
    games, starts, masks = np.arange(2), np.array([True, True]), env.unwrapped.action_masks()  # pyright: ignore
    for turn in (1, 2, 3):
        memory.act(observation, games, starts, masks)
        assert memory.state is not None
        assert (memory.state.recall(games, starts & False)[0] == turn).all()
        starts = np.zeros(2, bool)


@pytest.mark.parametrize(
    ("module", "more", "message"),
    [
        (Logits(float("nan")), {}, r"logits of policy 'Logits' hold NaN"),
        (Logits(shape=(3,)), {}, r"must return logits of shape \(2, 21, 118\), not \(2, 3\)"),
        (torch.nn.GRU(3, 3), {}, r"GRU is recurrent: pass state="),
        (Logits(), {"frames": 2}, r"frames must be 1"),
    ],
)
def test_a_module_that_does_not_fit_is_told_so(module: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pw.evaluate(pw.TorchPolicy(module, **more), "noop", graphs="duel", games=2)


def test_the_network_as_a_policy_of_maskable_ppo_reads_the_memory() -> None:
    venv = pw.make_sb3_vec_env(num_envs=2, observation="tensors", memory=True, **SHORT)
    model = MaskablePPO(pw.NetworkPolicy, venv, n_steps=8, batch_size=16, policy_kwargs={"width": 8}).learn(16)
    network: Any = model.policy
    assert network.network.spec.memory and network.network.embed.in_features == 55 + 11
    assert plays(pw.SB3Policy(model))


def test_frozen_copies_of_a_model_become_its_opponents() -> None:
    venv = pw.make_sb3_vec_env("PlanetWars-v0", num_envs=4, opponent="noop", graphs="duel", max_turns=4)
    callback = pw.SelfPlayCallback(["noop"], freeze_freq=32, copies=2, fraction=0.75)
    met: set[str] = set()

    def note(local: dict[str, Any], _: dict[str, Any]) -> bool:
        met.update(info["opponent"] for info in local["infos"] if "opponent" in info)
        return True

    settings: dict[str, Any] = SMALL | {"batch_size": 32}
    model = PPO("MlpPolicy", VecNormalize(venv), **settings)
    model.learn(256, callback=[callback, ConvertCallback(note)])
    assert [copy.name for copy in callback.frozen] == ["copy-224", "copy-256"]
    assert {"noop", "copy-32", "copy-64"} <= met
    first, last = (copy.model.state_dict()["mlp_extractor.policy_net.0.weight"] for copy in callback.frozen)
    assert not torch.equal(first, last) and callback.frozen[-1].model is not model.policy


@pytest.mark.parametrize("wrong", [{"freeze_freq": 0}, {"copies": 0}, {"fraction": 0.0}, {"fraction": 1.5}])
def test_impossible_numbers_of_copies_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be at least 1, and fraction above 0"):
        pw.SelfPlayCallback(**wrong)
