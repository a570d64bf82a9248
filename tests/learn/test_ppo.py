"""The project's own trainer: what it computes, that it learns, and that an interruption changes nothing."""

import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode, unset_fake_temporarily
from torch.fx.experimental.symbolic_shapes import ShapeEnv

import planetwars_env as pw
from planetwars_env.arena.evaluation import evaluate
from planetwars_env.engine.columns import BOARD, TURN
from planetwars_env.learn import ppo, rollout
from planetwars_env.learn.agent import Agent, load_agent
from planetwars_env.learn.config import NetworkConfig, TrainConfig
from planetwars_env.learn.graph_batch import collate
from planetwars_env.learn.masked_categorical import ILLEGAL_LOGIT
from planetwars_env.learn.network import make_network
from planetwars_env.learn.ppo import PPO, generalised_advantages, ppo_loss
from planetwars_env.learn.processes import moments
from planetwars_env.learn.rollout import League, Rollout
from planetwars_env.learn.run import train, validate
from planetwars_env.learn.tensors import as_tensors, load_checkpoint
from planetwars_env.sim.fields import AGENT_PLAYER, NEXT_BOARD, NEXT_OPPONENT, NEXT_PLAYER, OPPONENT_INDEX
from support.strategy_files import bot
from support.training_configs import After, observations_of, tiny


def weights_in(folder: Path) -> dict[str, torch.Tensor]:
    return load_agent(folder).network.state_dict()


def same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(a[name], b[name]) for name in a)


ALL = ["PlanetWars-v0", "PlanetWarsHalfStep-v0", "SpaceExplorers-v0"]


@pytest.mark.parametrize(
    ("evaluate_every", "environments"),
    [(10**6, ALL[:1]), (128, ALL[:1]), (300, ALL)],
    ids=["no evaluations", "every update", "some, three rule sets"],
)
def test_an_interrupted_run_gives_the_same_weights_as_an_uninterrupted_one(
    tmp_path: Path, monkeypatch: Any, evaluate_every: int, environments: list[str]
) -> None:
    """Running games, the optimiser, every generator, averages and the league with its copies all go on where they were.

    Evaluations take place at the same steps with the same results. Files of weights agree byte for byte, and checkpoints in
    all but the clock.
    """
    monkeypatch.setattr("planetwars_env.learn.rollout._FIRST_PROMOTION", 0.0)
    config = tiny(schedule={"evaluate_every": evaluate_every}, task={"environments": environments})
    assert train(config, tmp_path / "whole").end == "done"
    outcome = train(config, tmp_path / "parts", callback=After(3))
    assert (outcome.end, outcome.steps) == ("interrupted", 256)
    assert train(config, tmp_path / "parts", resume=True, callback=After(2)).end == "interrupted"
    assert not same(weights_in(tmp_path / "parts"), weights_in(tmp_path / "whole"))
    assert train(config, tmp_path / "parts", resume=True).end == "done"
    assert_equal_but_for_the_clock(tmp_path / "parts", tmp_path / "whole")


def assert_equal_but_for_the_clock(one: Path, other: Path) -> None:
    """Files of two runs: weights byte for byte, checkpoints without the seconds that the runs took."""
    assert (one / "weights.safetensors").read_bytes() == (other / "weights.safetensors").read_bytes()
    (arrays, values), (their_arrays, their_values) = load_checkpoint(one), load_checkpoint(other)
    ours, theirs = ({name: part.tobytes() for name, part in kept.items()} for kept in (arrays, their_arrays))
    assert ours == theirs
    for found in (values, their_values):
        del found["seconds"]
        for row in found["history"]["training"]:
            del row["seconds"]
    assert values == their_values


def test_one_network_learns_several_rule_sets_at_once() -> None:
    learner = PPO(tiny(task={"environments": ALL}))
    learner.advance()
    batches = [collector.batch for collector in learner.collectors]
    assert [batch.setup.rules for batch in batches] == [pw.PLANETWARS, pw.PLANETWARS_HALF_STEP, pw.SPACE_EXPLORERS]
    assert [batch.games for batch in batches] == [3, 3, 2] and learner.steps == 8 * 16
    for _ in range(8):
        learner.advance()
    games, rate, standings = learner.standings()
    assert games == sum(collector.league.played for collector in learner.collectors)
    assert rate is not None and set(standings) > {f"{name}/random" for name in ALL}
    with pytest.raises(ValueError, match="environments must differ, not PlanetWars-v0, planetwars-v0"):
        tiny(task={"environments": ["PlanetWars-v0", "planetwars-v0"]})


@pytest.mark.parametrize("rules", [pw.PLANETWARS_HALF_STEP, pw.SPACE_EXPLORERS])
def test_an_agent_plays_other_rules_as_one_that_was_trained_by_them(rules: pw.Rules) -> None:
    """Its inputs about the future follow from the rules of the game, not from those of its training."""
    config, weights = tiny(), PPO(tiny()).weights()
    environment = ALL[[pw.PLANETWARS, pw.PLANETWARS_HALF_STEP, pw.SPACE_EXPLORERS].index(rules)]
    agents = [Agent("it", one) for one in (config, tiny(task={"environments": [environment]}))]
    for agent in agents:
        agent.network.load_state_dict(weights)
    games = [pw.play_match(agent, "ai2", "test/3", rules=rules, seed=1, max_turns=60) for agent in agents]
    assert games[0].moves == games[1].moves
    assert agents[0].under(rules).network.spec == agents[1].network.spec != agents[0].network.spec


def test_validation_leaves_every_generator_as_it_was(tmp_path: Path) -> None:
    """Also where an opponent draws from all of them; and it comes to the same whatever they hold."""
    draw = "numbers = random.random(), np.random.random(), torch.rand(1)\nreturn []"
    (tmp_path / "drawing.py").write_text(bot(above="import random\nimport numpy as np\nimport torch", turn=draw))
    opponents = [str(tmp_path / "drawing.py"), "random"]
    config = tiny(schedule={"evaluation_opponents": opponents})
    weights, found = PPO(config).weights(), []
    for seed in (1, 2):
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002
        torch.manual_seed(seed)
        before = generators()
        found.append(validate(config, weights))
        assert generators() == before
    assert found[0] == found[1]


def generators() -> list[Any]:
    """The states of all global random number generators."""
    numpy: Any = np.random.get_state()  # noqa: NPY002
    return [random.getstate(), numpy[1].tolist(), numpy[2:], torch.get_rng_state().tolist()]


STRATEGY = """
class Counting:
    name, compete = "counting", False

    def reset(self, graph, player, rules, seed):
        self.turn, self.ids, self.seed = 0, {planet.id for planet in graph.planets}, seed

    def take_turn(self, view):
        self.turn += 1
        assert self.turn == (view.turn + 1) // 2, "it has not seen this game from its beginning"
        assert {planet.id for planet in view.planets} == self.ids, "it was shown another board"
        return []
"""


def test_a_run_against_python_strategies_goes_on_with_their_games_begun_again(tmp_path: Path) -> None:
    """From one checkpoint every continuation is the same, and no strategy is asked about a game that it did not begin."""
    (tmp_path / "counting.py").write_text(STRATEGY)
    opponents = [str(tmp_path / "counting.py"), "planner", "random"]
    config = tiny(task={"opponents": opponents}, learner={"num_envs": 6, "num_steps": 10}, schedule={"steps": 240})
    assert train(config, tmp_path / "one", callback=After(2)).end == "interrupted"
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    for name in ("one", "two"):
        assert train(config, tmp_path / name, resume=True).end == "done"
    assert same(weights_in(tmp_path / "one"), weights_in(tmp_path / "two"))


def test_only_games_in_which_a_strategy_has_moved_begin_again(tmp_path: Path) -> None:
    """Each on its board, with its player and opponent; all others, and what was drawn for the next games, stay."""
    (tmp_path / "counting.py").write_text(STRATEGY)
    config = tiny(
        task={"opponents": ["ai1", str(tmp_path / "counting.py")], "graphs": "train"},
        league={"self_play_fraction": 0.0},
    )
    learner = PPO(config)
    learner.advance()
    arrays, values = learner.state()
    arrays = {name: part.copy() for name, part in arrays.items()}
    resumed = PPO(config)
    resumed.restore(arrays, values, learner.steps)
    old, new = learner.collectors[0].batch, resumed.collectors[0].batch
    against = old.buffers.control[:, OPPONENT_INDEX] == 1
    assert against.any() and not against.all()
    again = against & (old.state.status[:, TURN] > 1)
    assert (new.state.status[again, TURN] <= 2).all()
    assert (new.state.status[:, BOARD] == old.state.status[:, BOARD]).all()
    for column in (AGENT_PLAYER, OPPONENT_INDEX, NEXT_BOARD, NEXT_PLAYER, NEXT_OPPONENT):
        assert (new.buffers.control[:, column] == old.buffers.control[:, column]).all()
    for before, after in zip((*old.state, *old.buffers[:2]), (*new.state, *new.buffers[:2]), strict=True):
        assert (before[~again] == after[~again]).all()


def test_the_league_freezes_copies_and_plays_them(monkeypatch: Any) -> None:
    monkeypatch.setattr("planetwars_env.learn.rollout._FIRST_PROMOTION", 0.0)
    learner = PPO(tiny(task={"max_turns": 10}))
    before = {name: part.clone() for name, part in learner.collectors[0].league.frozen[0].network.state_dict().items()}
    for _ in range(6):
        learner.advance()
    league = learner.collectors[0].league
    assert league.copies >= 1
    assert not same(before, league.frozen[0].network.state_dict())
    assert league.games[2] > 0
    assert not same(learner.network.state_dict(), league.frozen[0].network.state_dict())


def test_opponents_that_win_are_drawn_more_often_and_all_are_drawn() -> None:
    settings = replace(tiny().league, self_play_fraction=0.0)
    league = League(settings, ["random", "ai1"], [])
    league.record(np.array([0] * 50 + [1] * 50), np.array([True] * 50 + [False] * 50))
    drawn = np.bincount(league.draw(np.random.default_rng(0), 1200), minlength=2)
    assert drawn[0] == pytest.approx(100, rel=0.4)
    assert drawn.sum() == 1200


def test_advantages_are_those_of_the_definition() -> None:
    """A slow sum over the steps of the same game, against the recursion."""
    rng = np.random.default_rng(0)
    T, N, gamma, decay = 6, 3, 0.9, 0.8
    rewards, values = rng.normal(size=(T, N)).astype(np.float32), rng.normal(size=(T + 1, N)).astype(np.float32)
    dones = (rng.random((T, N)) < 0.3).astype(np.float32)
    rollout = Rollout({}, *[np.zeros(0)] * 6, rewards=rewards, dones=dones, values=values)
    advantages, returns = generalised_advantages(rollout, gamma, decay)
    for n in range(N):
        for t in range(T):
            total, weight = 0.0, 1.0
            for u in range(t, T):
                total += weight * (rewards[u, n] + gamma * values[u + 1, n] * (1 - dones[u, n]) - values[u, n])
                if dones[u, n]:
                    break
                weight *= gamma * decay
            assert advantages[t, n] == pytest.approx(total, abs=1e-5)
    assert np.allclose(returns, advantages + values[:-1])


def test_messages_pooling_and_scores_are_those_written_down_planet_by_planet() -> None:
    """In plain torch, with weights so large that every part matters."""
    learner = PPO(tiny(task={"graphs": "train", "sends": 2}, network={"kind": "graph-torch", "rounds": 2}))
    learner.advance()
    network: Any = learner.network
    for part in network.parameters():
        torch.nn.init.uniform_(part, -0.5, 0.5)
    seen, relu = as_tensors(learner.collectors[0].observe()), torch.relu
    graphs, count, choices = collate(learner.spec, seen), learner.spec.fraction_count, learner.spec.per_slot - 1
    edges = list(zip(graphs.source.tolist(), graphs.target.tolist(), graphs.edges, strict=True))
    sizes = graphs.graph_offsets.diff()

    def messages(layer: Any, planet: int) -> torch.Tensor:
        near, far = layer.ends(x).chunk(2, 1)
        return torch.stack([relu(near[p] + far[q] + edge @ layer.edge) for p, q, edge in edges if p == planet])

    def pooled() -> torch.Tensor:
        return torch.stack([torch.cat([board.mean(0), board.amax(0)]) for board in x.split(sizes.tolist())])

    x = relu(network.embed(graphs.planets))
    for layer in network.rounds:
        heard = [messages(layer, planet) for planet in range(len(x))]
        told = torch.stack([torch.cat([said.sum(0), said.amax(0)]) for said in heard])
        boards = layer.graph(pooled()).repeat_interleave(sizes, 0)
        x = x + relu(layer.planet(x) + layer.messages(told) + boards)
    logits = torch.full((len(graphs.rows), 1 + choices), ILLEGAL_LOGIT)
    for row, owner in enumerate(graphs.row_owners.tolist()):
        send = row % 2
        scores = messages(network, owner) @ network.head[send * count : (send + 1) * count].T
        logits[row, 0] = network.wait(x[owner])[send]
        logits[row, 1 : 1 + scores.numel()] = scores.flatten()
    policy, values = network(seen)
    assert torch.allclose(policy.logits, logits, rtol=1e-4, atol=1e-4) and (logits > ILLEGAL_LOGIT).sum() > 100
    assert torch.allclose(values, network.value(pooled()).squeeze(-1), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("sends", "width", "rounds"), [(1, 32, 3), (3, 64, 1)])
