"""scripts/self_play_ppo.py: legal choices, the right signs, and a run in its smallest form."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import planetwars_env as pw
from support.paths import ROOT

torch = pytest.importorskip("torch")

from scripts.self_play_ppo import Args, GraphNetwork, NetworkPolicy, advantages_of, load_policy, prepare  # noqa: E402

PAGE = ROOT / "scripts" / "self_play_ppo.py"
SMALLEST = "--total-timesteps 96 --num-envs 8 --num-steps 4 --minibatch-size 16 --copy-every 1 --eval-every 3"


def sampler(seed: int = 0) -> NetworkPolicy:
    torch.manual_seed(seed)
    return NetworkPolicy(GraphNetwork(8, 1), sample=True)


def observed(steps: int, **arguments: object) -> dict[str, np.ndarray]:
    """Observations of 16 games after some turns of self-play."""
    envs = pw.make_vec("PlanetWars-v0", num_envs=16, opponent="self", observation="derived", **arguments)  # pyright: ignore[reportArgumentType]
    policy, (observation, _) = sampler(), envs.reset(seed=0)
    for _ in range(steps):
        observation, *_ = envs.step(policy.act(observation))
    return observation


def test_it_runs_in_its_smallest_form_and_saves_a_policy_that_plays_as_the_one_that_was_measured(
    tmp_path: Path,
) -> None:
    command = [sys.executable, str(PAGE), *SMALLEST.split(), "--test-games", "2", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("of 50 games won") == 2  # on validation, on the way
    assert done.stdout.count("of 2 games won") == 8  # on test: four bots, greedy and sampled
    measured = pw.evaluate(load_policy(tmp_path / "policy.pt"), graphs="test", games=2)
    assert "\n".join(["greedy:", *map(str, measured)]) in done.stdout


def test_a_win_of_the_player_who_moved_last_is_a_loss_of_the_other_one() -> None:
    args, still = Args(gamma=1.0, gae_lambda=1.0), torch.zeros(4, 1)
    rewards, signs = torch.tensor([[0.0], [0.0], [0.0], [1.0]]), torch.tensor([[-1], [-1], [-1], [0]])
    assert advantages_of(args, rewards, still, signs, torch.ones(1)).flatten().tolist() == [-1, 1, -1, 1]
    against_a_bot = torch.tensor([[1], [1], [1], [0]])
    assert advantages_of(args, rewards, still, against_a_bot, torch.ones(1)).flatten().tolist() == [1, 1, 1, 1]
    going_on = torch.tensor([[-1], [-1], [-1], [-1]])
    assert advantages_of(args, 0 * rewards, still, going_on, torch.ones(1)).flatten().tolist() == [1, -1, 1, -1]


def test_choices_are_legal_and_their_probabilities_add_up_to_one() -> None:
    observation = observed(steps=40)
    inputs, policy = prepare(observation), sampler()
    rows, log_probs, values = policy.network(inputs)
    masks = torch.from_numpy(observation["action_mask"]).view(16 * 21, -1) > 0
    assert len(rows) and torch.equal(masks[:, 1:].any(1).nonzero().squeeze(1), rows)
    probabilities = log_probs.exp()
    assert torch.allclose(probabilities.sum(1), torch.ones(len(rows)))
    assert (probabilities[~masks[rows]] == 0).all() and values.shape == (16,)
    for sample in (True, False):
        policy.sample = sample
        actions = torch.from_numpy(policy.act(observation))
        assert masks.view(16, 21, -1).gather(2, actions.unsqueeze(-1)).all()


def test_each_order_is_scored_by_its_own_edge() -> None:
    """The score of a planet's d-th edge changes with the features of that edge."""
    observation = observed(steps=40)
    policy, inputs = sampler(), prepare(observation)
    rows, before, _ = policy.network(inputs)
    b, p = divmod(int(rows[0]), 21)
    edges = ((inputs["source"][b] == p) & (inputs["slot"][b] >= 0)).nonzero().flatten()
    assert inputs["slot"][b, edges].tolist() == list(range(len(edges)))
    policy.network = GraphNetwork(8, rounds=0)  # without messages an edge's features reach its own scores only
    _, before, _ = policy.network(inputs)
    inputs["edges"] = inputs["edges"].clone()
    inputs["edges"][b, edges[-1]] += 1
    _, after, _ = policy.network(inputs)
    ratio = (after - before)[0]  # log-probabilities of the other choices all move by the same amount
    others = ratio[: 1 + 9 * (len(edges) - 1)]
    assert torch.allclose(others, others[:1].expand_as(others), atol=1e-5)
    assert not torch.allclose(ratio[1 + 9 * (len(edges) - 1) : 1 + 9 * len(edges)], others[0], atol=1e-5)


def test_a_policy_plays_larger_graphs_with_larger_limits() -> None:
    policy = sampler()
    policy.limits = pw.LARGE
    (result,) = pw.evaluate(policy, "ai1", graphs="large", games=2)
    assert result.total.games == 2
