"""Networks, algorithms and rewards of the user's in configurations, and their faults."""

import sys
from pathlib import Path
from typing import Any

import pytest

import planetwars_env as pw
from scripts.release import zoo
from support.command_line import run, succeed

PARTS = """
import torch


class Net(torch.nn.Module):
    def __init__(self, spec, width, rounds):
        super().__init__()
        self.spec, self.scale = spec, torch.nn.Parameter(torch.ones(()))

    def forward(self, observation):
        mask = observation["action_mask"]
        return self.scale * mask.float(), self.scale.expand(len(mask))


class Derived(Net):
    observation = "derived"

    def forward(self, observation):
        assert observation["derived_planets"].shape[1] == observation["planets"].shape[1]
        return super().forward(observation)


class Fractions(Net):
    def __init__(self, spec, width, rounds):
        super().__init__(spec, width, rounds)
        self.head = torch.zeros(len(spec.fractions))


class Wrong(Net):
    def forward(self, observation):
        return observation["clock"], observation["clock"][:, 0]


class Nan(Net):
    def forward(self, observation):
        logits, values = super().forward(observation)
        return logits * float("nan"), values


class Alone(Net):
    def forward(self, observation):
        return super().forward(observation)[0]


class NoModule:
    def __init__(self, spec, width, rounds):
        pass


class Pictures(Net):
    observation = "pictures"


class Three(Net):
    def forward(self, observation):
        return *super().forward(observation), None


class Lazy:
    steps = 0

    def __init__(self, config):
        pass

    def advance(self):
        return {}


class Endless(Lazy):
    steps = None
    weights = standings = state = restore = Lazy.advance


def reward(step):
    return step.won


def one_number(step):
    return step.won.sum()


number = 3
"""
TINY = {
    "task": {"graphs": "duel", "max_turns": 12, "fractions": [0.5, 1.0]},
    "learner": {"num_envs": 4, "num_steps": 4, "minibatch_size": 8, "update_epochs": 1},
    "schedule": {"steps": 32, "evaluate_every": 1_000_000, "evaluation_games": 2, "evaluation_opponents": ["ai3"]},
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "own_parts.py").write_text(PARTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "own_parts", raising=False)
    return tmp_path


def config(**sections: dict[str, Any]) -> pw.TrainConfig:
    return pw.TrainConfig.from_dict(
        {name: {**part, **sections.get(name, {})} for name, part in (TINY | {"network": {}}).items()}
    )


def test_a_run_with_own_parts_is_trained_resumed_and_evaluated(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = config(network={"kind": "own_parts:Net"}, task={"reward": "own_parts:reward"})
    pw.train(config(network={"kind": "own_parts:Derived"}), out="derived")  # it asserts that it gets the features
    trained = pw.train(parts, out="run")
    assert pw.evaluate(trained.agent, "noop", graphs="duel", games=2)[0].total.games == 2
    assert pw.train("run", out="run", steps=64, resume=True).steps == 64
    del sys.modules["own_parts"]
    for way in (pw.load_agent, pw.load_player):
        with pytest.raises(
            ValueError, match=r"no agent in \S*run: network: kind is own_parts:Net, .* import own_parts before"
        ):
            way("run")
    words = ["run", "--opponents", "noop", "--graphs", "duel", "--games", "2"]
    refused = run("evaluate", *words)
    assert refused.exit_code == 1 and "--import own_parts" in " ".join(refused.output.split())
    assert "own_parts" not in sys.modules
    succeed("evaluate", "--import", "own_parts", *words)
    assert str(folder) not in sys.path
    del sys.modules["own_parts"]
    monkeypatch.setattr(zoo, "FAIR_OPPONENTS", ("noop",))
    add = "add --import own_parts run --as own --zoo zoo --games 1 --opponents noop"
    added = run(*add.split(), program=zoo.app)
    assert added.exit_code == 0, added.output


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({"network": {"kind": "own_parts:Fractions"}}, r"own_parts:Fractions\(spec, .* raised Attr.*fraction_count"),
        ({"network": {"kind": "no_such_parts:Net"}}, r"network: kind: module no_such_parts cannot be imported"),
        ({"network": {"kind": "own_parts:Nett"}}, r"network: kind: module own_parts has no class or function Nett"),
        ({"network": {"kind": "own_parts:number"}}, r"has no class or function number"),
        ({"network": {"kind": "own_parts:NoModule"}}, r"own_parts:NoModule must make a torch module, not NoModule"),
        (
            {"network": {"kind": "own_parts:Pictures"}},
            r'Pictures.observation must be "tensors" or "derived", not .pict',
        ),
        ({"network": {"kind": "own_parts:Wrong"}}, r"Wrong must return logits \(4, 21, 27\) and values \(4,\), not"),
        ({"network": {"kind": "own_parts:Nan"}}, r"own_parts:Nan returned NaN"),
        ({"network": {"kind": "own_parts:Alone"}}, r"a tuple of two tensors, logits and values, not Tensor$"),
        ({"network": {"kind": "own_parts:Three"}}, r"a tuple of two tensors, .*, not Tensor, Tensor, NoneType"),
        ({"task": {"reward": "own_parts:one_number"}}, r"one_number. must be finite numbers of shape \(4,\)"),
        ({"learner": {"algorithm": "own_parts:Lazy"}}, r"Lazy lacks weights, standings, state, restore: pw\.Learner"),
        ({"learner": {"algorithm": "own_parts:Endless"}}, r"Endless lacks steps: pw\.Learner"),
    ],
)
def test_a_part_that_does_not_fit_is_told_so(folder: Path, sections: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pw.train(config(**sections), out="run")


@pytest.mark.parametrize("kind", ["grahp", "own_parts", ":Net", "own parts:Net", "own_parts:Net()"])
def test_a_kind_that_is_no_name_is_refused_with_the_known_ones(kind: str) -> None:
    with pytest.raises(pw.ConfigError, match=r"network: kind: .*known: graph, graph-torch, mlp, module:name"):
        config(network={"kind": kind})
