"""Baselines of the benchmark: each can be trained by its command and loaded as a player; their losses are what they say."""

from pathlib import Path
from typing import Any

import pytest
import torch

import planetwars_env as pw
from planetwars_env.learn.config import load_config
from scripts.benchmark import baselines, fictitious, offline
from scripts.benchmark.regularised import RegularisedPPO
from support.training_configs import observations_of

CONFIG = baselines.CONFIGS / "regularised.yaml"


def test_every_command_of_a_track_names_a_configuration_that_loads() -> None:
    words = [command for track in baselines.Track for command in baselines.commands(track.value, 1000, 2, Path("runs"))]
    files = [command[command.index("--config") + 1] for command in words if "--config" in command]
    assert {Path(file).stem for file in files} == {path.stem for path in baselines.CONFIGS.iterdir()}
    assert all(load_config(file) for file in set(files))
    assert {command[1] for command in words if command[0].endswith("offline")} == {
        method.value for method in offline.Method
    }


def test_the_slow_copy_holds_the_policy_back() -> None:
    config = load_config(CONFIG)
    small = pw.TrainConfig.from_dict({**config.to_dict(), "learner": {"num_envs": 2, "num_steps": 4}})
    learner = RegularisedPPO(small)
    rollout = learner.collectors[0].collect(learner.network, learner.rng)
    seen, minibatch = observations_of(rollout), rollout.flat(rollout.rewards, rollout.rewards)
    loss, _ = learner.loss(learner.network, seen, minibatch, 0.0)
    plain, _ = super(RegularisedPPO, learner).loss(learner.network, seen, minibatch, 0.0)
    assert loss.item() == pytest.approx(plain.item())  # both copies are equal at first
    copies: Any = learner.network, learner.average
    with torch.no_grad():
        for network in copies:
            network.head.mul_(100)  # so that the choices follow from what the rules say of the future
    others = learner.network.with_spec(rules=pw.PLANETWARS_HALF_STEP), seen, minibatch, 0.0
    plain, _ = super(RegularisedPPO, learner).loss(*others)
    assert learner.loss(*others)[0].item() == pytest.approx(plain.item())
    with torch.no_grad():
        for part in learner.average.parameters():
            part.add_(torch.randn_like(part))
    assert learner.loss(*others)[0].item() > plain.item()


@pytest.mark.slow
def test_each_learner_makes_a_player(tmp_path: Path) -> None:
    pw.train(CONFIG, tmp_path / "regularised", steps=4096)
    fictitious.main(tmp_path / "fictitious", steps=5)
    for method in offline.Method:
        offline.main(method, out=tmp_path / method.value, decisions=3000)
    for folder in tmp_path.iterdir():
        assert pw.load_agent(folder).name == folder.name
