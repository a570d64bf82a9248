"""Training in several processes: the same games give the same weights, and whoever ends, the run can go on."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from planetwars_env.arena.confinement.processes import descendants
from planetwars_env.learn.config import TrainConfig, load_config
from planetwars_env.learn.run import train
from planetwars_env.learn.tensors import load_checkpoint
from support.paths import ROOT
from support.training_configs import After, ctrl_c, tiny

pytestmark = pytest.mark.timeout(240)

LEARNER = {"num_envs": 5, "processes": 2, "counterfactual_coef": 1.0}


def small(**schedule: Any) -> TrainConfig:
    """Five environments: one process has three of them and the other two."""
    return tiny(learner=LEARNER, task={"max_turns": 20}, schedule={"steps": 480, "checkpoint_every": 10**6} | schedule)


def children() -> list[int]:
    """Processes of this one that are training."""
    found = descendants(os.getpid())
    return [number for number in found if b"follow()" in Path(f"/proc/{number}/cmdline").read_bytes()]


def kill_the_other() -> None:
    (other,) = children()
    os.kill(other, signal.SIGKILL)


def weights(folder: Path) -> bytes:
    return (folder / "weights.safetensors").read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    run = train(small(evaluate_every=160), folder)
    assert (run.end, run.steps) == ("done", 480)
    assert not children()
    return folder


@pytest.mark.slow
def test_a_run_of_two_processes_counts_the_games_of_both(whole: Path) -> None:
    arrays, values = load_checkpoint(whole)
    assert {name.split("/")[1] for name in arrays if name.startswith("process/")} == {"0", "1"}
    assert len(values["learner"]["processes"]) == 2
    assert [row["steps"] for row in values["history"]["training"]] == [80, 160, 240, 320, 400, 480]
    # 480 steps of games that last at most 20 turns, 10 of them each player's.
    assert values["history"]["training"][-1]["games"] >= 480 // 10 - 5


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="finds the other process in /proc")
@pytest.mark.parametrize("end", [ctrl_c, kill_the_other])
def test_an_interrupted_run_of_two_processes_ends_as_an_uninterrupted_one(
    whole: Path, tmp_path: Path, end: Any
) -> None:
    """Whether the first process is interrupted or the second one is killed."""
    config = small(evaluate_every=160)
    if end is ctrl_c:
        assert train(config, tmp_path, callback=After(3, end)).end == "interrupted"
    else:
        with pytest.raises(ConnectionError, match="has ended or does not answer") as fault:
            train(config, tmp_path, callback=After(3, end))
        assert fault.value.filename == str(tmp_path)
    assert load_checkpoint(tmp_path)[1]["steps"] == 160
    assert not children()
    assert train(config, tmp_path, resume=True).end == "done"
    assert weights(tmp_path) == weights(whole)


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 3])
def test_a_run_goes_on_with_another_number_of_processes(whole: Path, tmp_path: Path, processes: int) -> None:
    """Weights, optimiser and league go on; the games begin anew."""
    for path in whole.glob("*.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    played = load_checkpoint(whole)[1]["learner"]["leagues"][0]["played"]
    run = train(small(), tmp_path, resume=True, steps=560, processes=processes)
    assert (run.end, run.steps) == ("done", 560)
    values = load_checkpoint(tmp_path)[1]["learner"]
    assert len(values["processes"]) == processes and values["leagues"][0]["played"] >= played
    assert load_config(tmp_path / "config.yaml").learner.processes == processes


PROGRAM = """
import json, sys
import torch
from planetwars_env.learn.config import load_config
from planetwars_env.learn.ppo import PPO
from planetwars_env.learn.processes import average_gradients, joined_group, moments, rank, size

with joined_group():
    learner = PPO(load_config(sys.argv[1]))
    for _ in range(3):
        learner.advance()
    state = [float(part.double().sum()) for part in learner.network.state_dict().values()]
    league = learner.collectors[0].league
    equal = [state, league.win_rates.tolist(), league.games.tolist(), league.played, learner.steps]
    rollout = learner.collectors[0].rollout
    own = [rollout.rewards.shape[1], float(rollout.values.sum()), league.frozen[0].rng.initial_seed()]

    torch.manual_seed(5)
    layer, inputs = torch.nn.Linear(3, 1), torch.randn(10, 3)
    part = inputs[:7] if rank() else inputs[7:]
    layer(part).square().mean().backward()
    metrics = average_gradients(layer, layer(part).mean().detach().reshape(1), len(part))
    found = [layer.weight.grad.clone(), metrics]
    layer.zero_grad()
    layer(inputs).square().mean().backward()
    right = [layer.weight.grad, layer(inputs).mean().detach().reshape(1)]
    assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(found, right))
    numbers = inputs.numpy()
    assert abs(moments(part.numpy())[0] - numbers.mean()) < 1e-6 > abs(moments(part.numpy())[1] - numbers.std())
    with open(f"{sys.argv[2]}/{rank()}.json", "w") as file:
        json.dump({"equal": equal, "own": own, "size": size()}, file)
"""


def test_processes_of_torchrun_share_all_but_their_games(tmp_path: Path) -> None:
    """Gradients, metrics and moments are those of all data together; weights and win rates are equal in all processes."""
    (tmp_path / "small.yaml").write_text(str(small()))
    (tmp_path / "program.py").write_text(PROGRAM)
    torchrun(tmp_path / "program.py", tmp_path / "small.yaml", tmp_path)
    one, other = (json.loads((tmp_path / f"{i}.json").read_text()) for i in (0, 1))
    assert one["size"] == other["size"] == 2
    assert one["equal"] == other["equal"]
    assert one["own"][0] == 3 and other["own"][0] == 2
    assert all(a != b for a, b in zip(one["own"], other["own"], strict=True))


@pytest.mark.slow
def test_torchrun_gives_the_weights_of_processes_that_were_started_here(whole: Path, tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(str(small(evaluate_every=160)))
    said = torchrun("-m", "planetwars_env", "train", "--config", tmp_path / "small.yaml", "--out", tmp_path / "run")
    assert said.count("Training into") == 1
    assert weights(tmp_path / "run") == weights(whole)


def torchrun(*arguments: object) -> str:
    program = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    place: dict[str, Any] = {"cwd": ROOT, "env": os.environ | {"PYTHONPATH": str(ROOT)}}
    command = [*program, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **place)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout
