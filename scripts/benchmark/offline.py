"""Offline learners on one page: python -m scripts.benchmark.offline clone --data ai3-1m --out runs/cloned-0 --seed 0

- clone: behaviour cloning of all decisions
- best: of those of games that were won (the best part of them, Chen et al. 2021 call it 10 % BC)
- weighted: weighted by the exponential of the advantage, with values learned from outcomes (MARWIL, Wang et al. 2018)

The network is that of the shipped agents; the result is an agent's folder, for `planetwars score offline`.
"""

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
from planetwars_env.learn.config import load_config
from planetwars_env.learn.datasets import load_dataset

_SHARPNESS, _LARGEST_WEIGHT = 3.0, 20.0


class Method(StrEnum):
    """Weights of the decisions in the loss."""

    CLONE = "clone"
    BEST = "best"
    WEIGHTED = "weighted"


def weights_of(method: Method, outcomes: Tensor, values: Tensor) -> Tensor:
    """Return the weight [n] of each decision; ``outcomes`` [n]: +1, 0 or -1, ``values`` [n]: their prediction."""
    if method is Method.CLONE:
        return torch.ones_like(outcomes)
    if method is Method.BEST:
        return (outcomes > 0).float()
    return (_SHARPNESS * (outcomes - values.detach())).exp().clamp(max=_LARGEST_WEIGHT)


def main(
    method: Annotated[Method, typer.Argument(help="How decisions are weighted.")],
    data: Annotated[str, typer.Option(help="A data set.")] = "ai3-1m",
    out: Annotated[Path, typer.Option(help="The agent's folder.")] = Path("runs/cloned-0"),
    seed: Annotated[int, typer.Option(help="Of the weights and of the order of games.")] = 0,
    decisions: Annotated[int, typer.Option(help="Most decisions to learn from, once each.")] = 1_000_000,
    split: Annotated[str, typer.Option(help="seen, unseen, or nothing for both.")] = "",
) -> None:
    """Learn from recorded games, one pass, and save an agent."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    config = load_config("graph-planetwars-small")
    agent = Agent(out.name, replace(config, schedule=replace(config.schedule, seed=seed)))
    optimizer = torch.optim.Adam(agent.network.parameters(), lr=3e-3, eps=1e-5)
    rng, learned, losses, dataset = np.random.default_rng(seed), 0, [], load_dataset(data)
    total = min(decisions, len(dataset))
    for step in dataset.steps("tensors", split):
        if learned >= total:
            break
        rows = rng.permutation(len(step.actions))
        outcomes, actions = torch.from_numpy(step.outcomes[rows]).float(), torch.from_numpy(step.actions[rows])
        packed = agent.network.pack({name: torch.from_numpy(part[rows]) for name, part in step.observation.items()})
        policy, values = agent.network.on(packed)
        policy = policy.normalised()
        weights = weights_of(method, outcomes, values)
        cross_entropy = -(policy.log_probs(actions) * weights[policy.rows // policy.shape[1]]).sum()
        loss = (cross_entropy / weights.sum().clamp(min=1)) + (values - outcomes).square().mean() / 2
        for group in optimizer.param_groups:
            group["lr"] = 3e-3 * 30 ** -(learned / total)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(agent.network.parameters(), 0.5)
        optimizer.step()
        learned += len(rows)
        losses.append(float(loss.detach()))
    out.mkdir(parents=True, exist_ok=True)
    notes = {"steps": str(learned), "data": data, "digest": dataset.digest, "method": method.value}
    save_agent(out, agent.config, agent.network.state_dict(), notes)
    typer.echo(
        f"{learned:,} decisions in {process_time():.0f} s of CPU time, loss {np.mean(losses[:20]):.3f} at first and "
        f"{np.mean(losses[-20:]):.3f} at the end: {out}"
    )


if __name__ == "__main__":
    typer.run(main)
