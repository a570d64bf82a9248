"""Offline learners on one page: python -m scripts.benchmark.offline clone --data ai3-1m --out runs/cloned-0 --seed 0

- clone: behaviour cloning of all decisions
- best: of those of games that were won (the best part of them, Chen et al. 2021 call it 10 % BC)
- weighted: weighted by the exponential of the advantage, with values learned from outcomes (MARWIL, Wang et al. 2018)
- iql: the same weights with the advantage of implicit Q-learning (Kostrikov et al. 2021), learned from single steps

The network is that of the shipped agents; the result is an agent's folder, for `planetwars score offline`.
"""

from copy import deepcopy
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from time import process_time
from typing import Annotated

import numpy as np
import torch
import typer
from torch import Tensor

from planetwars_env.learn.agent import Agent, save_agent
from planetwars_env.learn.config import GAMMA, load_config
from planetwars_env.learn.datasets import Decisions, load_dataset
from planetwars_env.learn.graph_batch import Observation
from planetwars_env.learn.masked_categorical import MaskedCategorical
from planetwars_env.learn.network import PolicyNetwork
from planetwars_env.learn.tensors import as_tensors

_SHARPNESS, _LARGEST_WEIGHT = 3.0, 20.0
_EXPECTILE, _SLOWNESS = 0.7, 0.995
"""Of implicit Q-learning: values estimate the better part of what was done; how slowly its target follows."""


class Method(StrEnum):
    """Weights of the decisions in the loss."""

    CLONE = "clone"
    BEST = "best"
    WEIGHTED = "weighted"
    IQL = "iql"


def cloning_loss(policy: MaskedCategorical, actions: Tensor, weights: Tensor) -> Tensor:
    """Return the mean cross-entropy of decisions, with ``weights`` [n]."""
    policy = policy.normalised()
    cross_entropy = -(policy.log_probs(actions) * weights[policy.rows // policy.shape[1]]).sum()
    return cross_entropy / weights.sum().clamp(min=1)


def weights_by_outcome(method: Method, outcomes: Tensor, values: Tensor) -> Tensor:
    """Return the weight [n] of each decision; ``outcomes`` [n]: +1, 0 or -1, ``values`` [n]: their prediction."""
    if method is Method.CLONE:
        return torch.ones_like(outcomes)
    if method is Method.BEST:
        return (outcomes > 0).float()
    return (_SHARPNESS * (outcomes - values.detach())).exp().clamp(max=_LARGEST_WEIGHT)


class ImplicitQ:
    """Implicit Q-learning: Q of a turn is a value and a sum over the choices of its planets, by a network like the policy's."""

    def __init__(self, network: PolicyNetwork) -> None:
        self.network, self._slow = deepcopy(network), deepcopy(network)

    def loss(self, network: PolicyNetwork, step: Decisions) -> Tensor:
        """Return the loss of policy, values and Q for decisions with the observations that follow."""
        assert step.following is not None
        observation, actions = as_tensors(step.observation), torch.from_numpy(step.actions)
        policy, values = network(observation)
        with torch.no_grad():
            next_values = network(as_tensors(step.following))[1]
            target = torch.from_numpy(step.rewards).float() + GAMMA * next_values * ~torch.from_numpy(step.terminated)
            advantages = self._q(self._slow, observation, actions) - values
            for slow, new in zip(self._slow.parameters(), self.network.parameters(), strict=True):
                slow.lerp_(new, 1 - _SLOWNESS)
        weights = (_SHARPNESS * advantages).exp().clamp(max=_LARGEST_WEIGHT)
        share = torch.where(advantages > 0, _EXPECTILE, 1 - _EXPECTILE)
        of_values = (share * (advantages + values.detach() - values).square()).mean()
        of_q = (self._q(self.network, observation, actions) - target).square().mean() / 2
        return cloning_loss(policy, actions, weights) + of_values + of_q

    @staticmethod
    def _q(network: PolicyNetwork, observation: Observation, actions: Tensor) -> Tensor:
        choices, values = network(observation)
        return values + choices.log_prob(actions)  # of logits that are not normalised: their sum


def main(
    method: Annotated[Method, typer.Argument(help="How decisions are weighted.")],
    data: Annotated[str, typer.Option(help="A data set.")] = "ai3-1m",
    out: Annotated[Path, typer.Option(help="The agent's folder.")] = Path("runs/cloned-0"),
    seed: Annotated[int, typer.Option(help="Of the first weights.")] = 0,
    decisions: Annotated[int, typer.Option(help="Most decisions to learn from, once each.")] = 1_000_000,
    split: Annotated[str, typer.Option(help="seen, unseen, or nothing for both.")] = "",
) -> None:
    """Learn from recorded games, one pass, and save an agent."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    config = load_config("graph-planetwars-small")
    agent = Agent(out.name, replace(config, schedule=replace(config.schedule, seed=seed)))
    implicit = ImplicitQ(agent.network) if method is Method.IQL else None
    parameters = [*agent.network.parameters(), *(implicit.network.parameters() if implicit else ())]
    optimizer = torch.optim.Adam(parameters, lr=3e-3, eps=1e-5)
    learned, losses, dataset = 0, [], load_dataset(data)
    total = min(decisions, len(dataset))
    for step in dataset.steps("tensors", split, following=implicit is not None):
        if learned >= total:
            break
        if implicit:
            loss = implicit.loss(agent.network, step)
        else:
            outcomes, actions = torch.from_numpy(step.outcomes).float(), torch.from_numpy(step.actions)
            policy, values = agent.network(as_tensors(step.observation))
            loss = cloning_loss(policy, actions, weights_by_outcome(method, outcomes, values))
            loss = loss + (values - outcomes).square().mean() / 2
        for group in optimizer.param_groups:
            group["lr"] = 3e-3 * 30 ** -(learned / total)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 0.5)
        optimizer.step()
        learned += len(step.actions)
        losses.append(float(loss.detach()))
    out.mkdir(parents=True, exist_ok=True)
    notes = {"steps": str(learned), "data": data, "digest": dataset.digest, "method": method.value}
    save_agent(out, agent.config, agent.network.state_dict(), notes)
    tenth = len(losses) // 10 + 1
    typer.echo(
        f"{learned:,} decisions in {process_time():.0f} s of CPU time, loss {np.mean(losses[:tenth]):.3f} in the first "
        f"tenth and {np.mean(losses[-tenth:]):.3f} in the last: {out}"
    )


if __name__ == "__main__":
    typer.run(main)
