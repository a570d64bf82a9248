"""``planetwars train``, run for real with little work: what it leaves behind, interruptions, and errors."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import planetwars_env as pw
from planetwars_env.graphs.graph import show
from planetwars_env.learn.agent import Agent, AgentError, load_agent, load_weights, save_agent
from planetwars_env.learn.config import SHIPPED, ActionSpec, TrainConfig, load_config
from planetwars_env.learn.masked_categorical import MaskedCategorical
from planetwars_env.learn.network import NETWORKS
from planetwars_env.learn.tensors import load_checkpoint
from planetwars_env.settings import ConfigError, shipped_settings
from support.command_line import run, succeed

TINY: dict[str, Any] = {
    "task": {"opponents": ["random"], "graphs": "rings", "fractions": [0.5, 1.0], "max_turns": 40},
    "network": {"width": 8, "rounds": 1},
    "learner": {"num_envs": 8, "num_steps": 16, "minibatch_size": 64, "update_epochs": 1},
    "schedule": {"steps": 512, "evaluate_every": 256, "evaluation_opponents": ["ai3"], "evaluation_games": 2},
}
LEFT = {
    "config.yaml", "weights.safetensors", "checkpoint.safetensors", "history.json", "learning_curve.png", "tensorboard",
}  # fmt: skip


def write(path: Path, **changes: dict[str, Any]) -> Path:
    path.write_text(yaml.safe_dump({name: {**section, **changes.get(name, {})} for name, section in TINY.items()}))
    return path


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    result = succeed("train", "--config", write(folder / "tiny.yaml"), "--out", folder / "run")
    assert re.search(r"at 512 steps, validation games won \(when sampled\): ai3 \d+% \(\d+%\)", result.output)
    return folder / "run"


def test_a_run_leaves_all_it_takes_to_use_and_to_repeat_it(trained: Path) -> None:
    assert {path.name for path in trained.iterdir()} == LEFT
    assert TrainConfig.from_dict(yaml.safe_load((trained / "config.yaml").read_text())).learner.num_envs == 8
    history = json.loads((trained / "history.json").read_text())
    assert [row["steps"] for row in history["training"]] == [128, 256, 384, 512]
    measured = [(row["steps"], row["opponent"], row["games"]) for row in history["validation"]]
    assert measured == [(256, "ai3", 2), (512, "ai3", 2)]
    assert all((row["sampled"]["opponent"], row["sampled"]["games"]) == ("ai3", 2) for row in history["validation"])
    assert (trained / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert any((trained / "tensorboard").iterdir())


def test_a_trained_agent_plays_matches_and_is_evaluated_greedily_or_by_samples(trained: Path, tmp_path: Path) -> None:
    games = [pw.play_match(load_agent(trained), "random", "test/1", max_turns=30) for _ in range(2)]
    games[0].verify()
    assert games[0] == games[1] and games[0].players == ("run", "random")
    command = "evaluate", trained, "--opponents", "random", "--graphs", "rings", "--games", 12, "--actions"
    entries = []
    for more in (["greedy"], ["sampled"], ["sampled", "--seed", 1]):
        result = succeed(*command, *more, "--out", tmp_path / "results.json")
        assert (", sampled," in result.output) == ("sampled" in more)
        (entry,) = json.loads((tmp_path / "results.json").read_text())["results"]
        entries.append(entry)
    assert [entry["mode"] for entry in entries] == ["greedy", "sampled", "sampled"]
    assert len({json.dumps(entry["as_player_1"]) for entry in entries}) == 3
    (drawn,) = pw.evaluate(load_agent(trained), "random", "rings", 12, sample=True)
    assert drawn.to_dict() == entries[1]


def test_only_a_player_with_probabilities_can_be_sampled() -> None:
    result = run("evaluate", "planner", "--opponents", "random", "--games", 2, "--actions", "sampled")
    assert result.exit_code == 1
    assert "planner" in result.output and "no probabilities to sample from" in result.output


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("network", "width", 16),
        ("learner", "num_envs", 4),
        ("task", "graphs", "duel"),
        ("task", "opponents", ["ai2", "ai1"]),
    ],
)
def test_settings_that_a_run_cannot_go_on_with_are_named(
    trained: Path, tmp_path: Path, section: str, key: str, value: object
) -> None:
    run_folder = shutil.copytree(trained, tmp_path / "run")
    config = yaml.safe_load((trained / "config.yaml").read_text())
    before = config[section][key]
    config[section][key] = value
    (run_folder / "config.yaml").write_text(yaml.safe_dump(config))
    said = " ".join(run("train", "--out", run_folder, "--resume").output.split())
    assert said.endswith(f"cannot be resumed from: {section}: {key} was {show(before)}, not {show(value)}")


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_interrupted_run_leaves_an_agent_and_goes_on(tmp_path: Path, processes: int) -> None:
    """Ctrl-C, as a terminal sends it, to all processes of a session, twice; the second finds the run saving."""
    schedule = {"steps": 10**7, "evaluate_every": 10**7}
    config = write(tmp_path / "tiny.yaml", learner={"processes": processes}, schedule=schedule)
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "planetwars_env", "train", "--config", config, "--out", folder]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, start_new_session=True, **pipes) as process:
        until = time.monotonic() + 50
        while not (folder / "tensorboard").exists() and time.monotonic() < until:
            time.sleep(0.1)
        time.sleep(1.5)
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=30)
    assert process.returncode == 130, output
    assert "--resume" in output
    assert {path.name for path in folder.iterdir()} == LEFT
    steps = load_checkpoint(folder)[1]["steps"]
    load_agent(folder)
    succeed("train", "--out", folder, "--resume", "--steps", steps + 256)
    assert load_checkpoint(folder)[1]["steps"] >= steps + 256


def test_a_trace_of_the_second_update_is_written_on_demand(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    result = succeed("train", "--config", write(tmp_path / "tiny.yaml"), "--out", folder, "--steps", 384, "--profile")
    assert "update.pt.trace.json" in result.output and "ui.perfetto.dev" in result.output
    assert {path.name for path in folder.iterdir()} == LEFT | {"update.pt.trace.json"}
    events = json.loads((folder / "update.pt.trace.json").read_text())["traceEvents"]
    calls = [event["name"] for event in events if event.get("cat") == "python_function"]
    assert sum(name.endswith(": advance") and "learn/ppo.py" in name for name in calls) == 1
    assert any(event["name"] == "aten::linear" for event in events)


def test_a_run_that_takes_too_long_is_cut_short_and_says_so(tmp_path: Path) -> None:
    config = write(tmp_path / "tiny.yaml", schedule={"steps": 10**7, "max_minutes": 0.005, "evaluate_every": 10**7})
    result = run("train", "--config", config, "--out", tmp_path / "run")
    assert result.exit_code == 0
    assert "cut short" in result.output
    load_agent(tmp_path / "run")


def test_the_last_weights_are_measured_and_the_checkpoint_does_not_know_it(tmp_path: Path) -> None:
    """So a run that goes on equals one that was never interrupted."""
    schedule = {"steps": 384, "evaluate_every": 256, "evaluation_opponents": ["ai3"], "evaluation_games": 2}
    config = write(tmp_path / "tiny.yaml", schedule=schedule)
    assert run("train", "--config", config, "--out", tmp_path / "run").exit_code == 0
    rows = json.loads((tmp_path / "run" / "history.json").read_text())["validation"]
    assert [row["steps"] for row in rows] == [256, 384]
    assert all(row["ci_low"] <= row["win_rate"] <= row["ci_high"] for row in rows)
    _, values = load_checkpoint(tmp_path / "run")
    assert [row["steps"] for row in values["history"]["validation"]] == [256]
    tags = EventAccumulator(str(tmp_path / "run" / "tensorboard")).Reload().Tags()["scalars"]
    assert sorted(tags)[0] == "games_won/ai3" and sorted(tags)[-1].startswith("learner/")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"learner": {"lr": 1}}, ["'lr'", "learning_rate"]),
        ({"learner": {"update_epochs": "many"}}, ["update_epochs", "whole number"]),
        ({"learner": {"num_envs": 0}}, ["num_envs", "at least 1"]),
        ({"schedule": {"seed": -1}}, ["seed", "at least 0"]),
        ({"task": {"opponents": ["ai9"]}}, ["ai9", "random, ai1"]),
        ({"task": {"opponents": []}}, ["opponents", "at least one"]),
        ({"task": {"environments": ["Chess-v0"]}}, ["Chess-v0", "PlanetWars-v0"]),
        ({"task": {"limits": "huge"}}, ["huge", "CLASSIC"]),
        ({"task": {"graphs": "tarin"}}, ["tarin", "train"]),
        ({"learner": {"algorithm": "dqn"}}, ["algorithm", "ppo, module:name"]),
        ({"task": {"actions": "order"}}, ["task: actions can no longer be set", "turn", "order"]),
        ({"learner": {"clip": "action"}}, ["'clip'", "learning_rate"]),
        ({"learner": {"final_learning_rate": 0.0}}, ["final_learning_rate", "above 0"]),
        ({"schedule": {"evaluation_opponents": ["ai9"]}}, ["ai9"]),
        ({"task": {"opponents": ["random", "self"]}}, ["task: opponents", '"self"', "league: self_play_fraction"]),
        ({"schedule": {"evaluation_opponents": ["ai1", "self"]}}, ["evaluation_opponents", '"self"']),
        ({"learner": {"device": "cuda"}}, ["learner: device", '"cuda"', "0 CUDA devices", '"cpu"']),
        ({"learner": {"device": "cuda:1"}}, ["learner: device", '"cuda:1"', '"cpu"']),
        (
            {"learner": {"device": "cuda:1", "processes": 2}},
            ["2 processes need", '"ppo" and "cuda:1": set processes to 1'],
        ),
        ({"learner": {"device": "gpu"}}, ["learner: device", "'gpu'", '"cpu", "cuda"']),
    ],
)
def test_what_cannot_be_trained_is_refused_in_one_sentence_before_anything_is_written(
    tmp_path: Path, changes: dict[str, Any], said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    result = run("train", "--config", write(tmp_path / "tiny.yaml", **changes), "--out", tmp_path / "run")
    assert result.exit_code == 1
    output = " ".join(result.output.split())
    assert all(part in output for part in said), output
    assert "Traceback" not in output
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("device", "said"), [("cuda", "torch finds 0 CUDA devices"), ("gpu", 'must be "cpu", "cuda"')])
def test_an_agent_is_not_loaded_onto_a_device_that_is_missing(
    trained: Path, device: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(ConfigError, match=f"^device .*{said}"):
        load_agent(trained, device=device)
    device_of_torch: Any = torch.device("cpu")
    assert load_agent(trained, device=device_of_torch).device == device_of_torch


def test_keys_of_earlier_versions_are_read_with_the_values_that_hold_now(trained: Path, tmp_path: Path) -> None:
    learner = {"gamma": 0.99, "clip_coef": 0.2, "max_grad_norm": 0.5}
    old = {"task": {"masked": True, "memory": False, "actions": "turn", "max_orders": 3}, "learner": learner}
    assert TrainConfig.from_dict(old) == TrainConfig()
    for section, key, value in (("task", "memory", True), ("learner", "gamma", 0.9)):
        said = rf"{section}: {key} can no longer be set: it is .*, not {value}\. Remove"
        with pytest.raises(ConfigError, match=said):
            TrainConfig.from_dict({section: {key: value}})
    config = yaml.safe_load((trained / "config.yaml").read_text())
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config | {"learner": config["learner"] | {"gamma": 0.9}}))
    shutil.copyfile(trained / "weights.safetensors", tmp_path / "weights.safetensors")
    assert load_agent(tmp_path).config.learner == load_agent(trained).config.learner
    with pytest.raises(ConfigError, match="learner: gamma can no longer be set"):
        pw.train(tmp_path / "config.yaml", tmp_path / "again")


@pytest.mark.parametrize("name", shipped_settings(SHIPPED))
def test_shipped_configurations_are_sound_and_survive_being_written(name: str) -> None:
    config = load_config(name)
    assert TrainConfig.from_dict(yaml.safe_load(yaml.safe_dump(config.to_dict()))) == config


def test_a_folder_that_holds_a_run_or_cannot_be_written_or_resumed_is_one_sentence(
    trained: Path, tmp_path: Path
) -> None:
    result = run("train", "--out", tmp_path, "--resume")
    assert result.exit_code == 1 and str(tmp_path) in result.output
    config = write(tmp_path / "tiny.yaml")
    for folder, said in (
        (trained, "--resume"),
        ("/proc/nowhere/run", "/proc/nowhere"),
        (tmp_path / "tiny.yaml" / "run", "tiny.yaml"),
    ):
        result = run("train", "--config", config, "--out", folder)
        assert result.exit_code == 1 and said in result.output and "Traceback" not in result.output


def test_agents_and_checkpoints_of_an_older_schema_are_refused(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("config.yaml", "weights.safetensors", "checkpoint.safetensors"):
        shutil.copyfile(trained / name, tmp_path / name)
    monkeypatch.setattr("planetwars_env.learn.tensors.AGENT_SCHEMA", 4)
    for load in (load_agent, load_checkpoint):
        with pytest.raises(AgentError, match=r"safetensors .*has schema 3, .* reads schema 4: train the agent again"):
            load(tmp_path)


def test_names_of_configurations_are_found_in_any_case_and_suggested() -> None:
    assert load_config("Graph-PlanetWars") == load_config("graph-planetwars")
    with pytest.raises(ConfigError, match="default, demo"):
        load_config("quick")
    with pytest.raises(ConfigError, match="did you mean 'graph-planetwars'"):
        load_config("graph-planetwar")


def observed(sends: int) -> dict[str, torch.Tensor]:
    """Positions of six games after 30 random turns."""
    venv = pw.make_sb3_vec_env(num_envs=6, opponent="random", graphs="test", observation="tensors", sends=sends)
    venv.seed(3)
    seen = venv.reset()
    rng = np.random.default_rng(3)
    for _ in range(30):
        slots = seen["action_mask"].reshape(6, 21 * sends, -1)
        seen, *_ = venv.step((slots * rng.random(slots.shape)).argmax(-1))
    return {name: torch.as_tensor(part) for name, part in seen.items()}


@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize("sends", [1, 2])
def test_a_network_chooses_only_what_the_mask_allows(kind: str, sends: int) -> None:
    torch.manual_seed(0)
    seen, choices = observed(sends), ActionSpec(pw.CLASSIC, 9, sends=sends)
    scores, values = NETWORKS[kind](choices, 16, 2)(seen)
    scores = scores.normalised()
    legal = seen["action_mask"].view(6, choices.slots, choices.per_slot)
    assert values.shape == (6,)
    for chosen in [scores.mode(), *(scores.sample() for _ in range(50))]:
        assert chosen.shape == (6, choices.slots)
        assert (legal.gather(-1, chosen.unsqueeze(-1)) > 0).all()
        assert scores.log_prob(chosen).isfinite().all()
    assert (scores.entropy() >= 0).all()
    assert ((scores.dense() > -1e8) == (legal > 0)).all()


def test_a_run_begins_with_the_weights_of_an_agent_that_sends_less_often(tmp_path: Path) -> None:
    torch.manual_seed(0)
    once = TrainConfig.from_dict({"network": {"width": 8, "rounds": 1}})
    twice = replace(once, task=replace(once.task, sends=2))
    known = Agent("once", once).network
    for part in known.parameters():
        torch.nn.init.normal_(part)
    save_agent(tmp_path, once, known.state_dict(), {})
    agent = Agent("twice", twice)
    load_weights(agent.network, str(tmp_path))
    seen = observed(sends=2)
    older = {**seen, "action_mask": seen["action_mask"].chunk(2, 1)[0]}
    before, after = known(older)[0].normalised().dense(), agent.network(seen)[0].normalised().dense()
    assert torch.allclose(after[:, pw.CLASSIC.planets :], before, atol=1e-5)
    assert (after[:, : pw.CLASSIC.planets].argmax(-1) == 0).all()  # the first send is rare
    with pytest.raises(AgentError, match="of graph-planetwars do not fit this network"):
        load_weights(known, "graph-planetwars")


def test_probabilities_are_those_of_a_softmax_over_the_legal_choices() -> None:
    logits = torch.tensor([[[0.0, 1.0, 2.0], [0.0, 5.0, 5.0]]])
    mask = torch.tensor([[1, 0, 1, 1, 0, 0]])
    scores = MaskedCategorical.from_logits(logits, mask).normalised()
    of_first = torch.softmax(torch.tensor([0.0, 2.0]), 0)
    assert scores.log_prob(torch.tensor([[2, 0]])).exp() == pytest.approx(of_first[1].item())
    assert scores.entropy().item() == pytest.approx(-(of_first * of_first.log()).sum().item())