def test_the_compiled_network_and_its_gradients_are_those_of_plain_torch(sends: int, width: int, rounds: int) -> None:
    changes = {"task": {"sends": sends, "graphs": "train"}, "network": {"width": width, "rounds": rounds}}
    learner = PPO(tiny(**changes, learner={"counterfactual_coef": 1.0}))
    for _ in range(2):
        learner.advance()
    rollout = learner.collectors[0].rollout
    seen, part = observations_of(rollout), rollout.flat(rollout.rewards, rollout.values[:-1])
    plain = make_network(NetworkConfig("graph-torch", width, rounds), learner.spec)
    plain.load_state_dict(learner.network.state_dict())
    answers = []
    for network in (learner.network, plain):
        network.zero_grad()
        policy, values = network(seen)
        ppo_loss(network, seen, part, learner.settings)[0].backward()
        gradients = {name: parameter.grad for name, parameter in network.named_parameters()}
        answers.append({"logits": policy.logits, "values": values, **gradients})

    for name, ours in answers[0].items():
        assert torch.allclose(ours, answers[1][name], rtol=1e-4, atol=1e-5), name
    nothing = {name: torch.from_numpy(part[:0]) for name, part in learner.collectors[0].observe().items()}
    assert learner.network(nothing)[1].shape == (0,)


ON_A_DEVICE = [
    {"network": {"kind": "graph"}, "learner": {"counterfactual_coef": 1.0, "kickstarting_coef": 1.0}},
    {"network": {"kind": "graph"}, "task": {"sends": 2}},
    {"network": {"kind": "mlp"}},
]


def for_real(work: Callable[..., Any]) -> Callable[..., Any]:
    """``work`` on the CPU in the midst of fake tensors."""

    def really(*arguments: Any) -> Any:
        with unset_fake_temporarily():
            return work(*arguments)

    return really


@pytest.mark.parametrize("changes", ON_A_DEVICE)
def test_acting_and_learning_on_another_device_mix_no_devices(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]
) -> None:
    """With fake tensors, which know their device and refuse every operation between two; "meta" is one that every torch has."""
    learner = PPO(tiny(**changes))
    collector, device = learner.collectors[0], torch.device("meta")
    brought: list[torch.device] = []

    def to_host(tensor: torch.Tensor) -> Any:
        brought.append(tensor.device)
        return np.zeros(tensor.shape, np.float32 if tensor.is_floating_point() else np.int64)

    class Permutation:
        def __init__(self, size: int) -> None:
            self.numpy = lambda: np.arange(size)

    monkeypatch.setattr(torch, "from_numpy", for_real(torch.from_numpy))
    for module in (ppo, rollout):
        monkeypatch.setattr(module, "to_host", to_host)
    monkeypatch.setattr(ppo.processes, "moments", for_real(moments))
    monkeypatch.setattr("planetwars_env.learn.network.collate", for_real(collate))
    learner.network.to(device)
    learner.device, learner.rng = device, None  # type: ignore[assignment]
    learner.optimizer = torch.optim.Adam(learner.network.parameters())
    with FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv()):
        monkeypatch.setattr(torch, "randperm", Permutation)
        collector.collect(learner.network, None, progress=0.0)
        learner._learn([learner.network], [collector.rollout], 0.0)
    assert set(brought) == {device}
    gradients = [parameter.grad for parameter in learner.network.parameters()]
    assert all(gradient is not None and gradient.device == device for gradient in gradients)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_run_on_cuda_trains_and_goes_on(tmp_path: Path) -> None:
    config = tiny(learner={"device": "cuda", "counterfactual_coef": 1.0})
    assert train(config, tmp_path, callback=After(3)).end == "interrupted"
    assert train(config, tmp_path, resume=True).end == "done"
    assert all(part.device.type == "cpu" for part in weights_in(tmp_path).values())


def test_it_learns_to_win_on_a_small_board(tmp_path: Path) -> None:
    learner = {"num_envs": 64, "num_steps": 16, "minibatch_size": 256, "update_epochs": 3, "learning_rate": 5e-3}
    config = TrainConfig.from_dict(
        {
            "task": {"opponents": ["random"], "graphs": "k4", "fractions": [0.5, 1.0], "max_turns": 100},
            "network": {"width": 16, "rounds": 1},
            "learner": learner,
            "schedule": {"steps": 40_000, "seed": 2, "evaluate_every": 10**6},
        }
    )
    train(replace(config, schedule=replace(config.schedule, steps=1)), tmp_path / "before")
    train(config, tmp_path / "after")
    before, after = (
        evaluate(load_agent(tmp_path / name), ["random"], "k4", 40)[0].total.win_rate for name in ("before", "after")
    )
    assert after >= 0.85
    assert after > before


def test_a_learner_that_is_taught_comes_to_do_as_its_teacher_does() -> None:
    taught = {"kickstarting_coef": 5.0, "kickstarting_until": 1.0, "update_epochs": 4, "learning_rate": 0.01}
    learner = PPO(tiny(learner=taught))
    apart = [learner.advance()["kickstarting_loss"] for _ in range(12)]
    assert np.mean(apart[-3:]) < 0.7 * apart[0]
