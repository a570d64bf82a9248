"""``memory: true`` in a configuration: training, evaluation, resumed runs and loaded agents see what was seen earlier."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

import planetwars_env as pw
from planetwars_env.learn.agent import AgentError, make_agent
from planetwars_env.learn.checkpoint import load_checkpoint
from planetwars_env.learn.config import TrainConfig
from planetwars_env.learn.learner import make_learner
from planetwars_env.learn.packing import Packed
from planetwars_env.learn.recording import record
from planetwars_env.settings import ConfigError
from support.training_configs import tiny


def remembering(kind: str = "graph", **changes: dict[str, Any]) -> TrainConfig:
    changes["task"] = {"graphs": "rings", "max_turns": 24, "memory": True} | changes.get("task", {})
    changes["league"] = {"self_play_fraction": 0.0} | changes.get("league", {})
    config = tiny(**changes)
    return replace(config, network=replace(config.network, kind=kind))


class Interruption:
    """A callback that presses Ctrl-C after the third update."""

    updates = 0

    def on_start(self, steps: int, total: int) -> None:
        pass

    def on_update(self, steps: int, win_rate: float | None, steps_per_second: float) -> None:
        self.updates += 1
        if self.updates == 3:
            raise KeyboardInterrupt

    def on_evaluation(self, steps: int, results: Any, sampled: Any) -> None:
        pass


@pytest.mark.parametrize("kind", ["graph", "mlp"])
def test_a_resumed_run_with_memory_gives_the_same_weights_as_an_uninterrupted_one(kind: str, tmp_path: Path) -> None:
    config = remembering(kind)
    pw.train(config, tmp_path / "whole")
    assert pw.train(config, tmp_path / "parts", callback=Interruption()).end == "interrupted"
    arrays, _ = load_checkpoint(tmp_path / "parts")
    assert all(arrays[f"process/0/0/memory/{i}"].any() for i in range(3))
    pw.train(config, tmp_path / "parts", resume=True)
    one, other = ((tmp_path / name / "weights.safetensors").read_bytes() for name in ("whole", "parts"))
    assert one == other


def test_training_remembers_what_the_wrapper_does() -> None:
    """Also the last observation of a game that was cut off; and nothing of the game before."""
    config = remembering(learner={"num_envs": 3, "num_steps": 40})
    learner: Any = make_learner(config)
    collector = learner.collectors[0]
    seen, finals = [], []

    def act(observation: dict[str, np.ndarray]) -> tuple[Packed, tuple[np.ndarray, ...]]:
        seen.append({name: part.copy() for name, part in observation.items()})
        S = collector.batch.actions.shape[1]
        zeros = np.zeros((3, S), np.float32)
        return {}, (np.zeros((3, S), np.int64), zeros, np.zeros((3, S), np.int64), zeros, np.zeros(3, np.float32))

    def value(observation: dict[str, np.ndarray]) -> np.ndarray:
        finals.append(observation)
        return np.zeros(len(observation["clock"]), np.float32)

    rollout = collector.collect(act, value)
    expected, age, last = np.zeros((3, 21, 11), np.float32), np.zeros((3, 21)), np.zeros(3)
    for t, observation in enumerate(seen):
        begun = np.ones(3, bool) if t == 0 else rollout.dones[t - 1] > 0
        expected[begun], age[begun], last[begun] = 0, 0, 0
        planets, clock = observation["planets"], observation["clock"][:, 0]
        visible = planets[..., 1] > 0
        age += (clock != last)[:, None]
        age[visible], last = 0, clock
        expected[visible, 2:] = planets[visible][:, 2:11]
        expected[..., 0] = np.maximum(expected[..., 0], visible)
        expected[..., 1] = expected[..., 0] * age * 0.1
        assert observation["memory"] == pytest.approx(expected)
    assert rollout.dones.any() and any(one["memory"].any() for one in finals)


def test_an_agent_with_memory_plays_evaluations_matches_and_as_an_opponent(tmp_path: Path) -> None:
    run = pw.train(remembering(), tmp_path)
    agent = pw.load_agent(tmp_path)
    assert agent.limits == pw.LARGE
    assert (
        pw.evaluate(agent, "ai1", graphs="test", games=4)[0] == pw.evaluate(run.agent, "ai1", graphs="test", games=4)[0]
    )
    assert pw.evaluate(agent, "ai1", graphs="test", games=4, sample=True)[0].total.games == 4
    assert pw.play_match(agent, "ai1", "rings", max_turns=20).turns == 20
    envs = pw.make_vec("PlanetWars-v0", num_envs=2, opponent=str(tmp_path), graphs="rings", max_turns=20)
    envs.reset(seed=0)
    envs.step(envs.action_space.sample())
    game = pw.Game(pw.load_graph("rings"), max_turns=20)
    observation = agent.observe(game)
    assert agent.probabilities(observation).shape[0] == 1
    assert agent.influence(observation).shape[0] == agent.limits.planets
    with pytest.raises(ValueError, match=r"has a memory: call act\(observation, games=\.\.\., starts=\.\.\.\)"):
        agent.act(observation)
    with pytest.raises(AgentError, match="has a memory: its actions do not follow from single observations"):
        record(agent, pw.PLANETWARS)


def test_the_choice_depends_on_what_was_seen_before() -> None:
    """The same observation after another one, and in a new game."""
    config = remembering()
    agent: Any = make_agent("any", config)
    with torch.no_grad():
        for part in agent.network.parameters():
            part.uniform_(-1, 1)
    env = pw.make("PlanetWars-v0", graphs="rings", player=1, fractions=config.task.fractions, limits=agent.limits)
    shown = [{name: part[None] for name, part in env.reset(seed=0)[0].items()}]
    first = agent._checked(shown[0])
    hidden = {**first, "planets": first["planets"].copy()}
    hidden["planets"][..., 1:] = 0
    games, starts = np.zeros(1, np.int64), np.ones(1, bool)
    fresh = agent.history.empty().with_table(hidden, games, starts)
    agent.act(shown[0], games, starts)
    later = agent.history.with_table(hidden, games, ~starts)
    assert not fresh["memory"].any() and later["memory"].any()
    assert not np.allclose(agent.probabilities(fresh), agent.probabilities(later))


def test_the_network_as_a_policy_of_maskable_ppo_reads_the_memory() -> None:
    short: dict[str, Any] = {"graphs": "duel", "max_turns": 12}
    venv = pw.make_sb3_vec_env(num_envs=2, observation="tensors", memory=True, **short)
    model = MaskablePPO(pw.NetworkPolicy, venv, n_steps=8, batch_size=16, policy_kwargs={"width": 8}).learn(16)
    network: Any = model.policy
    assert network.network.spec.memory and network.network.embed.in_features == 55 + 11
    assert pw.evaluate(pw.SB3Policy(model), "noop", graphs="duel", games=2)[0].total.games == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"task": {"memory": 1}}, "task: memory must be true or false, not 1"),
        ({"task": {"memory": "lstm"}}, "task: memory must be true or false, not 'lstm'"),
        (
            {"task": {"memory": True}, "league": {"self_play_fraction": 0.5}},
            "task: memory: true needs league: self_play_fraction 0",
        ),
    ],
)
def test_a_wrong_value_is_told(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        TrainConfig.from_dict(changes)


def test_a_checkpoint_without_memory_does_not_fit(tmp_path: Path) -> None:
    plain = remembering(task={"memory": False})
    pw.train(plain, tmp_path)
    with pytest.raises(AgentError, match="cannot be resumed from"):
        pw.train(remembering(), tmp_path, resume=True)
