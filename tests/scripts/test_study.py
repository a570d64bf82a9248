"""Studies: what is compared differs in what it says, and a run leaves a page, a figure and nothing to do again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

import planetwars_env as pw
from planetwars_env.cli.progress import training_bar
from planetwars_env.learn.config import TrainConfig
from scripts.research.studies import STUDIES
from scripts.research.study import study


@pytest.mark.parametrize("name", STUDIES)
def test_arms_differ_from_each_other_and_share_the_rest(name: str) -> None:
    arms, trainers = STUDIES[name].arms, STUDIES[name].trainers
    configs = [STUDIES[name].config(arm, seed=2, steps=600) for arm in arms]
    assert len({(trainers.get(arm), str(config)) for arm, config in zip(arms, configs, strict=True)}) == len(arms)
    assert trainers.keys() <= arms.keys()
    assert {(config.schedule.steps, config.schedule.seed, config.schedule.evaluate_every) for config in configs} == {
        (600, 2, 100)
    }
    assert len({config.task.opponents for config in configs}) == 1


def test_without_masks_every_edge_of_every_planet_can_be_chosen() -> None:
    from planetwars_env.learn.ppo import PPO

    tiny: dict[str, Any] = {"learner": {"num_envs": 4, "num_steps": 4, "minibatch_size": 16}, "schedule": {"steps": 16}}
    learners = [PPO(TrainConfig.from_dict({**tiny, "task": {"masked": masked}})) for masked in (True, False)]
    choices = [len(one._collect(one.collectors[0], 1.0).log_probs.nonzero()[0]) for one in learners]
    assert choices[1] > 3 * choices[0]
    learners[1].advance()


@pytest.mark.parametrize(("algorithm", "actions"), [("maskable_ppo", "turn"), ("dqn", "order")])
def test_algorithms_of_sb3_train_the_same_network(
    tmp_path: Path, algorithm: str, actions: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    from scripts.research.sb3_runs import train_with_sb3

    monkeypatch.setattr("scripts.research.sb3_algorithms._MEMORY", 200)
    tiny: dict[str, Any] = {
        "task": {"opponents": ["random"], "graphs": "rings", "max_turns": 40, "actions": actions},
        "network": {"width": 8, "rounds": 1},
        "learner": {"num_envs": 8, "num_steps": 16, "minibatch_size": 64, "update_epochs": 1},
        "schedule": {"evaluate_every": 256, "evaluation_opponents": ["random"], "evaluation_games": 2},
    }
    weights = []
    for steps in (128, 512):
        config = TrainConfig.from_dict({**tiny, "schedule": {**tiny["schedule"], "steps": steps}})
        with training_bar(Console(quiet=True)) as bar:
            run = train_with_sb3(algorithm, config, tmp_path / str(steps), bar)
        assert (run.end, run.steps) == ("done", steps)
        weights.append(run.agent.network.state_dict())
        pw.play_match(run.agent, "noop", "k4", max_turns=20).verify()
    assert any(not torch.equal(weights[0][name], weights[1][name]) for name in weights[0])
    assert [row["steps"] for row in run.history.training] == [128, 256, 384, 512]
    assert [row["steps"] for row in run.history.validation] == [256, 512]


def _tiny(kind: str) -> TrainConfig:
    tiny: dict[str, Any] = {
        "task": {"opponents": ["random"], "graphs": "rings", "max_turns": 40},
        "network": {"kind": kind, "width": 8, "rounds": 1},
        "learner": {"num_envs": 8, "num_steps": 16, "minibatch_size": 64, "update_epochs": 1},
        "schedule": {"steps": 512, "evaluate_every": 256, "evaluation_opponents": ["random"], "evaluation_games": 2},
    }
    return TrainConfig.from_dict(tiny)


def test_the_one_page_is_trained_against_bots_and_measured_on_the_way(tmp_path: Path) -> None:
    from planetwars_env.learn.history import History
    from scripts.research.one_page_runs import train_one_page
    from scripts.self_play_ppo import load_policy

    with training_bar(Console(quiet=True)) as bar:
        run = train_one_page(_tiny("graph"), tmp_path, bar)
    assert (run.end, run.steps) == ("done", 512)
    assert [row["steps"] for row in History.load(tmp_path).validation] == [256, 512]
    assert load_policy(tmp_path / "policy.pt").network.embed.out_features == 8


@pytest.mark.parametrize(("name", "numbers"), [("Perceptron", (27, 4)), ("DerivedPerceptron", (27 + 26, 4 + 5))])
def test_a_perceptron_reads_its_inputs_and_begins_by_waiting(
    name: str, numbers: tuple[int, int], tmp_path: Path
) -> None:
    run = pw.train(_tiny(f"scripts.research.perceptrons:{name}"), tmp_path)
    network: Any = run.agent.network.module
    assert network.body[0].in_features == 21 * numbers[0] + 72 * numbers[1] + 2
    assert (network.logits.bias.view(21, -1)[:, 0] > 1).all() and (network.logits.bias.view(21, -1)[:, 1:] < 1).all()


@pytest.mark.slow
def test_a_study_leaves_a_page_and_a_figure_and_is_not_done_twice(tmp_path: Path) -> None:
    import typer

    app = typer.Typer()
    app.command()(study)
    line = [
        "masks",
        "--steps",
        "6000",
        "--seeds",
        "2",
        "--games",
        "4",
        "--keep",
        str(tmp_path / "runs"),
        "--out",
        str(tmp_path),
    ]
    first = CliRunner().invoke(app, line)
    assert first.exit_code == 0, first.output
    page = (tmp_path / "masks.md").read_text()
    assert all(arm in page for arm in STUDIES["masks"].arms) and "masks.png" in page
    assert (tmp_path / "masks.png").read_bytes()[:4] == b"\x89PNG"
    again = CliRunner().invoke(app, line)
    assert "Trained" in first.output and "Trained" not in again.output
    assert (tmp_path / "masks.md").read_text() == page


def test_an_unknown_study_is_one_sentence(tmp_path: Path) -> None:
    import typer

    app = typer.Typer()
    app.command()(study)
    result = CliRunner().invoke(app, ["maskz", "--out", str(tmp_path)])
    assert result.exit_code == 1 and "masks, networks" in result.output and "Traceback" not in result.output
